// A lock that a thread can enter several times: the half of it that happens in this process.
//
// A stage from here on writes the other half, the protocol: `enter()` and `leave()`, one level
// each. This class knows for each thread the hold that it is inside and how deep, and decides what
// to ask for: the thread's own hold again, a hold that was handed to it, or a new one.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/lock.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/renewal.h"
#include "stage5_watchdog/watchdog.h"
#include "stage6_reentrant/reentry_state.h"

namespace stage6 {

using stage5::Clock;
using stage5::Hold;
using stage5::Options;
using stage5::Renewal;

// One level of a thread in a hold, to be entered or left on the server.
struct Entry {
  std::string token;                // names the hold
  int depth = 1;                    // how often the thread has entered the hold then
  std::shared_ptr<Hold> hold = {};  // null if the thread is not inside it yet
  bool begins = false;              // it may begin the hold, if the lock is free

  [[nodiscard]] std::string_view how() const { return begins ? "begin" : "join"; }
};

class ReentrantLock : public core::Lock {
 public:
  // A thread that holds the lock enters it again: the lease becomes the longest that any of its
  // levels asked for, counted from now. A release of this thread that got no answer is sent again
  // first. A hold of this thread that turns out to have ended costs a second try. Before it returns
  // `unknown` it tries once to roll back what it may hold; if that fails too, the lock comes free
  // after at most one lease.
  [[nodiscard]] core::Acquire try_acquire() override;

  // Sends nothing if the calling thread holds nothing: only the thread that acquired the lock can
  // release it. `still_held`: it was an inner level, `hold_count()` says how many are left. After
  // `unknown` it may be asked again. The outermost level ends the renewal, whatever the outcome.
  [[nodiscard]] core::Release release() override;

  // The calling thread's hold: the rest of its lease by our own clock, and a token that stops when
  // the hold is lost. Nothing, and a token that never stops, without a hold.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;

  // Does the calling thread hold the lock, as far as it knows? Not while a release of it has got no
  // answer; the other functions still answer for the hold then. How deep?
  [[nodiscard]] bool held_by_this_thread() const;
  [[nodiscard]] int hold_count() const;

  // Hands a hold on: a thread that presents its token joins it, and the lock is free when the last
  // one has left. `join` sends what one `try_acquire` sends.
  [[nodiscard]] std::optional<std::string> hold_token() const override;
  [[nodiscard]] core::Acquire join(const std::string& hold_token) override;

 protected:
  // As ReentryState::of.
  ReentrantLock(const std::string& server, const std::string& key);

  // The protocol. `enter` asks the server to let the calling thread in; if it does, it calls
  // `entered`. LostReply means that the thread may be inside, and is rolled back.
  [[nodiscard]] virtual core::Acquire enter(const Entry& entry) = 0;
  // Leaves this level of the hold on the server. LostReply means `unknown`.
  [[nodiscard]] virtual core::Release leave(const Entry& entry) = 0;
  // Leaves a level that may have been entered, if that is possible.
  virtual void roll_back(const Entry& entry) noexcept;

  // The server has let the calling thread in, for `lease` from `asked` on; `hold` is `entry.hold`,
  // or a new one. `unknown`, and rolled back, if the lease has run out by now.
  [[nodiscard]] core::Acquire entered(const Entry& entry, std::shared_ptr<Hold> hold,
                                      std::chrono::milliseconds lease, Clock::time_point asked);
  // The server says that the hold to be joined has ended: `contended`. If it is this thread's own,
  // it is lost.
  [[nodiscard]] core::Acquire is_over(const Entry& entry);

  // Sends a release again that got no answer, if there is one. False: it got none this time either.
  [[nodiscard]] bool finish_release();

  // The calling thread's innermost level.
  [[nodiscard]] std::optional<Level> current() const { return state_->current(); }

 private:
  // Enters `entry`, or rolls it back if the reply was lost.
  [[nodiscard]] core::Acquire enter_once(const Entry& entry);
  void abandon_level() override;

  const std::shared_ptr<stage5::Watchdog> watchdog_ = stage5::Watchdog::of_this_process();
  const std::shared_ptr<ReentryState> state_;
};

}  // namespace stage6
