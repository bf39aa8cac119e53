// A lock with a plan for the time in which its server cannot be reached.
//
//   Lock lock(server, "report:daily");
//   core::FallbackLock safe(lock, "report:daily", core::WhenAway::degrade());
//   std::lock_guard guard(safe);
//   if (auto reason = safe.degraded()) log(*reason);  // held by this process alone
//
// A degraded hold excludes only the threads of this process: for locks that save work, not for
// those that keep data right. Its server may well be there for another process.
//
// All threads of the process enter through one std::timed_mutex for each name, and ask the server
// only then, also while it can be reached. So two of them are never inside at once, whichever of
// them came before the server was back.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/lock.h"
#include "core/observer.h"
#include "core/per_thread.h"

namespace core {

// The choice of what to do when the server cannot be reached, does not answer, or says that it
// cannot serve now (`says_away`, core/redis/redirection.h).
class WhenAway {
 public:
  // The caller learns it: from an exception, or from `unknown`.
  [[nodiscard]] static WhenAway fail() { return {}; }
  // Asks again for at most `limit`; then as `fail()`. Throws std::invalid_argument unless > 0.
  [[nodiscard]] static WhenAway wait(std::chrono::milliseconds limit);
  // Continues with a lock of this process. The server is asked again after `pause` at the earliest,
  // so that not every acquisition waits for it. Throws std::invalid_argument for a negative pause.
  [[nodiscard]] static WhenAway degrade(
      std::chrono::milliseconds pause = std::chrono::milliseconds(1000));

  [[nodiscard]] bool degrades() const { return degrades_; }
  // How long to ask again; how long not to ask.
  [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }
  [[nodiscard]] std::chrono::milliseconds pause() const { return pause_; }

 private:
  bool degrades_ = false;
  std::chrono::milliseconds limit_{0};
  std::chrono::milliseconds pause_{0};
};

class FallbackLock : public Lock {
 public:
  // `lock` must outlive this. Locks with the same `name` exclude each other in this process: give
  // the lock's key. `observer` may be null.
  FallbackLock(Lock& lock, const std::string& name, WhenAway policy,
               std::shared_ptr<Observer> observer = nullptr);
  ~FallbackLock() override;

  // As the other lock's, but while its server is away: then as the policy says. A wrong password or
  // certificate (AccessDenied) is thrown whatever the policy: waiting does not help.
  [[nodiscard]] Acquire try_acquire() override;
  // Waits for the threads of this process first; `waiting` bounds the whole of it, its tries each
  // of the two.
  [[nodiscard]] Acquire acquire(const Waiting& waiting, const std::stop_token& stop = {}) override;

  // The other threads of this process are let in, whatever the outcome. After an exception or
  // `unknown` the server may be asked again.
  [[nodiscard]] Release release() override;

  // The reason, in one sentence, if the calling thread's hold is of this process alone; nothing if
  // the server knows of it, or without a hold.
  [[nodiscard]] std::optional<std::string> degraded() const;

  // Nothing for a degraded hold: it does not end by itself and cannot be lost.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::stop_token lost() const override;
  [[nodiscard]] std::optional<std::uint64_t> fencing_token() const override;
  [[nodiscard]] Waiting usual_waiting() const override { return lock_.usual_waiting(); }

 private:
  using Clock = std::chrono::steady_clock;
  using Ask = std::function<Acquire()>;
  // The calling thread's, from its first acquire to its last release.
  struct ThreadState {
    int depth = 0;
    std::optional<std::string> reason;  // set: degraded
  };
  // The state that all locks of one name share in this process.
  struct Process {
    [[nodiscard]] static std::shared_ptr<Process> of(const std::string& name);
    std::timed_mutex mutex;
    PerThread<ThreadState> holds;
  };

  // `reason`: why the server gave no answer; `error`: what it threw then.
  struct Answer {
    Acquire outcome = Acquire::unknown;
    std::string reason = {};
    std::exception_ptr error = {};
  };

  // Locks the process's mutex; false if `waiting` has ended.
  [[nodiscard]] bool enter_process(const Waiting& waiting, const std::stop_token& stop);
  [[nodiscard]] Acquire enter_again();
  // With that mutex locked: asks the server, or does what the policy says.
  [[nodiscard]] Acquire enter(const Ask& ask, const std::stop_token& stop);
  [[nodiscard]] static Answer ask_until(const Ask& ask, Clock::time_point until,
                                        const std::stop_token& stop);
  [[nodiscard]] static Answer ask_once(const Ask& ask);
  // The reason of the last time, while the server is not to be asked.
  [[nodiscard]] std::optional<std::string> known_reason();
  [[nodiscard]] Release release_degraded(ThreadState hold);
  void abandon_level() override;

  Lock& lock_;
  const WhenAway policy_;
  const std::shared_ptr<Observer> observer_;
  const std::shared_ptr<Process> process_;
  std::mutex mutex_;
  Clock::time_point ask_again_{};  // guarded by mutex_
  std::string reason_;             // guarded by mutex_; of that pause
};

}  // namespace core
