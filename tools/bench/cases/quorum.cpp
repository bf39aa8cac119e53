// The cost of several nodes: acquire and release of stages 7 and 8 on 1, 3, 5 and 7 of them.
//
// Measured interleaved with (see interleaved.h) the same lock on one of the nodes, and three bare
// loops that send the same commands to the same nodes: one after another, to all at once waiting
// for all, and to all at once waiting for the first majority, which is the limit of a lock on a
// quorum. Then with a network of 0.25 ms each way (the kit's links: a thread of this process for
// each CPU carries every message, which costs more the more nodes there are), and with one node
// that is 10 ms away, or frozen. Counters: pairs_per_s, p50_us, p99_us; to_one_node,
// to_waiting_for_all, to_one_after_another, to_first_majority (how many times as fast);
// p50_to_healthy (with a slow or frozen node: its p50, by that without).
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "faults/kit/history.h"
#include "faults/kit/link.h"
#include "faults/kit/loop.h"
#include "tools/bench/cases/case.h"
#include "tools/bench/measure/acquire_and_release.h"
#include "tools/bench/measure/baseline.h"
#include "tools/bench/measure/fixture.h"
#include "tools/bench/measure/interleaved.h"
#include "tools/bench/measure/quorum_baseline.h"
#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

using std::chrono::microseconds;

struct QuorumPlan {
  int stage = first_on_a_quorum;
  std::size_t nodes = 5;
  microseconds each_way{0};       // to every node
  microseconds last_each_way{0};  // to the last node, if it is another
  bool last_is_frozen = false;

  // Are all of them far?
  [[nodiscard]] bool is_far() const { return each_way != microseconds(0); }
};

// One pair with far nodes takes as long as several with near ones, so fewer of them are measured.
// (Their p99 is one of the slowest two or three.)
constexpr int far_takes = 4;

// Nodes, and the network between them and us.
class Network {
 public:
  Network(const Kit& kit, const QuorumPlan& plan)
      : directory_(kit.reaper),
        history_(directory_.path() / "history.jsonl"),
        nodes_(start_nodes(kit, plan.nodes)) {
    for (const auto& node : nodes_) addresses_.push_back(node->tcp());
    for (std::size_t i = 0; i < plan.nodes; ++i) {
      const bool is_odd_one = i + 1 == plan.nodes && plan.last_each_way != microseconds(0);
      move(i, is_odd_one ? plan.last_each_way : plan.each_way);
    }
  }

  [[nodiscard]] const std::vector<core::Address>& addresses() const { return addresses_; }
  [[nodiscard]] Node& last() { return *nodes_.back(); }

 private:
  // Puts node `i` that far away.
  void move(std::size_t i, microseconds each_way) {
    if (each_way == microseconds(0)) return;
    const auto cpus = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
    if (loops_.size() < cpus) loops_.push_back(std::make_unique<faults::Loop>());
    links_.push_back(std::make_unique<faults::Link>(*loops_[i % loops_.size()], history_, "bench",
                                                    "node", nodes_[i]->tcp(),
                                                    faults::Link::Notes::none));
    links_.back()->set_latency(each_way);
    addresses_[i] = links_.back()->address();
  }

  faults::TempDir directory_;
  faults::History history_;
  std::vector<std::unique_ptr<Node>> nodes_;
  // One for each CPU: on fewer threads links would wait for each other, as no network does; more
  // threads only take turns.
  std::vector<std::unique_ptr<faults::Loop>> loops_;
  std::vector<std::unique_ptr<faults::Link>> links_;
  std::vector<core::Address> addresses_;
};

// A lock on a network's nodes, or on some of them.
class LockOn {
 public:
  LockOn(int stage, const std::vector<core::Address>& nodes, const std::string& key)
      : fixture_(make_fixture({.stage = stage, .nodes = nodes})), lock_(fixture_->make(key).lock) {
    once();  // the scripts are there now
  }

  void once() { acquire_and_release(*lock_); }

 private:
  std::unique_ptr<Fixture> fixture_;
  std::unique_ptr<core::Lock> lock_;
};

// The same lock on one node, on each of a network's nodes in turn. A server that happens to share
// its CPU with the client answers much faster than one that has to be woken on another CPU, and it
// stays there: two locks on different single servers would not be equally fast. It has a key of its
// own, since the release of a lock on all nodes may still be under way to the last.
class OnOneNode {
 public:
  OnOneNode(int stage, const std::vector<core::Address>& nodes) {
    for (const auto& node : nodes) {
      locks_.push_back(std::make_unique<LockOn>(stage, std::vector{node}, "lock on one node"));
    }
  }

  void once() { locks_[turn_++ % locks_.size()]->once(); }

