// The states of a search: what of them a worker has to search, and the merges that it follows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "faults/explore/search/search_worker.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

std::string field(const State& state, std::string_view name) {
  const auto found = std::find_if(state.begin(), state.end(),
                                  [&](const StateField& field) { return field.name == name; });
  return found == state.end() ? std::string() : found->text;
}

// One of the events whose next state is known; nothing: there is none.
std::optional<std::size_t> known_event(const StateGraph& graph, StateGraph::Place place,
                                       const std::vector<std::string>& names, std::uint32_t dice) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto chosen = (dice + i) % names.size();
    if (graph.next(place, names[chosen]) != StateGraph::nowhere) return chosen;
  }
  return std::nullopt;
}

}  // namespace

AnonymousState SearchWorker::present_state(const std::string& left) {
  AnonymousState present;
  if (plan_.servers_are_alike) {
    present = controller_.state_without_names(left);
  } else {
    present.state = controller_.state(left);
  }
  std::erase_if(present.state, [&](const StateField& field) {
    return !plan_.forgets.empty() && field.name.starts_with(plan_.forgets);
  });
  return present;
}

void SearchWorker::enter_state(ChoicePoint& point, const std::string& left) {
  auto& graph = orders_.graph();
  const auto [state, servers] = present_state(left);
  point.names =
      names_in_graph(point.events, may_have_two_faults_, controller_.last_step(), servers);
  const auto [from, event] = last_choice();
  const auto is_awake = [&](std::size_t i) { return !point.sleeping.has(point.events[i]); };
  std::vector<std::string> awake;
  for (std::size_t i = 0; i < point.events.size(); ++i) {
    if (is_awake(i)) awake.push_back(point.names[i]);
  }
  const auto visit = graph.visit({.state = hash_of(state),
                                  .broken = field(state, "broken"),
                                  .from = from,
                                  .event = event,
                                  .events = std::move(awake)});
  point.place = visit.place;
  point.mine.assign(point.events.size(), false);
  std::size_t next = 0;
  for (std::size_t i = 0; i < point.events.size(); ++i) {
    if (is_awake(i)) point.mine[i] = visit.mine[next++];
  }
  for (std::size_t i = 0; i < point.events.size(); ++i) {
    const bool was_searched = !is_awake(i) && graph.has(point.place, point.names[i]);
    if (was_searched) point.sleeping.wake(point.events[i]);
  }
  point.chosen = point.next_from(0);
  merged_at_ = visit.is_known ? visit.place : StateGraph::nowhere;
}

std::pair<StateGraph::Place, std::string> SearchWorker::last_choice() const {
  if (path_.empty() || path_.back().names.empty()) return {StateGraph::nowhere, ""};
  return {path_.back().place, path_.back().names[path_.back().chosen]};
}

bool SearchWorker::ends_in_known_state(const std::string& left) {
  end_ = merged_at_ = StateGraph::nowhere;
  if (!plan_.merges || repeats_) return false;
  const auto [from, event] = last_choice();
  const auto state = present_state(left).state;
  const auto visit = orders_.graph().visit(
      {.state = hash_of(state), .broken = field(state, "broken"), .from = from, .event = event});
  end_ = visit.place;
  merged_at_ = visit.is_known ? visit.place : StateGraph::nowhere;
  return visit.is_known;
}

void SearchWorker::end_early(RunRecorder& recorder, SwitchLimit& limit,
                             const std::vector<FaultKind>& used) {
  if (is_followed()) {
    follow_merge(recorder, limit, used);
  } else {
    controller_.end();
  }
  if (plan_.merges) orders_.count(recorder.labels(), false);
}

// The run has met a known state, where nothing is left to choose. One in so many goes on all the
// same: each step must lead to the state that it led to before.
bool SearchWorker::is_followed() const {
  return merged_at_ != StateGraph::nowhere && plan_.followed > 0 &&
         number_of_choices() % static_cast<unsigned>(plan_.followed) == 0;
}

void SearchWorker::follow_merge(RunRecorder& recorder, SwitchLimit& limit,
                                std::vector<FaultKind> used) {
  auto& graph = orders_.graph();
  auto place = merged_at_;
  auto dice = number_of_choices();
  for (auto step = recorder.labels().size() - plan_.after.size();; ++step) {
    const auto events = limit.allowed(controller_.events(plan_.rules(used, faults_, step)));
    // Only after `events`: the state has what a fail-over needs if one may still come.
    const auto [state, servers] = present_state(plan_.left(used, faults_) + limit.state());
    const auto names = names_in_graph(events, faults_ - static_cast<int>(used.size()) > 1,
                                      controller_.last_step(), servers);
    if (graph.find(hash_of(state)) != place) throw_merged_wrongly(recorder.labels(), state, place);
    const auto chosen = known_event(graph, place, names, dice);
    if (!chosen) return compare_end(recorder, place, events.empty());
    const auto& event = events[*chosen];
    place = graph.next(place, names[*chosen]);
    if (const auto kind = fault_kind_of(event.kind)) used.push_back(*kind);
    limit.chosen(event);
    recorder.choose(event);
    dice = dice * 31 + 7;
  }
}

void SearchWorker::compare_end(RunRecorder& recorder, StateGraph::Place place, bool has_ended) {
  const auto before = orders_.graph().broken_at(place);
  if (!has_ended || !before) return controller_.end();
  const auto run = recorder.finish();
  if (broken_properties(run) == *before) return;
  throw Diverged(fmt::format(
      "two orders were taken for one, and break different properties, so nothing that this search "
      "found counts\n  before: {}\n  now:    {}\n  its steps: {}",
      *before, broken_properties(run), fmt::join(run.labels, ", ")));
}

void SearchWorker::throw_merged_wrongly(std::vector<std::string> steps, const State& now,
                                        StateGraph::Place place) {
  if (plan_.servers_are_alike) {
    controller_.end();
    throw Diverged(fmt::format(
        "two orders were taken for one, and differ later, so nothing that this search found "
        "counts\n  the lock may treat its servers differently: search it without --alike\n"
        "  the steps of one: {}",
        fmt::join(steps, ", ")));
  }
  auto other = plan_.after;
  other.insert(other.end(), plan_.prefix.begin(), plan_.prefix.end());
  for (const auto& name : orders_.graph().path_to(place)) other.push_back(label_in(name));
  controller_.end();
  throw Diverged(fmt::format(
      "two orders were taken for one, and differ later, so nothing that this search found counts\n"
      "  in {}\n  the one:   {}\n  the other: {}",
      difference_after(other, now), fmt::join(other, ", "), fmt::join(steps, ", ")));
}

// In what the state after these steps differs from `now`.
std::string SearchWorker::difference_after(const std::vector<std::string>& steps,
                                           const State& now) {
  RunRecorder recorder(controller_);
  try {
    recorder.follow({.lock = controller_.plan().stage.name, .steps = steps_from(steps)});
  } catch (const faults::CannotRun&) {
    return "what can happen: the one order is a mixture of both";
  }
  // The state has what the replicas have if a server may still fail over.
  const bool has_replicas = std::any_of(now.begin(), now.end(), [](const StateField& field) {
    return field.name.starts_with("replica of");
  });
  (void)controller_.events({.faults = has_replicas ? plan_.faults : 0});
  auto before = present_state("").state;
  controller_.end();
  before.back() = now.back();  // what is left
  return first_difference(before, now).value_or("what is left");
}

}  // namespace explore
