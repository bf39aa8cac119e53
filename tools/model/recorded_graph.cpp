#include "tools/model/recorded_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "faults/explore/states/state.h"

namespace model {
namespace {

using explore::Controller;
using explore::Event;
using explore::FaultKind;
using explore::SearchPlan;
using explore::StateHash;

constexpr auto unknown = static_cast<std::size_t>(-1);

class GraphRecorder {
 public:
  GraphRecorder(Controller& controller, const SearchPlan& plan)
      : controller_(controller), plan_(plan) {
    plan_.reduced = false;
  }

  // Nothing: the budget is spent.
  [[nodiscard]] std::optional<RecordedGraph> record() {
    const auto end = std::chrono::steady_clock::now() + plan_.budget;
    run_through(0);
    for (std::size_t place = 0; place < graph_.states.size(); ++place) {
      while (next_new(place)) {
        if (std::chrono::steady_clock::now() >= end) return std::nullopt;
        run_through(place);
      }
    }
    return std::move(graph_);
  }

 private:
  // How a state was first reached.
  struct Way {
    std::size_t from = unknown;
    std::size_t event = 0;  // its index there
  };

  // A run along the known way to `place`, and then by events that no run has chosen.
  void run_through(std::size_t place) {
    controller_.begin();
    used_.clear();
    here_ = 0;
    for (const auto& way : way_to(place)) follow(way);
    enter({});
    if (here_ != place) throw_differs(place);
    for (auto new_event = next_new(here_); new_event; new_event = next_new(here_)) {
      choose({.from = here_, .event = *new_event});
    }
    controller_.end();
  }

  [[nodiscard]] std::vector<Way> way_to(std::size_t place) const {
    std::vector<Way> way;
    for (; place != 0; place = ways_[place].from) {
      way.push_back(ways_[place]);
    }
    std::reverse(way.begin(), way.end());
    return way;
  }

  [[nodiscard]] std::optional<std::size_t> next_new(std::size_t place) const {
    const auto& events = graph_.states[place];
    const auto found = std::find_if(events.begin(), events.end(),
                                    [](const auto& event) { return event.next == unknown; });
    if (found == events.end()) return std::nullopt;
    return static_cast<std::size_t>(found - events.begin());
  }

  // Chooses again what was chosen before. What can happen must be the same each time; whether the
  // state is, is looked at where the way ends.
  void follow(const Way& way) {
    look();
    must_agree();
    make_happen(events_.at(way.event));
    here_ = graph_.states[way.from][way.event].next;
  }

  void choose(const Way& way) {
    const auto before = controller_.record().size();
    make_happen(events_.at(way.event));
    enter(way);
    auto& chosen = graph_.states[way.from][way.event];
    const auto& record = controller_.record();
    if (chosen.next != unknown && chosen.next != here_) throw_differs(chosen.next);
    if (chosen.next == unknown) {
      chosen.history.assign(record.begin() + static_cast<std::ptrdiff_t>(before), record.end());
    }
    chosen.next = here_;
  }

  void make_happen(const Event& event) {
    if (const auto kind = explore::fault_kind_of(event.kind)) used_.push_back(*kind);
    controller_.choose(event);
  }

  void look() { events_ = controller_.events(plan_.rules(used_, plan_.at_most, used_.size() + 1)); }

  // The state that the world is in now.
  void enter(const Way& way) {
    look();
    auto state = controller_.state(plan_.left(used_, plan_.at_most));
    const auto [found, is_new] = places_.emplace(explore::hash_of(state), graph_.states.size());
    here_ = found->second;
    if (!is_new) return must_agree();
    ways_.push_back(way);
    states_.push_back(std::move(state));
    auto& events = graph_.states.emplace_back();
    for (const auto& event : events_) {
      events.push_back(
          {.kind = event.kind, .client = event.client, .label = event.label, .next = unknown});
    }
  }

  // The same can happen in a state whenever it is met.
  void must_agree() const {
    const auto& before = graph_.states[here_];
    const bool agree = std::equal(before.begin(), before.end(), events_.begin(), events_.end(),
                                  [](const auto& a, const auto& b) { return a.label == b.label; });
    if (!agree) throw_differs(here_);
  }

  // The world is not in the state `before`, or cannot do there what it could.
  [[noreturn]] void throw_differs(std::size_t before) const {
    std::vector<std::string> labels;
    for (const auto& [from, event] : way_to(before)) {
      labels.push_back(graph_.states[from][event].label);
    }
    throw explore::Diverged(fmt::format(
        "two orders were taken for one, and differ, so nothing that was compared counts\n"
        "  in {}\n  after: {}",
        explore::first_difference(states_[before], states_[here_]).value_or("what can happen"),
        fmt::join(labels, ", ")));
  }

  Controller& controller_;
  SearchPlan plan_;
  RecordedGraph graph_;
  std::vector<Way> ways_;  // of the same states
  std::vector<explore::State> states_;
  std::unordered_map<StateHash, std::size_t, explore::StateHasher> places_;
  // These are of the present run:
  std::vector<FaultKind> used_;
  std::vector<Event> events_;
  std::size_t here_ = 0;
};

}  // namespace

std::size_t RecordedGraph::events() const {
  std::size_t count = 0;
  for (const auto& state : states) count += state.size();
  return count;
}

std::optional<RecordedGraph> recorded_graph(const explore::WorldPlan& world, const SearchPlan& plan,
                                            faults::Reaper& reaper) {
  Controller controller(world, reaper);
  return GraphRecorder(controller, plan).record();
}

}  // namespace model
