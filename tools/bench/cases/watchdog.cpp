// The cost of holding locks: CPU time and commands of the one thread that renews them.
//
// The locks have a lease of 3 s, renewed every second, and are held while this process does nothing
// else. Counters: cpu_percent (of one CPU, the client's whole process), commands_per_s (renewals as
// the servers count them), renewals_per_period (for each renewal that is due: 1, except for the
// edges of the watched time). A lock that is lost meanwhile fails the run.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "tools/bench/cases/case.h"
#include "tools/bench/measure/fixture.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;

constexpr milliseconds lease{3'000};
constexpr milliseconds period = lease / 3;
constexpr int first_with_a_watchdog = 5;

Seconds spent(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// CPU time of this process so far.
Seconds cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return spent(usage.ru_utime) + spent(usage.ru_stime);
}

long long scripts_run(const std::vector<std::unique_ptr<Node>>& nodes) {
  long long count = 0;
  for (const auto& node : nodes) {
    const auto calls = node->calls();
    for (const auto* name : {"evalsha", "eval"}) {
      const auto found = calls.find(name);
      if (found != calls.end()) count += found->second;
    }
  }
  return count;
}

std::vector<std::unique_ptr<core::Lock>> hold_many(Fixture& fixture, int count) {
  std::vector<std::unique_ptr<core::Lock>> locks;
  for (int i = 0; i < count; ++i) {
    locks.push_back(fixture.make(fmt::format("lock{}", i)).lock);
    if (locks.back()->try_acquire() != core::Acquire::acquired) {
      throw WrongResult("a lock that nobody holds was not acquired");
    }
  }
  return locks;
}

Figures measure(int stage, int count, const Kit& kit, const Scale& scale) {
  const auto nodes = start_nodes(kit, stage < first_on_a_quorum ? 1 : quorum_nodes);
  FixturePlan plan{.stage = stage, .lease = lease};
  for (const auto& node : nodes) plan.nodes.push_back(node->tcp());
  const auto fixture = make_fixture(plan);
  const auto locks = hold_many(*fixture, count);
  std::this_thread::sleep_for(std::min(period, scale.watched));  // the scripts are there now
  const auto commands = scripts_run(nodes);
  const auto cpu = cpu_time();
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(scale.watched);
  const Seconds time = std::chrono::steady_clock::now() - begin;
  const auto used = cpu_time() - cpu;
  const auto sent = static_cast<double>(scripts_run(nodes) - commands);
  for (const auto& lock : locks) {
    if (lock->lost().stop_requested()) throw WrongResult("a lock that was renewed was lost");
  }
  const auto due = Seconds(time / period).count() * count * static_cast<double>(nodes.size());
  return {.time = used,
          .counters = {{"cpu_percent", 100 * (used / time)},
                       {"commands_per_s", sent / time.count()},
                       {"renewals_per_period", sent / due}}};
}

}  // namespace

std::vector<Case> watchdog_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (const int stage : {first_with_a_watchdog, first_on_a_quorum}) {
    if (!scale.everything && stage >= first_on_a_quorum) continue;
    for (const int count : {1, 100, 10'000}) {
      if (count > scale.most_held) continue;
      if (!scale.everything && count < scale.most_held) continue;
      cases.push_back({.name = fmt::format("watchdog/locks{:05}/stage{}", count, stage),
                       .measure = [stage, count](const Kit& kit, const Scale& how_much) {
                         return measure(stage, count, kit, how_much);
                       }});
    }
  }
  return cases;
}

}  // namespace bench
