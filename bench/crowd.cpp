#include "bench/crowd.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/case.h"
#include "bench/statistics.h"

namespace bench {
namespace {

using nlohmann::json;

// Nobody has the lock before who had it last begins to give it back.
void must_exclude_each_other(const Turns& in_order) {
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    if (in_order[i].acquired >= in_order[i - 1].releasing) continue;
    throw WrongResult(
        fmt::format("two clients had the lock at once, for {} us",
                    (in_order[i - 1].releasing - in_order[i].acquired).count() / 1000));
  }
}

// From the beginning of each release to when the next one has the lock, if he waited by then. Of
// the turns that count.
template <typename Counts>
std::vector<Nanoseconds> handoffs(const Turns& in_order, Counts counts) {
  std::vector<Nanoseconds> times;
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    const auto& before = in_order[i - 1];
    const bool waited = in_order[i].asked < before.releasing;
    if (waited && counts(in_order[i])) times.push_back(in_order[i].acquired - before.releasing);
  }
  return times;
}

}  // namespace

json to_json(const WorkerPlan& plan) {
  json nodes = json::array();
  for (const auto& node : plan.stand.nodes) nodes.push_back(node.text());
  return {{"stage", plan.stand.stage},
          {"nodes", nodes},
          {"way", plan.stand.way},
          {"held_ns", plan.held.count()},
          {"pause_ns", plan.pause.count()}};
}

WorkerPlan worker_plan(const json& object) {
  WorkerPlan plan{.stand = {.stage = object.at("stage"), .way = object.at("way")},
                  .held = Nanoseconds(object.at("held_ns").get<std::int64_t>()),
                  .pause = Nanoseconds(object.at("pause_ns").get<std::int64_t>())};
  for (const auto& node : object.at("nodes")) {
    plan.stand.nodes.push_back(core::Address::parse(node.get<std::string>()));
  }
  return plan;
}

json to_json(const Turns& turns) {
  auto array = json::array();
  for (const auto& turn : turns) {
    array.push_back(
        {turn.asked.count(), turn.acquired.count(), turn.releasing.count(), turn.released.count()});
  }
  return array;
}

Turns turns_from(const json& array) {
  Turns turns;
  for (const auto& turn : array) {
    const auto at = [&](std::size_t i) { return Nanoseconds(turn.at(i).get<std::int64_t>()); };
    turns.push_back({.asked = at(0), .acquired = at(1), .releasing = at(2), .released = at(3)});
  }
  return turns;
}

Crowd crowd_of(const std::vector<Turns>& clients, Nanoseconds begin, Nanoseconds end) {
  Turns all;
  std::vector<double> lucky;
  for (const auto& turns : clients) {
    const auto is_between = [&](const Turn& turn) {
      return turn.acquired >= begin && turn.acquired < end;
    };
    lucky.push_back(static_cast<double>(std::count_if(turns.begin(), turns.end(), is_between)));
    all.insert(all.end(), turns.begin(), turns.end());
  }
  std::sort(all.begin(), all.end(),
            [](const Turn& one, const Turn& other) { return one.acquired < other.acquired; });
  must_exclude_each_other(all);
  // Who asked before the end and had to wait for longer than that counts as well: he waited.
  const auto counts = [&](const Turn& turn) { return turn.acquired >= begin && turn.asked < end; };
  auto times = handoffs(all, counts);
  std::erase_if(all, [&](const Turn& turn) { return !counts(turn); });
  if (all.empty()) throw WrongResult("nobody had the lock while it counted");
  std::vector<Nanoseconds> waits;
  for (const auto& turn : all) waits.push_back(turn.acquired - turn.asked);
  if (times.empty()) times.push_back(Nanoseconds(0));  // nobody ever waited
  const auto [least, most] = std::minmax_element(lucky.begin(), lucky.end());
  const std::chrono::duration<double> time = end - begin;
  double acquired = 0;
  for (const auto count : lucky) acquired += count;
  return {.per_second = acquired / time.count(),
          .handoff_p50 = percentile(times, 0.5),
          .handoff_p99 = percentile(times, 0.99),
          .wait_p999 = percentile(waits, 0.999),
          .longest_wait = percentile(waits, 1),
          .least = *least,
          .most = *most};
}

}  // namespace bench
