#include "faults/explore/states/state_graph.h"

#include <algorithm>

namespace explore {

StateGraph::Visit StateGraph::visit(const Met& met) {
  const std::lock_guard guard(mutex_);
  Visit visit{.mine = std::vector<bool>(met.events.size(), true)};
  const auto found = places_.find(met.state);
  visit.is_known = found != places_.end();
  if (!visit.is_known && !has_room()) {
    full_ = true;
    return visit;
  }
  visit.place = visit.is_known ? found->second : static_cast<Place>(nodes_.size());
  if (!visit.is_known) {
    places_.emplace(met.state, visit.place);
    nodes_.push_back(
        {.from = met.from, .event = number_of(met.event), .broken = number_of(met.broken)});
  }
  for (std::size_t i = 0; i < met.events.size(); ++i) {
    visit.mine[i] = find_edge(visit.place, met.events[i]) == nullptr;
    if (!visit.mine[i]) continue;
    nodes_[visit.place].edges.push_back({.event = number_of(met.events[i])});
    ++edges_;
  }
  if (met.from == nowhere) return visit;
  for (auto& edge : nodes_[met.from].edges) {
    if (names_[edge.event] == met.event) edge.next = visit.place;
  }
  return visit;
}

// What a state takes, with its edges: measured to be about twice the size of its parts.
bool StateGraph::has_room() const {
  constexpr std::size_t state_bytes = 2 * (sizeof(Node) + sizeof(StateHash) + 3 * sizeof(void*));
  return nodes_.size() * state_bytes + static_cast<std::size_t>(edges_) * 2 * sizeof(Edge) <
         most_bytes_;
}

std::uint32_t StateGraph::number_of(const std::string& name) {
  const auto [found, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return found->second;
}

const StateGraph::Edge* StateGraph::find_edge(Place place, const std::string& event) const {
  const auto number = numbers_.find(event);
  if (place == nowhere || number == numbers_.end()) return nullptr;
  const auto& edges = nodes_[place].edges;
  const auto found = std::find_if(edges.begin(), edges.end(),
                                  [&](const Edge& edge) { return edge.event == number->second; });
  return found == edges.end() ? nullptr : &*found;
}

void StateGraph::judge(Place place, const std::string& broken) {
  const std::lock_guard guard(mutex_);
  if (place == nowhere) return;
  nodes_[place].broken = number_of(broken);
  nodes_[place].is_judged = true;
}

bool StateGraph::has(Place place, const std::string& event) const {
  const std::lock_guard guard(mutex_);
  return find_edge(place, event) != nullptr;
}

long StateGraph::states() const {
  const std::lock_guard guard(mutex_);
  return static_cast<long>(nodes_.size());
}

long StateGraph::edges() const {
  const std::lock_guard guard(mutex_);
  return edges_;
}

long StateGraph::open_edges() const {
  const std::lock_guard guard(mutex_);
  long open = 0;
  for (const auto& node : nodes_) {
    open += std::count_if(node.edges.begin(), node.edges.end(),
                          [](const Edge& edge) { return edge.next == nowhere; });
  }
  return open;
}

bool StateGraph::is_full() const {
  const std::lock_guard guard(mutex_);
  return full_;
}

StateGraph::Place StateGraph::find(const StateHash& state) const {
  const std::lock_guard guard(mutex_);
  const auto found = places_.find(state);
  return found == places_.end() ? nowhere : found->second;
}

StateGraph::Place StateGraph::next(Place place, const std::string& event) const {
  const std::lock_guard guard(mutex_);
  const auto* edge = find_edge(place, event);
  return edge == nullptr ? nowhere : edge->next;
}

std::optional<std::string> StateGraph::broken_at(Place place) const {
  const std::lock_guard guard(mutex_);
  if (place == nowhere || !nodes_[place].is_judged) return std::nullopt;
  return names_[nodes_[place].broken];
}

std::vector<std::string> StateGraph::path_to(Place place) const {
  const std::lock_guard guard(mutex_);
  std::vector<std::string> events;
  for (; place != nowhere && nodes_[place].from != nowhere; place = nodes_[place].from) {
    events.push_back(names_[nodes_[place].event]);
  }
  std::reverse(events.begin(), events.end());
  return events;
}

StateGraph::Way StateGraph::way_on(Place place, const Way& way, const Edge& edge) const {
  const bool is_first = way.from == nowhere;
  const bool is_switch =
      !is_first && names_[edge.event].substr(0, 1) != names_[way.event].substr(0, 1);
  return {.steps = way.steps + 1,
          .switches = way.switches + (is_switch ? 1 : 0),
          .from = place,
          .event = edge.event};
}

std::vector<std::string> StateGraph::shortest_to(const std::string& broken) const {
  const std::lock_guard guard(mutex_);
  std::vector<Way> ways(nodes_.size());
  std::vector<Place> reached;
  if (!nodes_.empty()) reached.push_back(0);
  if (!nodes_.empty()) ways[0].steps = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto place = reached[i];
    for (const auto& edge : nodes_[place].edges) {
      if (edge.next == nowhere) continue;
      const auto way = way_on(place, ways[place], edge);
      auto& best = ways[edge.next];
      if (best.steps < way.steps) continue;
      if (best.steps > way.steps) reached.push_back(edge.next);
      if (best.steps > way.steps || best.switches > way.switches) best = way;
    }
  }
  const auto found = std::find_if(reached.begin(), reached.end(), [&](Place place) {
    return names_[nodes_[place].broken].find(broken) != std::string::npos;
  });
  std::vector<std::string> events;
  if (found == reached.end()) return events;
  for (auto place = *found; ways[place].from != nowhere; place = ways[place].from) {
    events.push_back(names_[ways[place].event]);
  }
  std::reverse(events.begin(), events.end());
  return events;
}

}  // namespace explore
