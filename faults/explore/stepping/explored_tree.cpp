#include "faults/explore/stepping/explored_tree.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "faults/explore/search/choice_point.h"
#include "faults/explore/search/option_names.h"
#include "faults/explore/search/switch_limit.h"
#include "faults/explore/stepping/moment_json.h"
#include "faults/judging/judge.h"

namespace explore {
namespace {

using nlohmann::json;

// Keeps each value once; a node has its index.
class Values {
 public:
  [[nodiscard]] std::ptrdiff_t index_of(const json& value) {
    const auto found = std::find(all_.begin(), all_.end(), value);
    const auto index = found - all_.begin();
    if (found == all_.end()) all_.push_back(value);
    return index;
  }
  [[nodiscard]] json all() const { return all_; }

 private:
  std::vector<json> all_;
};

// Each run has other tokens.
Snapshot without_tokens(Snapshot snapshot) {
  constexpr std::size_t longest = 14;
  for (auto& key : snapshot.keys) {
    if (key.value.size() > longest) key.value = "…";
  }
  return snapshot;
}

struct TreeNode {
  std::ptrdiff_t label = -1;
  std::ptrdiff_t time = 0;  // in milliseconds
  std::ptrdiff_t moment = -1;
  std::ptrdiff_t broken = -1;
  std::vector<TreeNode> next;
  bool is_seen = false;
};

// The nodes as they are written: alike ones once.
class SharedNodes {
 public:
  std::size_t index_of(const TreeNode& node) {
    std::vector<std::ptrdiff_t> written{node.time, node.moment, node.broken};
    for (const auto& next : node.next) {
      written.push_back(next.label);
      written.push_back(static_cast<std::ptrdiff_t>(index_of(next)));
    }
    const auto [found, is_new] = indices_.try_emplace(written, all_.size());
    if (is_new) all_.push_back(std::move(written));
    return found->second;
  }
  [[nodiscard]] json all() const { return all_; }

 private:
  std::map<std::vector<std::ptrdiff_t>, std::size_t> indices_;
  std::vector<std::vector<std::ptrdiff_t>> all_;
};

json nodes_below(const TreeNode& root) {
  SharedNodes nodes;
  nodes.index_of(root);
  return nodes.all();
}

json bounds_of(const WorldPlan& world, const SearchPlan& plan) {
  json judged = json::array();
  if (world.judged != properties_from("")) {
    for (const auto property : world.judged) judged.push_back(faults::to_string(property));
  }
  return {{"clients", world.clients},
          {"nodes", world.stage.nodes},
          {"faults", to_words(plan.faults)},
          {"at_most", plan.at_most},
          {"during", plan.during},
          {"in_order", plan.in_order},
          {"switches", plan.switches ? json(*plan.switches) : json(nullptr)},
          {"judged", judged}};
}

// Grows the tree run by run, depth first.
class Grower {
 public:
  Grower(Controller& controller, const SearchPlan& plan) : controller_(controller), plan_(plan) {}

  // Nothing: the budget is spent.
  [[nodiscard]] std::optional<json> grow() {
    const auto end = std::chrono::steady_clock::now() + plan_.budget;
    do {
      if (std::chrono::steady_clock::now() >= end) return std::nullopt;
      run_once();
      ++orders_;
    } while (backtrack(path_));
    return json{{"orders", orders_},         {"labels", labels_.all()},
                {"clients", clients_.all()}, {"keys", keys_.all()},
                {"servers", servers_.all()}, {"moments", moments_.all()},
                {"broken", broken_.all()},   {"nodes", nodes_below(root_)}};
  }

 private:
  void run_once() {
    RunRecorder recorder(controller_);
    SwitchLimit limit(plan_.switches, plan_.in_order);
    std::vector<FaultKind> used;
    auto* node = &root_;
    for (std::size_t step = 0;; ++step) {
      const auto events = limit.allowed(controller_.events(plan_.rules(used, plan_.at_most, step)));
      describe_node(*node, events);
      if (events.empty()) return end(recorder, *node);
      if (step == path_.size()) path_.push_back({.events = events, .end = events.size()});
      const auto chosen = path_[step].chosen;
      const auto& event = events.at(chosen);
      if (const auto kind = fault_kind_of(event.kind)) used.push_back(*kind);
      limit.chosen(event);
      recorder.choose(event);
      node = &node->next.at(chosen);
    }
  }

  void describe_node(TreeNode& node, const std::vector<Event>& events) {
    if (node.is_seen) return;
    node.is_seen = true;
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(controller_.run_time());
    node.time = now.count();
    node.moment = index_of(to_json(without_tokens(controller_.snapshot())));
    note_broken(node, faults::judge(controller_.record()));
    for (const auto& event : events) {
      auto& next = node.next.emplace_back();
      next.label = labels_.index_of({event.label, is_fault(event.kind)});
    }
  }

  [[nodiscard]] std::ptrdiff_t index_of(const json& snapshot) {
    json clients = json::array();
    for (const auto& client : snapshot["clients"]) clients.push_back(clients_.index_of(client));
    json keys = json::array();
    for (const auto& key : snapshot["keys"]) keys.push_back(keys_.index_of(key));
    return moments_.index_of({clients, servers_.index_of(keys)});
  }

  // The run is judged with the latecomer.
  void end(RunRecorder& recorder, TreeNode& leaf) {
    note_broken(leaf, recorder.finish().judgement);
  }

  void note_broken(TreeNode& node, const faults::Judgement& judgement) {
    if (!judgement.findings.empty()) node.broken = broken_.index_of(to_json(judgement));
  }

  Controller& controller_;
  const SearchPlan& plan_;
  std::vector<ChoicePoint> path_;
  TreeNode root_;
  Values labels_;
  Values clients_;
  Values keys_;
  Values servers_;
  Values moments_;
  Values broken_;
  long orders_ = 0;
};

}  // namespace

std::optional<json> explored_tree(const WorldPlan& world, const SearchPlan& plan,
                                  faults::Reaper& reaper) {
  Controller controller(world, reaper);
  auto tree = Grower(controller, plan).grow();
  if (!tree) return tree;
  (*tree)["lock"] = world.stage.name;
  (*tree)["bounds"] = bounds_of(world, plan);
  return tree;
}

}  // namespace explore
