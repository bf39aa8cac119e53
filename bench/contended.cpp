// Eight clients in eight processes want one lock: each holds it, leaves it alone for a while, and
// comes again.
//
// Counters: per_s (acquisitions), ceiling_per_s and of_ceiling; handoff_p50_us and handoff_p99_us
// (a release begins → the next, who waited by then, has the lock); pair_p50_us (acquire and release
// of one client alone, for comparison); commands (sent by clients, for one acquisition; without
// heartbeats) and heartbeats_per_s; wait_p999_ms, longest_wait_ms; least, most and luck (how often
// the unluckiest and the luckiest client had the lock, and the second by the first).
//
// The first 50 ms do not count, but for `commands`: who waits for the first time connects,
// subscribes and starts threads.
//
// The ceiling: the lock is held for `held` and then somebody else has it at once, so no more than
// 1 / held; and each client comes back only after `held` + `pause`, so no more than
// clients / (held + pause). Held for no time, 1 / (one pair alone) stands for the first.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/case.h"
#include "bench/crowd.h"
#include "bench/pair.h"
#include "bench/replay.h"
#include "bench/statistics.h"
#include "faults/kit/errors.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t clients = 8;
constexpr std::size_t quorum_nodes = 5;

struct Plan {
  int stage = 1;
  std::string way = "own";
  milliseconds held{0};
  milliseconds pause{0};
};

class Worker {
 public:
  Worker(const Kit& kit, const WorkerPlan& plan, const std::filesystem::path& log)
      : process_({.program = LAB_BENCH_WORKER, .arguments = {"worker"}, .log = log}, kit.reaper) {
    say(to_json(plan).dump());
    if (const auto word = line(); word != "ready") throw WrongResult(why(word));
  }

  void say(const std::string& text) {
    const auto whole = text + "\n";
    if (write(process_.input().get(), whole.data(), whole.size()) < 0) {
      throw WrongResult("a client of the benchmark is gone");
    }
  }

  [[nodiscard]] Turns turns() {
    const auto told = line();
    const auto object = nlohmann::json::parse(told, nullptr, false);
    if (!object.is_array()) throw WrongResult(why(told));
    return turns_from(object);
  }

 private:
  static std::string why(const std::string& told) {
    const auto object = nlohmann::json::parse(told, nullptr, false);
    return object.is_object() ? object.value("error", told)
                              : "a client of the benchmark ended before its time";
  }

