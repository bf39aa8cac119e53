// The line before one lock, as the threads of this process see it: first come, first served.
//
// One server keeps it (line.lua), and says whose turn it is to ask the lock. That is all: the line
// is a hint, and the lock decides. So nothing is lost with a line but the order.
//
// The first in line is notified when the holder leaves. A message can be missed, and a holder or a
// waiter can be dead or frozen, so waiters also look for themselves: of each process the one that
// has waited longest, when the lease of the lock ends, and at least once a second.
//
// Thread-safety: safe to share. All of it is about the calling thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/per_thread.h"
#include "core/redis/address.h"
#include "production/fair_queue/line_servers.h"
#include "production/fair_queue/listener.h"
#include "production/fair_queue/waiter.h"

namespace fair_queue {

// The place at which a waiter joins the line. `first` overtakes all others that wait: for work that
// must not wait its turn.
enum class Position { last, first };

class Line {
 public:
  // The line before the lock `key`. `addresses`: those of `servers`.
  Line(std::shared_ptr<LineServers> servers, const std::vector<core::Address>& addresses,
       std::string key);

  // True if it is the thread's turn to ask the lock. Otherwise it is in line from now on. Throws
  // Unreachable or ErrorReply.
  [[nodiscard]] bool is_my_turn(Position position);
  // The lock has refused the thread, although it was its turn.
  void refused();
  // The lock was acquired: the thread keeps its place until it leaves, and others wait after it.
  void acquired();
  // Waits until there is a reason to call `is_my_turn`, but for at most `time`. False once `stop`
  // is requested.
  [[nodiscard]] bool pause(std::chrono::microseconds time, const std::stop_token& stop);
  // Leaves the line, if the thread is in it, and gives the turn to the next if it had the turn.
  void give_up() noexcept;

  // The thread that has the lock is one level deeper inside it.
  void entered_again();
  void left_level();
  // The thread has released the lock: the next waiter has the turn. No error is reported: the
  // others look for themselves.
  void leave() noexcept;
  // The same in two steps, around the release: the next waiter learns of its turn while that is
  // under way. Nothing, if none is known to wait, or if the thread stays inside.
  using Leaving = std::optional<LineServers::Started>;
  [[nodiscard]] Leaving start_to_leave() noexcept;
  void finish_leaving(Leaving leaving) noexcept;

 private:
  // A thread's place in line.
  struct Place {
    std::shared_ptr<Waiter> waiter;
    std::string text;         // the waiter, as line.lua knows it
    std::size_t server = 0;   // the one that keeps its line
    bool is_in_line = false;  // as far as we know; a waiter that finds the lock free is not
    bool has_turn = false;
    bool is_followed = false;  // another one waits behind it
    int refusals = 0;          // during its turn
    Clock::time_point ask_at;  // during its turn: not before
    int failures = 0;          // to look, in a row
    int depth = 0;             // above 0: it has acquired the lock
  };

  // The part that all lock objects of this process on the same key share.
  struct Shared {
    explicit Shared(std::shared_ptr<Listener> of_this_process)
        : listener(std::move(of_this_process)) {}
    const std::shared_ptr<Listener> listener;
    const std::shared_ptr<LookTime> looks_at = std::make_shared<LookTime>();
    core::PerThread<std::shared_ptr<Place>> places;
  };

  [[nodiscard]] static std::shared_ptr<Shared> shared_by_all(
      const std::vector<core::Address>& addresses, const std::string& key);

  [[nodiscard]] std::shared_ptr<Place> my_place() const;
  [[nodiscard]] std::shared_ptr<Place> place_to_wait();
  void forget_place();
  void leave(std::string_view action) noexcept;
  // Asks for a place in line, and who has the turn.
  void look(Place& place, Position position);
  // The same of a thread that may be in line already.
  void look_or_wait(Place& place, Position position);
  static void pause_after_refusal(Place& place, std::chrono::milliseconds longest);

  const std::shared_ptr<LineServers> servers_;
  const std::string key_;
  const std::string line_;
  const std::shared_ptr<Shared> shared_;
  Listener& listener_;
};

}  // namespace fair_queue