 private:
  std::vector<std::unique_ptr<LockOn>> locks_;
  std::size_t turn_ = 0;
};

Figures figures_of(const Measured& lock) {
  return {.time = std::chrono::duration<double>(1 / lock.per_second()),
          .counters = {{"pairs_per_s", lock.per_second()},
                       {"p50_us", in_us(lock.at(0.5))},
                       {"p99_us", in_us(lock.at(0.99))}}};
}

Figures measure_healthy(const QuorumPlan& plan, const Kit& kit, const Scale& scale) {
  Network network(kit, plan);
  const auto& nodes = network.addresses();
  OnOneNode one(plan.stage, nodes);
  // Recorded on a single node: of several, the last may receive the release after it has returned.
  LockOn solo(plan.stage, {network.last().tcp()}, "lock");
  const auto commands = commands_during(network.last().tcp(), [&] { solo.once(); });
  QuorumBaseline simple(nodes, commands);
  QuorumBaseline limit(nodes, commands);
  LockOn many(plan.stage, nodes, "lock");
  const auto timed = measure_interleaved(
      {{.name = "lock", .once = [&] { many.once(); }},
       {.name = "one node", .once = [&] { one.once(); }},
       {.name = "waiting for all", .once = [&] { simple.wait_for_all(); }},
       {.name = "one after another", .once = [&] { simple.one_after_another(); }},
       {.name = "first majority", .once = [&] { limit.wait_for_first_majority(); }}},
      scale.rounds, plan.is_far() ? std::max(scale.batch / far_takes, 1) : scale.batch);
  auto figures = figures_of(timed[0]);
  figures.counters["to_one_node"] = speed_ratio(timed[0], timed[1]);
  figures.counters["to_waiting_for_all"] = speed_ratio(timed[0], timed[2]);
  figures.counters["to_one_after_another"] = speed_ratio(timed[0], timed[3]);
  figures.counters["to_first_majority"] = speed_ratio(timed[0], timed[4]);
  return figures;
}

// The two locks share all servers but one.
Figures measure_with_a_bad_node(const QuorumPlan& plan, const Kit& kit, const Scale& scale) {
  auto one_more = plan;
  ++one_more.nodes;
  Network network(kit, one_more);
  auto good = network.addresses();
  good.pop_back();
  auto with_the_last = good;
  with_the_last.back() = network.addresses().back();
  OnOneNode one(plan.stage, good);
  LockOn healthy(plan.stage, good, "healthy");
  LockOn bad(plan.stage, with_the_last, "bad");
  if (plan.last_is_frozen) network.last().process().freeze();
  const auto timed = measure_interleaved({{.name = "bad", .once = [&] { bad.once(); }},
                                          {.name = "healthy", .once = [&] { healthy.once(); }},
                                          {.name = "one node", .once = [&] { one.once(); }}},
                                         scale.rounds, scale.batch);
  auto figures = figures_of(timed[0]);
  figures.counters["to_one_node"] = speed_ratio(timed[0], timed[2]);
  figures.counters["p50_to_healthy"] = in_us(timed[0].at(0.5)) / in_us(timed[1].at(0.5));
  return figures;
}

Case make_case(const std::string& network, const QuorumPlan& plan) {
  const bool healthy = !plan.last_is_frozen && plan.last_each_way == microseconds(0);
  return {.name = fmt::format("quorum/{}/stage{}", network, plan.stage),
          .measure = [plan, healthy](const Kit& kit, const Scale& scale) {
            return healthy ? measure_healthy(plan, kit, scale)
                           : measure_with_a_bad_node(plan, kit, scale);
          }};
}

}  // namespace

std::vector<Case> quorum_cases(const Scale& scale) {
  constexpr microseconds far{250};
  std::vector<Case> cases;
  for (int stage = first_on_a_quorum; stage <= stages; ++stage) {
    for (const std::size_t nodes : {1, 3, 5, 7}) {
      if (!scale.everything && nodes != 5) continue;
      const QuorumPlan near{.stage = stage, .nodes = nodes};
      cases.push_back(make_case(fmt::format("nodes{}", nodes), near));
      cases.push_back(make_case(fmt::format("nodes{}_far", nodes),
                                {.stage = stage, .nodes = nodes, .each_way = far}));
    }
    // The cost of a bad node is decided in code that the two stages share.
    if (!scale.everything && stage > first_on_a_quorum) continue;
    cases.push_back(make_case("nodes5_one_slow",
                              {.stage = stage, .last_each_way = std::chrono::milliseconds(10)}));
    cases.push_back(make_case("nodes5_one_frozen", {.stage = stage, .last_is_frozen = true}));
  }
  return cases;
}

}  // namespace bench
