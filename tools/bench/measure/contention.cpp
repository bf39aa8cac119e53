#include "tools/bench/measure/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tools/bench/measure/wrong_result.h"
#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

using nlohmann::json;

// No client has the lock before its predecessor begins to release it.
void must_exclude_each_other(const Acquisitions& in_order) {
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    if (in_order[i].acquired >= in_order[i - 1].releasing) continue;
    throw WrongResult(
        fmt::format("two clients had the lock at once, for {} us",
                    (in_order[i - 1].releasing - in_order[i].acquired).count() / 1000));
  }
}

// The times from the begin of a release until the next client has the lock, if it waited by then;
// of the acquisitions that count.
template <typename Counts>
std::vector<Nanoseconds> handoffs(const Acquisitions& in_order, Counts counts) {
  std::vector<Nanoseconds> times;
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    const auto& before = in_order[i - 1];
    const bool waited = in_order[i].asked < before.releasing;
    if (waited && counts(in_order[i])) times.push_back(in_order[i].acquired - before.releasing);
  }
  return times;
}

// How often each client got the lock between `begin` and `end`.
std::vector<double> counts_of(const std::vector<Acquisitions>& clients, Nanoseconds begin,
                              Nanoseconds end) {
  std::vector<double> counts;
  for (const auto& acquisitions : clients) {
    counts.push_back(static_cast<double>(std::count_if(
        acquisitions.begin(), acquisitions.end(),
        [&](const Acquisition& each) { return each.acquired >= begin && each.acquired < end; })));
  }
  return counts;
}

// All of them, in the order in which the lock was got.
Acquisitions in_order(const std::vector<Acquisitions>& clients) {
  Acquisitions all;
  for (const auto& each : clients) all.insert(all.end(), each.begin(), each.end());
  std::sort(all.begin(), all.end(), [](const Acquisition& one, const Acquisition& other) {
    return one.acquired < other.acquired;
  });
  return all;
}

}  // namespace

json to_json(const WorkerPlan& plan) {
  json nodes = json::array();
  for (const auto& node : plan.fixture.nodes) nodes.push_back(node.text());
  return {{"stage", plan.fixture.stage},
          {"nodes", nodes},
          {"way", plan.fixture.way},
          {"held_ns", plan.held.count()},
          {"pause_ns", plan.pause.count()}};
}

WorkerPlan worker_plan(const json& object) {
  WorkerPlan plan{.fixture = {.stage = object.at("stage"), .way = object.at("way")},
                  .held = Nanoseconds(object.at("held_ns").get<std::int64_t>()),
                  .pause = Nanoseconds(object.at("pause_ns").get<std::int64_t>())};
  for (const auto& node : object.at("nodes")) {
    plan.fixture.nodes.push_back(core::Address::parse(node.get<std::string>()));
  }
  return plan;
}

json to_json(const Acquisitions& acquisitions) {
  auto array = json::array();
  for (const auto& acquisition : acquisitions) {
    array.push_back({acquisition.asked.count(), acquisition.acquired.count(),
                     acquisition.releasing.count(), acquisition.released.count()});
  }
  return array;
}

Acquisitions acquisitions_from(const json& array) {
  Acquisitions acquisitions;
  for (const auto& acquisition : array) {
    const auto at = [&](std::size_t i) {
      return Nanoseconds(acquisition.at(i).get<std::int64_t>());
    };
    acquisitions.push_back(
        {.asked = at(0), .acquired = at(1), .releasing = at(2), .released = at(3)});
  }
  return acquisitions;
}

ContentionStats contention_stats(const std::vector<Acquisitions>& clients, Nanoseconds begin,
                                 Nanoseconds end) {
  auto all = in_order(clients);
  must_exclude_each_other(all);
  // A client that asked before the end counts, even if it got the lock only afterwards: it waited.
  const auto counts = [&](const Acquisition& acquisition) {
    return acquisition.acquired >= begin && acquisition.asked < end;
  };
  auto times = handoffs(all, counts);
  std::erase_if(all, [&](const Acquisition& acquisition) { return !counts(acquisition); });
  if (all.empty()) throw WrongResult("nobody had the lock while it counted");
  std::vector<Nanoseconds> waits;
  for (const auto& acquisition : all) waits.push_back(acquisition.acquired - acquisition.asked);
  if (times.empty()) times.push_back(Nanoseconds(0));  // nobody ever waited
  const auto lucky = counts_of(clients, begin, end);
  const auto [least, most] = std::minmax_element(lucky.begin(), lucky.end());
  const std::chrono::duration<double> time = end - begin;
  return {.per_second = std::accumulate(lucky.begin(), lucky.end(), 0.0) / time.count(),
          .handoff_p50 = percentile(times, 0.5),
          .handoff_p99 = percentile(times, 0.99),
          .wait_p999 = percentile(waits, 0.999),
          .longest_wait = percentile(waits, 1),
          .least = *least,
          .most = *most};
}

}  // namespace bench
