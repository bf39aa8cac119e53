#include "faults/explore/search/search_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "faults/explore/search/switch_limit.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

// The first lines of two texts that differ.
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

std::vector<std::string> labels_of(const std::vector<Event>& events) {
  std::vector<std::string> labels;
  for (const auto& event : events) labels.push_back(event.label);
  return labels;
}

}  // namespace

void SearchWorker::work() {
  while (auto subtree = orders_.next()) {
    faults_ = subtree->faults;
    fixed_ = subtree->path.empty() ? 0 : subtree->path.size() - 1;
    path_ = std::move(subtree->path);
    do {
      if (orders_.is_over()) return orders_.stop();
      take_one();
      if (orders_.wants_subtrees()) give_subtree();
    } while (backtrack(path_, fixed_));
  }
}

void SearchWorker::take_one() {
  std::vector<FaultKind> used;
  const auto run = run_once(used);
  if (!run) return;
  // With fewer faults it belongs to an earlier level.
  const bool counts = used.size() == static_cast<std::size_t>(faults_);
  orders_.count(run->labels, counts);
  if (plan_.merges) orders_.graph().judge(end_, broken_properties(*run));
  if (!counts) return;
  if (plan_.until_holds) {
    if (finding_of(*run, *plan_.until_holds) == nullptr) orders_.note_that_one_holds(*run);
    return;
  }
  const bool is_sample =
      plan_.sampled > 0 && number_of_choices() % static_cast<unsigned>(plan_.sampled) == 0;
  if (is_sample) compare_with_second(*run);
  if (run->is_violated()) report(*run);
}

std::optional<Run> SearchWorker::run_once(std::vector<FaultKind>& used) {
  RunRecorder recorder(controller_);
  try {
    return run_with(recorder, used);
  } catch (const faults::ClientFailed& failure) {
    throw faults::ClientFailed(fmt::format("{}\n  after these steps: {}", failure.what(),
                                           fmt::join(recorder.labels(), ", ")));
  }
}

std::optional<Run> SearchWorker::run_with(RunRecorder& recorder, std::vector<FaultKind>& used) {
  SwitchLimit limit(plan_.switches, plan_.in_order);
  recorder.follow({.lock = controller_.plan().stage.name, .steps = steps_from(plan_.after)});
  for (std::size_t step = 0;; ++step) {
    const auto events = limit.allowed(controller_.events(plan_.rules(used, faults_, step)));
    const auto left = plan_.left(used, faults_) + limit.state();
    if (step < path_.size()) must_agree(events, step);
    const bool has_ended = events.empty() && step >= plan_.prefix.size();
    if (has_ended && !ends_in_known_state(left)) return recorder.finish();
    may_have_two_faults_ = faults_ - static_cast<int>(used.size()) > 1;
    if (has_ended || (step == path_.size() && !add_choice(events, left))) {
      end_early(recorder, limit, used);
      return std::nullopt;
    }
    const auto& event = events[path_[step].chosen];
    if (const auto kind = fault_kind_of(event.kind)) used.push_back(*kind);
    limit.chosen(event);
    recorder.choose(event);
  }
}

bool SearchWorker::add_choice(const std::vector<Event>& events, const std::string& left) {
  merged_at_ = StateGraph::nowhere;
  auto point = choice_point_after(path_, events, plan_);
  const auto step = path_.size();
  if (step < plan_.prefix.size() && !follow_prefix(point, step)) return false;
  if (step >= plan_.prefix.size() && plan_.merges) enter_state(point, left);
  if (point.chosen == point.end) return false;
  path_.push_back(std::move(point));
  return true;
}

bool SearchWorker::follow_prefix(ChoicePoint& point, std::size_t step) const {
  const auto& events = point.events;
  const auto found = std::find_if(events.begin(), events.end(), [&](const Event& event) {
    return event.label == plan_.prefix[step];
  });
  if (found != events.end()) {
    const auto place = static_cast<std::size_t>(found - events.begin());
    point.end = place + 1;
    point.chosen = point.next_from(place);
    return true;
  }
  if (faults_ < plan_.at_most && plan_.faults != 0) return false;  // it is one fault too many
  throw faults::CannotRun(
      fmt::format("a prefix does not fit at step {}: \"{}\" cannot happen here within these bounds",
                  step + 1, plan_.prefix[step]));
}

void SearchWorker::must_agree(const std::vector<Event>& events, std::size_t step) const {
  const auto before = labels_of(path_[step].events);
  const auto now = labels_of(events);
  if (before == now) return;
  auto steps = plan_.after;
  for (std::size_t i = 0; i < step; ++i) steps.push_back(path_[i].events[path_[i].chosen].label);
  throw Diverged(fmt::format(
      "a replay has diverged at step {}, so nothing that this search found counts\n"
      "  before: {}\n  now:    {}\n  after:  {}",
      steps.size() + 1, fmt::join(before, ", "), fmt::join(now, ", "), fmt::join(steps, ", ")));
}

void SearchWorker::compare_with_second(const Run& run) {
  std::vector<FaultKind> used;
  repeats_ = true;
  const auto again = run_once(used);
  repeats_ = false;
  if (!again) throw Diverged("a run was repeated, and the second time its prefix did not fit");
  orders_.count(again->labels, false);
  const auto difference = first_difference(fingerprint(run), fingerprint(*again));
  if (!difference) return;
  throw Diverged(fmt::format(
      "a run was repeated, and was not the same, so nothing that this search found counts\n"
      "  before: {}\n  now:    {}\n  its steps: {}",
      difference->first, difference->second, fmt::join(run.labels, ", ")));
}

void SearchWorker::report(const Run& run) {
  orders_.count_violated();
  std::vector<faults::Property> seen;
  for (const auto& finding : run.judgement.findings) {
    if (std::find(seen.begin(), seen.end(), finding.property) != seen.end()) continue;
    seen.push_back(finding.property);
    orders_.add_example({.finding = finding,
                         .faults = faults_,
                         .steps = run.steps_until(finding),
                         .run = {.labels = run.labels},
                         .choices = choices()},
                        run);
  }
}

void SearchWorker::give_subtree() {
  for (std::size_t i = fixed_; i < path_.size(); ++i) {
    auto& point = path_[i];
    const auto next = point.next_from(point.chosen + 1);
    if (next == point.end) continue;
    const auto after = path_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    Subtree subtree{.faults = faults_, .path = {path_.begin(), after}};
    subtree.path.back().chosen = next;
    point.end = point.chosen + 1;
    return orders_.give(std::move(subtree));
  }
}

std::uint32_t SearchWorker::number_of_choices() const {
  std::uint32_t number = 2'166'136'261U;
  for (const auto& point : path_) {
    number = (number ^ static_cast<std::uint32_t>(point.chosen)) * 16'777'619U;
  }
  return number >> 8U;
}

std::vector<std::size_t> SearchWorker::choices() const {
  std::vector<std::size_t> chosen;
  for (const auto& point : path_) chosen.push_back(point.chosen);
  return chosen;
}

}  // namespace explore
