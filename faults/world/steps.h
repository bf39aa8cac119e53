// The steps of clients in a scenario.
//
// A *turn* is: acquire, work, release. Turns ask for a long lease, so that a slow machine does not
// look like a lock that lets two in.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "faults/kit/client.h"
#include "faults/kit/link.h"
#include "faults/world/clients.h"
#include "faults/world/lock_servers.h"
#include "faults/world/timing.h"
#include "faults/world/wait_for.h"

namespace faults {

// The two points at which work can be stopped: at the client's read; after it has read, thought and
// checked its lock, and before it writes.
inline const FaultPoint during_read{.direction = Direction::reply, .command = "READ"};
inline const FaultPoint before_write{.direction = Direction::reply, .command = "BEGIN"};

// Throws NotExercised unless `outcome` is `expected`.
void must_answer(const std::string& outcome, const std::string& expected);

// Throws NotExercised unless `outcome` says that the client did not get the lock, since another has
// it; some locks do not say why.
void must_be_refused(const std::string& outcome);

// Throws NotExercised unless less than `lease` has passed `since` the client was asked: a hold that
// it may have got has then ended by itself, and its answer plays no part any more.
void must_answer_within(std::chrono::milliseconds lease,
                        std::chrono::steady_clock::time_point since, const Client& client);

// `client`, which holds the lock, gives it back. Throws NotExercised if its lock says that it did
// not; some locks say nothing.
void must_release(Client& client);

// Waits until `fault` has fired while `operation` runs. Throws NotExercised if it never does.
void must_reach(const Fault& fault, const Pending& operation);

// `client` tries so often at most; if it gets the lock, it works and releases.
void try_turn(Client& client, int times = 1);

class Steps {
 public:
  Steps(const Timing& timing, const Clients& clients, LockServers& servers, const WaitFor& wait_for)
      : timing_(timing), clients_(clients), servers_(servers), wait_for_(wait_for) {}

  // `client` takes the lock, which is free. Throws NotExercised if it does not get it; Stalled if
  // that took longer than its lease.
  void must_acquire(Client& client, const AcquireRequest& request = {});
  // Throws Stalled unless `client`'s last `must_acquire` began less than two thirds of its lease
  // ago: after that, the run would show a lease that ran out, not the fault.
  void must_be_within_lease(const Client& client) const;

  // `client`, which holds the lock, works; is stopped at `point`; and continues after `meanwhile`.
  // Returns the outcome of its work. Throws NotExercised if it is not stopped; Stalled if its lease
  // expired before.
  std::string stop_at_work(Client& client, const FaultPoint& point,
                           const std::function<void()>& meanwhile) const;
  // The same of a client that may never end its work, as it waits for an answer that never comes:
  // waits at most `limit` for it, and returns whether it has ended.
  bool stop_at_work_for(Client& client, const FaultPoint& point,
                        const std::function<void()>& meanwhile,
                        std::chrono::milliseconds limit) const;
  // The same as `stop_at_work`, and its process is frozen there: the reply lies in its socket when
  // it is thawed.
  [[nodiscard]] Pending freeze_at_work(Client& client, const FaultPoint& point) const;

  // `client` tries as in `try_turn` after servers have died: it may notice only by asking that its
  // connections ended with them, and asks again then: three times, from the first try on that a
  // server answers. Throws NotExercised if none does within the wait limit.
  void try_turn_reconnecting(Client& client) const;

  // `client` waits for the lock, and asks again if its lock gives up before `limit`; true if it
  // gets in.
  [[nodiscard]] bool acquires(Client& client, std::chrono::milliseconds limit) const;
  // The same if another client's lease runs out within `limit` (the wait limit), so that it must
  // get in: false only if the lock has no lease, or none yet. Throws NotExercised if it does not
  // get in.
  [[nodiscard]] bool acquires_after_lease(Client& client, std::chrono::milliseconds limit) const;
  [[nodiscard]] bool acquires_after_lease(Client& client) const {
    return acquires_after_lease(client, timing_.wait_limit());
  }
  // `client` waits, and takes its turn if it gets the lock.
  void wait_for_turn(Client& client) const;
  // The same where another one's lease runs out within `limit` (the wait limit). Throws
  // NotExercised.
  void take_turn_after_lease(Client& client, std::chrono::milliseconds limit) const;
  void take_turn_after_lease(Client& client) const {
    take_turn_after_lease(client, timing_.wait_limit());
  }
  // The same, and the lock is to blame if `client` does not get it within `wait` (the wait limit):
  // false then. Where its outcome is soon unknown, it asks again.
  bool must_get_turn(Client& client) const { return must_get_turn(client, timing_.wait_limit()); }
  bool must_get_turn(Client& client, std::chrono::milliseconds wait) const;

  // `client` asks for the lock, and waits when this returns: it is at rest with its request open.
  // It has waited in vain before, so that it has what it needs for that, such as a subscription.
  // Throws NotExercised.
  [[nodiscard]] Pending start_waiting(Client& client, const AcquireRequest& request) const;
  // Thaws `client`, and waits until it has sent a command, or `pending` is answered. Throws
  // NotExercised if that takes longer than the wait limit.
  void thaw_until_active(Client& client, const Pending& pending) const;

 private:
  // When `must_acquire` began, and for how long the lock was asked for.
  struct AcquiredLease {
    std::chrono::steady_clock::time_point since;
    std::chrono::milliseconds lease;
    [[nodiscard]] std::chrono::milliseconds age() const;
    [[nodiscard]] bool is_nearly_over() const { return age() > lease * 9 / 10; }
  };

  // `client` works, is stopped at `point`, and is let go on after `meanwhile`.
  [[nodiscard]] Pending work_past(Client& client, const FaultPoint& point,
                                  const std::function<void()>& meanwhile) const;
  // Waits until the work of `client` has come to `fault`. Throws NotExercised; Stalled if it
  // stopped working since its lease had expired.
  void must_reach_at_work(const Client& client, const Fault& fault, Pending& working) const;

  const Timing& timing_;
  const Clients& clients_;
  LockServers& servers_;
  const WaitFor& wait_for_;
  std::map<std::string, AcquiredLease> holds_;  // by client
};

}  // namespace faults
