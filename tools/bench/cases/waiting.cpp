// Many wait for one lock: 10 threads in two processes, 100, 1,000 or 10,000 in ten processes, and
// 100 processes of one thread. What they and the servers do, by the way to wait:
//
//   polling        each asks again after a pause, which doubles from 1 ms to 50 ms
//   notification   stage 6: each process hears of a release, and all its waiters ask
//   queue          the fair queue around stage 6: only the waiter whose turn it is asks
//   quorum_polling, quorum_own: stage 8 on five servers, by polling and as it waits itself
//                  (not with 10,000 waiters, since it may not end)
//   quorum_queue   the fair queue around stage 7 on five servers
//
// First somebody holds the lock (counters idle_commands_per_s, idle_server_percent,
// idle_client_percent: of one CPU, all servers and all clients). Then it is released, and goes from
// waiter to waiter, each of which releases it at once and wants it again (releases_per_s,
// commands_per_release, server_us_per_release, client_us_per_release). failed: tries without an
// answer in time, or without a connection, while it goes round.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "tools/bench/cases/case.h"
#include "tools/bench/measure/contention.h"
#include "tools/bench/measure/line_process.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Way {
  std::string name;
  int stage;
  std::string fixture_way;
  bool polls;
};

struct Plan {
  Way way;
  int processes;
  int threads;  // in each process
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {.name = "polling", .stage = 6, .fixture_way = "polling", .polls = true},
      {.name = "notification", .stage = 6, .fixture_way = "own", .polls = false},
      {.name = "queue", .stage = 6, .fixture_way = "fair_queue", .polls = false},
      {.name = "quorum_polling", .stage = 8, .fixture_way = "own", .polls = true},
      {.name = "quorum_own", .stage = 8, .fixture_way = "own", .polls = false},
      {.name = "quorum_queue", .stage = 7, .fixture_way = "fair_queue", .polls = false}};
  return all;
}

// The work that is done so far.
struct Done {
  Clock::time_point when;
  double commands = 0;
  double server_cpu = 0;  // s
  double client_cpu = 0;  // s
  double acquired = 0;
  double failed = 0;
};

class Crowd {
 public:
  Crowd(const Kit& kit, const Plan& plan, const WorkerPlan& work,
        std::vector<std::unique_ptr<Node>>& nodes)
      : directory_(kit.reaper), nodes_(nodes) {
    auto orders = to_json(work);
    orders["threads"] = plan.threads;
    orders["polls"] = plan.way.polls;
    while (processes_.size() < static_cast<std::size_t>(plan.processes)) {
      processes_.push_back(std::make_unique<LineProcess>(kit, LAB_BENCH_WAITERS, orders.dump(),
                                                         directory_.path() / "log"));
    }
    // Not before all have made their connections: the servers have little time then.
    for (const auto& process : processes_) process->write_line("begin");
    for (const auto& process : processes_) (void)process->read_line();
  }

  [[nodiscard]] Done so_far() {
    Done done{.when = Clock::now()};
    for (const auto& node : nodes_) {
      // Those that clients send: a lock's other commands are called by its scripts.
      const auto calls = node->calls();
      for (const auto* name : {"evalsha", "eval", "subscribe", "unsubscribe", "ping"}) {
        const auto found = calls.find(name);
        if (found != calls.end()) done.commands += static_cast<double>(found->second);
      }
      done.server_cpu += node->info("cpu", {"used_cpu_sys", "used_cpu_user"});
    }
    for (const auto& process : processes_) process->write_line("count");
    for (const auto& process : processes_) {
      std::istringstream line(process->read_line());
      double acquired = 0;
      double failed = 0;
      if (!(line >> acquired >> failed)) throw WrongResult("a client of the benchmark is gone");
      done.acquired += acquired;
      done.failed += failed;
      done.client_cpu += process->cpu_time().count();
    }
    return done;
  }

 private:
  faults::TempDir directory_;
  std::vector<std::unique_ptr<Node>>& nodes_;
  std::vector<std::unique_ptr<LineProcess>> processes_;
};

