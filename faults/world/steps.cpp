#include "faults/world/steps.h"

#include <fmt/format.h>

#include <optional>
#include <thread>

#include "faults/kit/errors.h"

namespace faults {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void must_answer(const std::string& outcome, const std::string& expected) {
  if (outcome == expected) return;
  throw NotExercised(
      fmt::format("a client was to answer \"{}\", and answered \"{}\"", expected, outcome));
}

void must_be_refused(const std::string& outcome) {
  if (outcome != "not_acquired") must_answer(outcome, "contended");
}

void must_answer_within(milliseconds lease, steady_clock::time_point since, const Client& client) {
  const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - since);
  if (took < lease) return;
  const auto why = fmt::format("{} answered after {} ms, when the lease of {} ms was over",
                               client.name(), took.count(), lease.count());
  // A stage's lock takes no time for that: the machine did.
  if (!client.hello().contains("library")) throw Stalled(why);
  throw NotExercised(why);
}

void must_release(Client& client) {
  const auto outcome = client.release();
  if (outcome != "no_outcome") must_answer(outcome, "released");
}

void must_reach(const Fault& fault, const Pending& operation) {
  // An operation on several servers may be answered while one of its messages is still under way.
  constexpr milliseconds straggling{1'000};
  std::optional<steady_clock::time_point> answered;
  fault.await(Timing::boundary_timeout, [&] {
    if (!operation.answered()) return false;
    if (!answered) answered = steady_clock::now();
    return steady_clock::now() - *answered > straggling;
  });
}

namespace {

// `client`, which has the lock, works and releases.
void take_turn(Client& client) {
  client.work();
  client.release();
}

// `client` asks once; true if it gets the lock, works and releases.
bool takes_turn(Client& client) {
  if (client.acquire({.lease = Timing::usual_long_lease}) != "acquired") return false;
  take_turn(client);
  return true;
}

}  // namespace

void try_turn(Client& client, int times) {
  for (int i = 0; i < times; ++i) {
    if (takes_turn(client)) return;
  }
}

milliseconds Steps::AcquiredLease::age() const {
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - since);
}

void Steps::must_acquire(Client& client, const AcquireRequest& request) {
  const AcquiredLease hold{.since = steady_clock::now(),
                           .lease = request.lease.value_or(clients_.default_lease())};
  if (request.key == lock_key) holds_[client.name()] = hold;
  const auto outcome = client.acquire(request);
  // A yes that comes after its lease has expired is worth nothing, and a good lock says so.
  if ((outcome == "unknown" || outcome == "not_acquired") && hold.is_nearly_over()) {
    throw Stalled(fmt::format("the machine took a lease to let {} in", client.name()));
  }
  must_answer(outcome, "acquired");
}

void Steps::must_be_within_lease(const Client& client) const {
  const auto& hold = holds_.at(client.name());
  const auto age = hold.age();
  if (age < hold.lease * 2 / 3) return;
  throw Stalled(fmt::format("the machine took {} ms for what should be done well within {}'s lease",
                            age.count(), client.name()));
}

Pending Steps::work_past(Client& client, const FaultPoint& point,
                         const std::function<void()>& meanwhile) const {
  auto stopped = client.storage_link().arm(point, Action::hold_back);
  auto working = client.start_work();
  must_reach_at_work(client, stopped, working);
  meanwhile();
  stopped.deliver();
  return working;
}

std::string Steps::stop_at_work(Client& client, const FaultPoint& point,
                                const std::function<void()>& meanwhile) const {
  return work_past(client, point, meanwhile).wait();
}

bool Steps::stop_at_work_for(Client& client, const FaultPoint& point,
                             const std::function<void()>& meanwhile, milliseconds limit) const {
  auto working = work_past(client, point, meanwhile);
  WaitFor::answer(working, limit);
  if (!working.answered()) return false;
  (void)working.wait();
  return true;
}

