// Keeps the leases of all locks of this process alive, and tells holders when they have lost one.
//
// One thread for all locks and all servers. Renewals that are due together go to their server in
// one pipeline; a server that does not answer delays no other's. A renewal that failed is tried
// again until the holder's own lease has run out; "lost" is final. A hold that is not renewed is
// watched too, so that its holder learns of the end of its lease.
//
// Thread-safety: safe to share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/redis/wake_up.h"
#include "core/shared_instances.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/renewal_pipeline.h"

namespace stage5 {

class Watchdog {
 public:
  // The one of this process: started by the first lock that asks, ended with the last.
  [[nodiscard]] static std::shared_ptr<Watchdog> of_this_process() {
    return core::only_instance<Watchdog>();
  }

  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Watches `hold` from now on. `lost()` fires on the watchdog's thread: what is called there must
  // be quick, and must not end the last lock of this process.
  void watch(const std::shared_ptr<Hold>& hold);

  // Tells its holder, on the calling thread, that `hold` is lost, and stops watching it.
  void mark_lost(const std::shared_ptr<Hold>& hold);

  // Begins no further renewal; the holder is still notified when the lease runs out. A renewal that
  // was sent before can still arrive; it names this hold's token, and does no harm to another hold.
  void stop_renewing(const std::shared_ptr<Hold>& hold);

  // Stops watching it. False: it was not watched.
  bool forget(const std::shared_ptr<Hold>& hold);

 private:
  using Scheduled = std::pair<Clock::time_point, std::shared_ptr<Hold>>;

  void run(const std::stop_token& stop);
  // The holds that are due: to be renewed now, or lost.
  [[nodiscard]] std::vector<std::shared_ptr<Hold>> take_due(Clock::time_point now);
  void act_on(const std::shared_ptr<Hold>& hold, Clock::time_point now);
  // Notes that a renewal of `hold` begins. False: none is due, or it is no longer watched.
  [[nodiscard]] bool begin_renewal(const std::shared_ptr<Hold>& hold, Clock::time_point now);
  // The renewal that was asked for at `asked` has this outcome.
  void settle(const std::shared_ptr<Hold>& hold, Clock::time_point asked, Renewed outcome);
  void ask(const core::Address& server, Question question);
  void wait_for_events();

  // Queues `hold` for its next renewal or the end of its lease; takes it out. Both need the mutex.
  void schedule(const std::shared_ptr<Hold>& hold);
  void unschedule(const std::shared_ptr<Hold>& hold) { schedule_.erase({hold->scheduled_, hold}); }

  std::mutex mutex_;
  std::set<Scheduled> schedule_;                           // guarded by mutex_
  Clock::time_point wakes_at_ = Clock::time_point::min();  // guarded by mutex_
  std::map<core::Address, RenewalPipeline> pipelines_;     // the thread's own
  core::WakeUp wake_up_;
  std::jthread thread_;
};

}  // namespace stage5
