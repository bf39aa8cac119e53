#include "faults/explore/search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "faults/explore/search/shared_orders.h"
#include "faults/explore/search/switch_limit.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

// A number that depends on nothing but the choices (FNV-1a): so the same runs are done twice
// whenever the same search is made.
std::uint32_t number_of(const std::vector<std::size_t>& choices) {
  std::uint32_t number = 2'166'136'261U;
  for (const auto choice : choices) {
    number = (number ^ static_cast<std::uint32_t>(choice)) * 16'777'619U;
  }
  return number >> 8U;
}

// The first lines of two texts that are not the same.
std::optional<std::pair<std::string, std::string>> first_difference(const std::string& before,
                                                                    const std::string& now) {
  std::istringstream lines_before(before);
  std::istringstream lines_now(now);
  for (;;) {
    std::string a;
    std::string b;
    const bool ended = !std::getline(lines_before, a);
    if (!std::getline(lines_now, b) && ended) return std::nullopt;
    if (a != b) return std::pair(a, b);
  }
}

class Worker {
 public:
  Worker(Controller& controller, const SearchPlan& plan, SharedOrders& orders)
      : controller_(controller), plan_(plan), orders_(orders) {}

  void work() {
    while (auto part = orders_.next()) {
      faults_ = part->faults;
      fixed_ = part->path.empty() ? 0 : part->path.size() - 1;
      path_ = std::move(part->path);
      do {
        if (orders_.is_over()) return orders_.stop();
        take_one();
        if (orders_.wants_parts()) give_a_part();
      } while (turn(path_, fixed_));
    }
  }

 private:
  void take_one() {
    std::vector<Fault> used;
    auto run = run_once(used);
    if (!run) return;
    const bool counts =
        used.size() == static_cast<std::size_t>(faults_);  // with fewer faults it was seen before
    orders_.count(run->labels.size(), counts);
    if (!counts) return;
    const bool is_sample =
        plan_.sampled > 0 && number_of(choices()) % static_cast<unsigned>(plan_.sampled) == 0;
    if (is_sample) do_again(*run);
    take(*run);
  }

  // The next run, with the choices in `path_`; adds those that it comes to. Nothing: with so few
  // faults no order has the prefix; or all that could follow sleeps.
  [[nodiscard]] std::optional<Run> run_once(std::vector<Fault>& used) {
    used.clear();
    RunRecorder recorder(controller_);
    SwitchLimit limit(plan_.switches, plan_.in_order);
    try {
      recorder.follow({.lock = controller_.plan().stage.name, .steps = steps_from(plan_.after)});
      for (std::size_t step = 0;; ++step) {
        const auto events = limit.allowed(controller_.events(plan_.rules(used, faults_, step)));
        if (step < path_.size()) must_agree(path_[step], events, step);
        if (events.empty() && step >= plan_.prefix.size()) return recorder.finish();
        if (step == path_.size() && !add_node(events)) {
          controller_.end();
          return std::nullopt;
        }
        const auto& event = events[path_[step].chosen];
        if (const auto kind = fault_of(event.deed)) used.push_back(*kind);
        limit.chosen(event);
        recorder.choose(event);
      }
    } catch (const faults::ClientFailed& failure) {
      throw faults::ClientFailed(fmt::format("{}\n  after these steps: {}", failure.what(),
                                             fmt::join(recorder.labels(), ", ")));
    }
  }

  // Adds the next choice, of `events`. False: there is none.
  [[nodiscard]] bool add_node(const std::vector<Event>& events) {
    auto node = node_behind(path_, events, plan_);
    const auto step = path_.size();
    if (step < plan_.prefix.size() && !follow_prefix(node, step)) return false;
    if (node.chosen == node.end) return false;
    path_.push_back(std::move(node));
    return true;
  }

  // Leaves one choice at that step: the prefix's. False: there is none.
  [[nodiscard]] bool follow_prefix(Node& here, std::size_t step) {
    const auto found =
        std::find_if(here.events.begin(), here.events.end(),
                     [&](const Event& event) { return event.label == plan_.prefix[step]; });
    if (found != here.events.end()) {
      here.chosen = static_cast<std::size_t>(found - here.events.begin());
      here.end = here.chosen + 1;
      here.chosen = here.next_from(here.chosen);
      return true;
    }
    if (faults_ < plan_.at_most && plan_.faults != 0) return false;  // it is a fault too many
    throw faults::CannotRun(fmt::format(
        "a prefix does not fit at step {}: \"{}\" cannot happen here within these bounds", step + 1,
        plan_.prefix[step]));
  }

  static std::vector<std::string> labels_of(const std::vector<Event>& events) {
    std::vector<std::string> labels;
    for (const auto& event : events) labels.push_back(event.label);
    return labels;
  }

