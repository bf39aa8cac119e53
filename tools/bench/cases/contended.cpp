// Eight clients in eight processes want one lock: each holds it, pauses, and asks again.
//
// Counters: per_s (acquisitions), ceiling_per_s and of_ceiling; handoff_p50_us and handoff_p99_us
// (from the begin of a release until the next client, which waited by then, has the lock);
// pair_p50_us (acquire and release of one client alone, for comparison); commands (sent by clients,
// for one acquisition; without heartbeats) and heartbeats_per_s; wait_p999_ms, longest_wait_ms;
// least, most and luck (acquisitions of the unluckiest and of the luckiest client, and the second
// divided by the first).
//
// The first 50 ms do not count, except for `commands`: a client that waits for the first time
// connects, subscribes and starts threads.
//
// The ceiling: the lock is held for `held` and the next client has it at once, so no more than
// 1 / held; and each client comes back only after `held` + `pause`, so no more than
// clients / (held + pause). If `held` is 0, 1 / (one pair alone) stands for the first.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/bench/cases/case.h"
#include "tools/bench/measure/acquire_and_release.h"
#include "tools/bench/measure/baseline.h"
#include "tools/bench/measure/contention.h"
#include "tools/bench/measure/worker_process.h"
#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t clients = 8;

struct Plan {
  int stage = 1;
  std::string way = "own";
  milliseconds held{0};
  milliseconds pause{0};
};

// How often each command has been sent, or called by a script, at all nodes.
std::map<std::string, long long> calls_at(const std::vector<std::unique_ptr<Node>>& nodes) {
  std::map<std::string, long long> sum;
  for (const auto& node : nodes) {
    for (const auto& [name, count] : node->calls()) sum[name] += count;
  }
  return sum;
}

// The costs of the lock without contention, and the commands that it sends: a server's statistics
// also count those that scripts call.
struct SoloCost {
  double pair_us = 0;
  std::set<std::string> commands{"eval", "evalsha", "subscribe", "unsubscribe"};
};

SoloCost measure_solo(Fixture& fixture, Node& node) {
  constexpr int pairs = 200;
  const auto lock = fixture.make("alone").lock;
  acquire_and_release(*lock);
  SoloCost solo;
  std::vector<double> times;
  for (int i = 0; i < pairs; ++i) {
    const auto begin = Clock::now();
    acquire_and_release(*lock);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  solo.pair_us = median(times);
  for (auto& command : commands_during(node.tcp(), [&] { acquire_and_release(*lock); })) {
    auto& name = command.front();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    solo.commands.insert(name);
  }
  return solo;
}

double ceiling(const Plan& plan, const SoloCost& solo) {
  using Seconds = std::chrono::duration<double>;
  const double held = Seconds(plan.held).count();
  const double around = Seconds(plan.held + plan.pause).count();
  const double by_lock = 1 / (held > 0 ? held : solo.pair_us / 1e6);
  return around > 0 ? std::min(by_lock, static_cast<double>(clients) / around) : by_lock;
}

struct Contention {
  std::vector<Acquisitions> clients;
  Nanoseconds start{0};
  Nanoseconds begin{0};  // of the time that counts
  Nanoseconds end{0};
};

Contention contend(std::vector<std::unique_ptr<WorkerProcess>>& workers, milliseconds time) {
  constexpr milliseconds until_all_are_told{20};
  constexpr milliseconds warming_up{50};
  Contention run;
  run.start = Clock::now().time_since_epoch() + until_all_are_told;
  run.begin = run.start + warming_up;
  run.end = run.begin + time;
  for (auto& worker : workers) worker->start(run.start, run.end);
  for (auto& worker : workers) run.clients.push_back(worker->acquisitions());
  return run;
}

Figures figures_of(const ContentionStats& stats, double most_per_second, const SoloCost& solo) {
  // On a stalled machine there may be no acquisition: do not divide by zero.
  return {.time = std::chrono::duration<double>(1 / std::max(stats.per_second, 1.0)),
          .counters = {{"per_s", stats.per_second},
                       {"ceiling_per_s", most_per_second},
                       {"of_ceiling", stats.per_second / most_per_second},
                       {"pair_p50_us", solo.pair_us},
                       {"handoff_p50_us", in_us(stats.handoff_p50)},
                       {"handoff_p99_us", in_us(stats.handoff_p99)},
                       {"wait_p999_ms", in_us(stats.wait_p999) / 1'000},
                       {"longest_wait_ms", in_us(stats.longest_wait) / 1'000},
                       {"least", stats.least},
                       {"most", stats.most},
                       {"luck", stats.most / std::max(stats.least, 1.0)}}};
}

double acquisitions_of(const Contention& run) {
  double count = 0;
  for (const auto& client : run.clients) count += static_cast<double>(client.size());
  return count;
}

Figures measure(const Plan& plan, const Kit& kit, const Scale& scale) {
  const faults::TempDir directory(kit.reaper);
  const auto nodes = start_nodes(kit, plan.stage < first_on_a_quorum ? 1 : quorum_nodes);
  WorkerPlan work{
      .fixture = {.stage = plan.stage, .way = plan.way}, .held = plan.held, .pause = plan.pause};
  for (const auto& node : nodes) work.fixture.nodes.push_back(node->tcp());
  const auto solo = measure_solo(*make_fixture(work.fixture), *nodes.front());
  std::vector<std::unique_ptr<WorkerProcess>> workers;
  while (workers.size() < clients) {
    workers.push_back(std::make_unique<WorkerProcess>(kit, work, directory.path() / "log"));
  }
  const auto before = calls_at(nodes);
  const auto run = contend(workers, scale.contended);
  auto figures =
      figures_of(contention_stats(run.clients, run.begin, run.end), ceiling(plan, solo), solo);
  double commands = 0;
  double heartbeats = 0;
  for (const auto& [name, count] : calls_at(nodes)) {
    const auto known = before.find(name);
    const auto more = static_cast<double>(count - (known == before.end() ? 0 : known->second));
    if (solo.commands.contains(name)) commands += more;
    if (name == "ping") heartbeats += more;
  }
  figures.counters["commands"] = commands / acquisitions_of(run);
  figures.counters["heartbeats_per_s"] =
      heartbeats / std::chrono::duration<double>(run.end - run.start).count();
  return figures;
}

}  // namespace

std::vector<Case> contended_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (const milliseconds held : {milliseconds(0), milliseconds(1)}) {
    for (const milliseconds pause : {milliseconds(0), milliseconds(5)}) {
      // A quick run measures only the case nearest to real work.
      if (!scale.everything && (held == milliseconds(0) || pause == milliseconds(0))) continue;
      for (int stage = 1; stage <= stages; ++stage) {
        for (const auto& way : ways_to_wait(stage)) {
          const Plan plan{.stage = stage, .way = way, .held = held, .pause = pause};
          cases.push_back({.name = fmt::format("contended/held{}ms_pause{}ms/stage{}/{}",
                                               held.count(), pause.count(), stage, way),
                           .measure = [plan](const Kit& kit, const Scale& how_much) {
                             return measure(plan, kit, how_much);
                           }});
        }
      }
    }
  }
  return cases;
}

}  // namespace bench