  // The next line that it writes, which may come in many pieces.
  std::string line() {
    std::array<char, 65'536> bytes{};
    while (unread_.find('\n') == std::string::npos) {
      const auto count = read(process_.output().get(), bytes.data(), bytes.size());
      if (count <= 0) break;
      unread_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    const auto end = std::min(unread_.find('\n'), unread_.size());
    auto first = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    return first;
  }

  faults::Process process_;
  std::string unread_;
};

// How often each command has been sent or, inside a script, called; at all nodes.
std::map<std::string, long long> calls_at(const std::vector<std::unique_ptr<Node>>& nodes) {
  std::map<std::string, long long> sum;
  for (const auto& node : nodes) {
    for (const auto& [name, count] : node->calls()) sum[name] += count;
  }
  return sum;
}

// What the lock costs alone, and which commands it sends: in the statistics of a server those stand
// beside the ones that scripts call.
struct Alone {
  double pair_us = 0;
  std::set<std::string> commands{"eval", "evalsha", "subscribe", "unsubscribe"};
};

Alone measure_alone(Stand& stand, Node& node) {
  constexpr int pairs = 200;
  const auto lock = stand.make("alone").lock;
  acquire_and_release(*lock);
  Alone alone;
  std::vector<double> times;
  for (int i = 0; i < pairs; ++i) {
    const auto begin = Clock::now();
    acquire_and_release(*lock);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  alone.pair_us = median(times);
  for (auto& words : heard_during(node.tcp(), [&] { acquire_and_release(*lock); })) {
    auto& name = words.front();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    alone.commands.insert(name);
  }
  return alone;
}

double ceiling(const Plan& plan, const Alone& alone) {
  using Seconds = std::chrono::duration<double>;
  const double held = Seconds(plan.held).count();
  const double around = Seconds(plan.held + plan.pause).count();
  const double by_lock = 1 / (held > 0 ? held : alone.pair_us / 1e6);
  return around > 0 ? std::min(by_lock, static_cast<double>(clients) / around) : by_lock;
}

struct Played {
  std::vector<Turns> turns;
  Nanoseconds start{0};
  Nanoseconds begin{0};  // of what counts
  Nanoseconds end{0};
};

Played play(std::vector<std::unique_ptr<Worker>>& workers, milliseconds time) {
  constexpr milliseconds until_all_heard{20};
  constexpr milliseconds warming_up{50};
  Played played;
  played.start = Clock::now().time_since_epoch() + until_all_heard;
  played.begin = played.start + warming_up;
  played.end = played.begin + time;
  for (auto& worker : workers) {
    worker->say(fmt::format("{} {}", played.start.count(), played.end.count()));
  }
  for (auto& worker : workers) played.turns.push_back(worker->turns());
  return played;
}

Figures figures_of(const Crowd& crowd, double most_per_second, const Alone& alone) {
  // On a machine that stands still nobody may have had it: no time has no end.
  return {.time = std::chrono::duration<double>(1 / std::max(crowd.per_second, 1.0)),
          .counters = {{"per_s", crowd.per_second},
                       {"ceiling_per_s", most_per_second},
                       {"of_ceiling", crowd.per_second / most_per_second},
                       {"pair_p50_us", alone.pair_us},
                       {"handoff_p50_us", in_us(crowd.handoff_p50)},
                       {"handoff_p99_us", in_us(crowd.handoff_p99)},
                       {"wait_p999_ms", in_us(crowd.wait_p999) / 1'000},
                       {"longest_wait_ms", in_us(crowd.longest_wait) / 1'000},
                       {"least", crowd.least},
                       {"most", crowd.most},
                       {"luck", crowd.most / std::max(crowd.least, 1.0)}}};
}

Figures measure(const Plan& plan, const Kit& kit, const Scale& scale) {
  const faults::TempDir directory(kit.reaper);
  const auto nodes = start_nodes(kit, plan.stage < first_on_a_quorum ? 1 : quorum_nodes);
  WorkerPlan work{
      .stand = {.stage = plan.stage, .way = plan.way}, .held = plan.held, .pause = plan.pause};
  for (const auto& node : nodes) work.stand.nodes.push_back(node->tcp());
  const auto alone = measure_alone(*make_stand(work.stand), *nodes.front());
  std::vector<std::unique_ptr<Worker>> workers;
  while (workers.size() < clients) {
    workers.push_back(std::make_unique<Worker>(kit, work, directory.path() / "log"));
  }
  const auto before = calls_at(nodes);
  const auto played = play(workers, scale.contended);
  auto figures =
      figures_of(crowd_of(played.turns, played.begin, played.end), ceiling(plan, alone), alone);
  double acquisitions = 0;
  for (const auto& turns : played.turns) acquisitions += static_cast<double>(turns.size());
  double commands = 0;
  double heartbeats = 0;
  for (const auto& [name, count] : calls_at(nodes)) {
    const auto known = before.find(name);
    const auto more = static_cast<double>(count - (known == before.end() ? 0 : known->second));
    if (alone.commands.contains(name)) commands += more;
    if (name == "ping") heartbeats += more;
  }
  figures.counters["commands"] = commands / acquisitions;
  figures.counters["heartbeats_per_s"] =
      heartbeats / std::chrono::duration<double>(played.end - played.start).count();
  return figures;
}

}  // namespace

std::vector<Case> contended_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (const milliseconds held : {milliseconds(0), milliseconds(1)}) {
    for (const milliseconds pause : {milliseconds(0), milliseconds(5)}) {
      // Without everything: what is nearest to work.
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