  void must_agree(const Node& node, const std::vector<Event>& events, std::size_t step) const {
    const auto before = labels_of(node.events);
    const auto now = labels_of(events);
    if (before == now) return;
    std::vector<std::string> prefix = plan_.after;
    for (std::size_t i = 0; i < step; ++i) prefix.push_back(path_[i].events[path_[i].chosen].label);
    throw Diverged(fmt::format(
        "a replay has diverged at step {}, so nothing that this search found counts\n"
        "  before: {}\n  now:    {}\n  behind: {}",
        prefix.size() + 1, fmt::join(before, ", "), fmt::join(now, ", "), fmt::join(prefix, ", ")));
  }

  void do_again(const Run& run) {
    std::vector<Fault> used;
    const auto again = run_once(used);
    if (!again) throw Diverged("a run was done twice, and the second time its prefix did not fit");
    orders_.count(again->labels.size(), false);
    const auto difference = first_difference(fingerprint(run), fingerprint(*again));
    if (!difference) return;
    throw Diverged(fmt::format(
        "a run was done twice, and was not the same, so nothing that this search found counts\n"
        "  before: {}\n  now:    {}\n  its steps: {}",
        difference->first, difference->second, fmt::join(run.labels, ", ")));
  }

  void take(const Run& run) {
    if (!run.is_violated()) return;
    orders_.count_violated();
    std::vector<faults::Property> seen;
    for (const auto& finding : run.judgement.findings) {
      if (std::find(seen.begin(), seen.end(), finding.property) != seen.end()) continue;
      seen.push_back(finding.property);
      orders_.take({.finding = finding,
                    .faults = faults_,
                    .steps = run.steps_until(finding),
                    .run = {.labels = run.labels},
                    .choices = choices()},
                   run);
    }
  }

  [[nodiscard]] std::vector<std::size_t> choices() const {
    std::vector<std::size_t> chosen;
    for (const auto& node : path_) chosen.push_back(node.chosen);
    return chosen;
  }

  // The orders that are left at the first node that has some left.
  void give_a_part() {
    for (std::size_t i = fixed_; i < path_.size(); ++i) {
      auto& node = path_[i];
      const auto next = node.next_from(node.chosen + 1);
      if (next == node.end) continue;
      const auto behind = path_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      Part part{.faults = faults_, .path = {path_.begin(), behind}};
      part.path.back().chosen = next;
      node.end = node.chosen + 1;
      return orders_.give(std::move(part));
    }
  }

  Controller& controller_;
  const SearchPlan& plan_;
  SharedOrders& orders_;
  int faults_ = 0;
  std::vector<Node> path_;
  std::size_t fixed_ = 0;  // so many of its first nodes are not this part's to turn
};

void work(const WorldPlan& world, const SearchPlan& plan, faults::Reaper& reaper,
          SharedOrders& orders, int number) {
  try {
    Controller controller(world, reaper, plan.workers == 1 ? std::nullopt : std::optional(number));
    Worker(controller, plan, orders).work();
  } catch (...) {
    orders.stop(std::current_exception());
  }
}

void confirm_all(SearchResult& result, const WorldPlan& world, faults::Reaper& reaper) {
  if (result.found.empty()) return;
  Controller controller(world, reaper);
  for (auto& example : result.found) result.runs += confirm(controller, example);
}

}  // namespace

int confirm(Controller& controller, CounterExample& example) {
  constexpr int times = 2;
  auto labels = example.run.labels;
  labels.resize(example.steps);
  const Schedule schedule{.lock = controller.plan().stage.name, .steps = steps_from(labels)};
  for (int i = 0; i < times; ++i) {
    auto again = replay(controller, schedule);
    const auto* finding = finding_of(again, example.finding.property);
    if (finding == nullptr) {
      throw Diverged(
          fmt::format("\"{}\" was seen once, and not when it was replayed\n  its steps: {}",
                      example.finding.sentence, fmt::join(labels, ", ")));
    }
    example.finding = *finding;
    example.run = std::move(again);
  }
  return times;
}

Rules SearchPlan::rules(const std::vector<Fault>& used, int most, std::size_t step) const {
  unsigned kinds = used.size() < static_cast<std::size_t>(most) ? faults : 0;
  if (once_each) {
    for (const unsigned kind : used) kinds &= ~kind;
  }
  return {.faults = kinds, .during = during, .reduced = reduced, .first = step == used.size()};
}

long SearchResult::orders() const {
  long sum = 0;
  for (const auto& level : levels) sum += level.orders;
  return sum;
}

bool SearchResult::is_exhausted() const {
  return std::all_of(levels.begin(), levels.end(),
                     [](const Level& level) { return level.exhausted; });
}

SearchResult search(const WorldPlan& world, const SearchPlan& plan, faults::Reaper& reaper,
                    const Progress& progress) {
  SharedOrders orders(plan, progress);
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < plan.workers; ++i) {
      workers.emplace_back([&, i] { work(world, plan, reaper, orders, i); });
    }
  }
  auto result = orders.result();
  confirm_all(result, world, reaper);
  return result;
}

}  // namespace explore
