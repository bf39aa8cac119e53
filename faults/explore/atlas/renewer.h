// Renews the holds of a client's locks, each every third of its lease, on a thread of its own.
//
// A renewal that has no answer is tried again until the lease has ended by the holder's own clock.
// Thread-safety: safe to share.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/redis/server.h"
#include "faults/explore/atlas/hold.h"
#include "faults/explore/atlas/parts.h"

namespace atlas {

class Renewer {
 public:
  // `how` is not Renewal::none. All holds have this lease.
  Renewer(const core::Address& server, Renewal how, std::chrono::milliseconds lease);

  // Renews `hold` from now on.
  void watch(std::shared_ptr<Hold> hold);
  // Begins no further renewal of `hold`. One that was sent before may still arrive.
  void stop_renewing(Hold& hold);

 private:
  struct Watched {
    std::shared_ptr<Hold> hold;
    Clock::time_point next;

    [[nodiscard]] Clock::time_point due() const { return std::min(next, hold->ends()); }
  };
  enum class Outcome { renewed, lost, unknown };

  void run(const std::stop_token& stop);
  // Renews the first hold that is due, or marks it as lost.
  void act(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Outcome renew(const Hold& hold);
  [[nodiscard]] Outcome ask(const Hold& hold);
  [[nodiscard]] std::vector<Watched>::iterator first();

  const Renewal how_;
  const std::chrono::milliseconds every_;
  core::Server server_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Watched> watched_;  // guarded by mutex_
  bool is_changed_ = false;       // guarded by mutex_
  std::jthread thread_;
};

}  // namespace atlas