Pending Steps::freeze_at_work(Client& client, const FaultPoint& point) const {
  auto reached = client.storage_link().arm(point, Action::hold_back);
  auto working = client.start_work();
  must_reach_at_work(client, reached, working);
  client.freeze();
  reached.deliver();  // into its socket
  return working;
}

void Steps::must_reach_at_work(const Client& client, const Fault& fault, Pending& working) const {
  const auto hold = holds_.find(client.name());
  try {
    fault.await(Timing::boundary_timeout, [&] { return working.answered(); });
  } catch (const NotExercised&) {
    if (!working.answered()) throw;
    try {
      (void)working.wait();  // why it did not come there
    } catch (const CannotRun&) {
      // Its work ended; the reason for that is given below.
    }
    const bool is_over = hold != holds_.end() && hold->second.is_nearly_over();
    if (!is_over) throw;
    throw Stalled(fmt::format("{}'s lease was over before the fault", client.name()));
  }
}

void Steps::try_turn_reconnecting(Client& client) const {
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  const auto answers = client.count_answers();
  for (int tries = 0; tries < 3;) {
    if (takes_turn(client)) return;
    if (!servers_.speak_redis() || client.count_answers() > answers) {
      ++tries;
    } else if (steady_clock::now() > deadline) {
      throw NotExercised(fmt::format("{} tried for {} ms, and no server answered it", client.name(),
                                     timing_.wait_limit().count()));
    } else {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
}

bool Steps::acquires(Client& client, milliseconds limit) const {
  const auto deadline = steady_clock::now() + limit;
  for (auto left = limit; left > milliseconds(0);) {
    if (client.acquire({.lease = timing_.long_lease(), .wait = left}) == "acquired") return true;
    std::this_thread::sleep_for(timing_.lease() / 10);
    left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  }
  return false;
}

bool Steps::acquires_after_lease(Client& client, milliseconds limit) const {
  if (acquires(client, limit)) return true;
  if (servers_.hold_lock_without_lease()) return false;
  throw NotExercised(fmt::format("{} tried for {} ms and did not get in: no lease ran out",
                                 client.name(), limit.count()));
}

void Steps::wait_for_turn(Client& client) const {
  if (acquires(client, timing_.wait_limit())) take_turn(client);
}

void Steps::take_turn_after_lease(Client& client, milliseconds limit) const {
  if (acquires_after_lease(client, limit)) take_turn(client);
}

bool Steps::must_get_turn(Client& client, milliseconds wait) const {
  const auto deadline = steady_clock::now() + wait;
  AcquireRequest request{.lease = timing_.long_lease(), .wait = wait, .must_get_in = true};
  auto outcome = client.acquire(request);
  // A server that died may have taken a connection with it, which is noticed by asking.
  while (outcome == "unknown" && steady_clock::now() < deadline - wait / 2) {
    std::this_thread::sleep_for(timing_.lease() / 10);
    request.wait = std::chrono::floor<milliseconds>(deadline - steady_clock::now());
    outcome = client.acquire(request);
  }
  if (outcome != "acquired") return false;
  take_turn(client);
  return true;
}

Pending Steps::start_waiting(Client& client, const AcquireRequest& request) const {
  must_be_refused(client.acquire({.wait = timing_.lease() / 3}));
  const auto sent = client.count_commands();
  auto pending = client.start_acquire(request);
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  while (client.count_commands() == sent) {
    if (steady_clock::now() > deadline) throw NotExercised(client.name() + " does not ask");
    std::this_thread::sleep_for(milliseconds(1));
  }
  wait_for_.rest(client);
  if (pending.gave_up()) {
    throw NotExercised(client.name() + " gave up before it was seen to wait");
  }
  return pending;
}

void Steps::thaw_until_active(Client& client, const Pending& pending) const {
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  const auto sent = client.count_commands();
  client.thaw();
  while (!pending.answered() && client.count_commands() == sent) {
    if (steady_clock::now() > deadline) throw NotExercised(client.name() + " has gone silent");
    std::this_thread::sleep_for(milliseconds(1));
  }
}

}  // namespace faults
