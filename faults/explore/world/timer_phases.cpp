#include "faults/explore/world/timer_phases.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

namespace explore {
namespace {

// Longer than what a library does after some time without work, such as a ping every half minute:
// it does that in each sleep.
constexpr std::chrono::minutes shortest_sleep{2};

constexpr int until_next_run = 1;  // in leases: some time may pass before it begins

// Timers that are together in phase only after a longer time are not kept so.
constexpr std::chrono::hours longest_period{1};

// The first moment from `earliest` on that is whole periods after `first`, or before it.
Duration in_phase(Duration first, Duration earliest, Duration period) {
  if (period == Duration(0)) return earliest;
  const auto rest = (first - earliest) % period;
  return earliest + rest + (rest < Duration(0) ? period : Duration(0));
}

}  // namespace

void TimerPhases::start_clients() {
  const bool is_first_run = !first_run_;
  start_all();
  if (is_first_run) {
    pass();
    start_all();
    if (period_ != Duration(0)) pass();  // the latecomer's, too
  }
  if (period_ != Duration(0)) sleep();
  if (is_first_run) first_run_ = world_.now();
}

void TimerPhases::sleep() {
  constexpr int most_sleeps = 10;
  for (int i = 0; i < most_sleeps; ++i) {
    const auto before = deadlines();
    const auto earliest = world_.now() + shortest_sleep;
    sleep_until(in_phase(first_run_.value_or(earliest), earliest, period_));
    const auto last = world_.now() + (far_in_leases + until_next_run) * world_.plan.lease;
    const auto outlasts = [&](Duration one) { return one <= last && before.count(one) != 0; };
    const auto after = deadlines();
    if (std::none_of(after.begin(), after.end(), outlasts)) return;
  }
}

std::set<Duration> TimerPhases::deadlines() const {
  std::set<Duration> all;
  for (const auto* client : world_.all_clients()) {
    const auto its_own = client->deadlines();
    all.insert(its_own.begin(), its_own.end());
  }
  return all;
}

void TimerPhases::start_all() {
  for (auto& client : world_.clients) start(client);
  // It may come at any moment of a run, where a process that is kept would be out of phase.
  if (period_ != Duration(0) && !world_.plan.fresh_clients) start(world_.latecomer);
}

void TimerPhases::start(SearchedClient& client) {
  const auto known = first_starts_.find(client.name());
  const auto next = [&](Duration earliest) {
    const auto first = known == first_starts_.end() ? earliest : known->second;
    return in_phase(first, earliest, period_);
  };
  if (client.process() != 0 && next(client.started()) != client.started()) client.discard();
  if (client.process() == 0) {
    sleep_until(next(std::chrono::ceil<std::chrono::milliseconds>(world_.now())));
  }
  if (client.begin()) requests_.warm_up(client);
  first_starts_.try_emplace(client.name(), client.started());
}

void TimerPhases::let_timers_pass() {
  if (period_ == Duration(0)) pass();
}

// What a task does that comes every minute (a library may forget which scripts its server knows)
// must not differ between runs: so its client is warmed up again.
void TimerPhases::pass() {
  constexpr int most_timers = 50;
  std::set<SearchedClient*> woken;
  timers_.clear();
  for (int i = 0; i < most_timers && comes_within(far_in_leases + until_next_run); ++i) {
    const auto deadline = world_.next_deadline();
    for (auto* client : world_.all_clients()) {
      if (client->next_deadline() == deadline) woken.insert(client);
    }
    sleep_until(*deadline);
    for (const auto* client : world_.all_clients()) measure(*client);
  }
  if (comes_within(horizon_in_leases)) period_ = common_period();
  if (period_ != Duration(0)) return;
  for (auto* client : woken) client->cool_down();
}

bool TimerPhases::comes_within(int leases) const {
  const auto deadline = world_.next_deadline();
  return deadline && *deadline <= world_.now() + leases * world_.plan.lease;
}

void TimerPhases::measure(const SearchedClient& client) {
  for (const auto& [thread, deadline] : client.deadlines_by_thread()) {
    auto& timer = timers_[{client.name(), thread}];
    if (timer.deadline == deadline) continue;
    const auto wait = deadline - timer.deadline;
    timer = {.deadline = deadline, .wait = wait, .renews = wait == timer.wait};
  }
}

Duration TimerPhases::common_period() const {
  Duration::rep common = 0;
  for (const auto& [thread, timer] : timers_) {
    if (!timer.renews) continue;
    if (common == 0) common = Duration(std::chrono::milliseconds(1)).count();  // as runs begin
    const auto factor = timer.wait.count() / std::gcd(common, timer.wait.count());
    if (factor <= Duration(longest_period).count() / common) common *= factor;
  }
  return Duration(common);
}

void TimerPhases::sleep_until(Duration moment) {
  world_.advance_to(moment);
  requests_.deliver_all();
}

}  // namespace explore