struct Span {
  Done before;
  Done after;
  [[nodiscard]] double seconds() const { return Seconds(after.when - before.when).count(); }
  [[nodiscard]] double of(double Done::*what) const { return after.*what - before.*what; }
};

Span watch(Crowd& crowd, milliseconds time) {
  auto before = crowd.so_far();
  std::this_thread::sleep_for(time);
  return {.before = before, .after = crowd.so_far()};
}

Figures figures_of(const Span& idle, const Span& busy) {
  const auto percent = [&](double Done::*what) { return 100 * idle.of(what) / idle.seconds(); };
  const double releases = std::max(busy.of(&Done::acquired), 1.0);
  return {.time = Seconds(busy.seconds() / releases),
          .counters = {{"idle_commands_per_s", idle.of(&Done::commands) / idle.seconds()},
                       {"idle_server_percent", percent(&Done::server_cpu)},
                       {"idle_client_percent", percent(&Done::client_cpu)},
                       {"releases_per_s", busy.of(&Done::acquired) / busy.seconds()},
                       {"commands_per_release", busy.of(&Done::commands) / releases},
                       {"server_us_per_release", 1e6 * busy.of(&Done::server_cpu) / releases},
                       {"client_us_per_release", 1e6 * busy.of(&Done::client_cpu) / releases},
                       {"failed", busy.of(&Done::failed)}}};
}

// A server that is overloaded may answer too late.
void release(core::Lock& lock) {
  constexpr int tries = 30;
  for (int i = 0; i < tries; ++i) {
    const auto outcome = lock.release();
    if (outcome == core::Release::released) return;
    if (outcome != core::Release::unknown) break;
  }
  throw WrongResult("a lock that was held was not released");
}

Figures measure(const Plan& plan, const Kit& kit, const Scale& scale) {
  auto nodes = start_nodes(kit, plan.way.stage < first_on_a_quorum ? 1 : quorum_nodes);
  WorkerPlan work{.fixture = {.stage = plan.way.stage, .way = plan.way.fixture_way}};
  for (const auto& node : nodes) {
    work.fixture.nodes.push_back(node->tcp());
    node->direct().command({"CONFIG", "SET", "maxclients", "15000"});
  }
  const auto fixture = make_fixture(work.fixture);
  const auto holder = fixture->make("lock").lock;
  if (holder->try_acquire() != core::Acquire::acquired) {
    throw WrongResult("a lock that nobody holds was not acquired");
  }
  Crowd crowd(kit, plan, work, nodes);
  // All have been refused once by then, and have connected.
  const int waiters = plan.processes * plan.threads;
  std::this_thread::sleep_for(scale.watched / 2 + std::chrono::microseconds(500) * waiters);
  const auto idle = watch(crowd, scale.watched);
  release(*holder);
  return figures_of(idle, watch(crowd, scale.watched));
}

// More waiters of stage 8's lock were not done after five minutes.
constexpr int most_of_stage_8 = 1'000;

}  // namespace

std::vector<Case> waiting_cases(const Scale& scale) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& place, int processes, int threads) {
    for (const auto& way : ways()) {
      if (way.stage == 8 && processes * threads > most_of_stage_8) continue;
      const Plan plan{.way = way, .processes = processes, .threads = threads};
      cases.push_back({.name = fmt::format("waiting/{}/{}", place, way.name),
                       .most_repetitions = 1,
                       .measure = [plan](const Kit& kit, const Scale& how_much) {
                         return measure(plan, kit, how_much);
                       }});
    }
  };
  for (const int waiters : {10, 100, 1'000, 10'000}) {
    const int processes = std::min(10, waiters / 5);
    if (scale.everything || waiters == scale.most_waiting)
      add(fmt::format("waiters{:05}", waiters), processes, waiters / processes);
  }
  if (scale.everything) add("processes00100", 100, 1);
  return cases;
}

}  // namespace bench
