#include "explore/search/search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "faults/kit/errors.h"

namespace explore {

using Clock = std::chrono::steady_clock;

long SearchResult::orders() const {
  long sum = 0;
  for (const auto& level : levels) sum += level.orders;
  return sum;
}

bool SearchResult::is_exhausted() const {
  return std::all_of(levels.begin(), levels.end(),
                     [](const Level& level) { return level.exhausted; });
}

Search::Search(Controller& controller, SearchPlan plan, Progress progress)
    : controller_(controller), plan_(std::move(plan)), progress_(std::move(progress)) {}

SearchResult Search::run() {
  for (int faults = 0; faults <= plan_.at_most; ++faults) {
    search_level(faults);
    if (!result_.found.empty() || !result_.levels.back().exhausted) break;
    if (plan_.faults == 0) break;
  }
  confirm();
  result_.time = Clock::now() - start_;
  return std::move(result_);
}

bool Search::is_over() const {
  return Clock::now() - start_ >= plan_.budget;
}

void Search::search_level(int faults) {
  result_.levels.push_back({.faults = faults});
  path_.clear();
  do {
    if (is_over()) return;
    int used = 0;
    auto run = run_once(faults, used);
    // With fewer faults it was seen before.
    if (used == faults) {
      auto& level = result_.levels.back();
      ++level.orders;
      if (plan_.sampled > 0 && level.orders % plan_.sampled == 0) do_again(run, faults);
      take(std::move(run), faults);
    }
    if (progress_) {
      result_.time = Clock::now() - start_;
      progress_(result_);
    }
  } while (turn());
  result_.levels.back().exhausted = true;
}

Run Search::run_once(int faults, int& used) {
  ++result_.runs;
  used = 0;
  RunRecorder recorder(controller_);
  try {
    for (std::size_t step = 0;; ++step) {
      const auto events = controller_.events({.faults = used < faults ? plan_.faults : 0,
                                              .during = plan_.during,
                                              .reduced = plan_.reduced});
      Node here;
      for (const auto& event : events) {
        here.labels.push_back(event.label);
        here.faults.push_back(is_fault(event.deed));
      }
      if (step < path_.size()) must_agree(path_[step], here, step);
      if (events.empty()) break;
      if (step == path_.size()) path_.push_back(std::move(here));
      const auto& event = events[path_[step].chosen];
      if (is_fault(event.deed)) ++used;
      ++result_.steps;
      recorder.choose(event);
    }
    return recorder.finish();
  } catch (const faults::ClientFailed& failure) {
    throw faults::ClientFailed(fmt::format("{}\n  after these steps: {}", failure.what(),
                                           fmt::join(recorder.labels(), ", ")));
  }
}

void Search::must_agree(const Node& before, const Node& now, std::size_t step) const {
  if (before.labels == now.labels) return;
  std::vector<std::string> prefix;
  for (std::size_t i = 0; i < step; ++i) prefix.push_back(path_[i].labels[path_[i].chosen]);
  throw Diverged(
      fmt::format("a replay has diverged at step {}, so nothing that this search found counts\n"
                  "  before: {}\n  now:    {}\n  behind: {}",
                  step + 1, fmt::join(before.labels, ", "), fmt::join(now.labels, ", "),
                  fmt::join(prefix, ", ")));
}

void Search::do_again(const Run& run, int faults) {
  int used = 0;
  const auto again = run_once(faults, used);
  if (fingerprint(run) == fingerprint(again)) return;
  throw Diverged(fmt::format(
      "a run was done twice, and was not the same, so nothing that this search found counts\n"
      "  its steps: {}",
      fmt::join(run.labels, ", ")));
}

namespace {

// How often another client acts than the one before.
std::size_t switches_in(const std::vector<std::string>& labels, std::size_t steps) {
  std::size_t switches = 0;
  for (std::size_t i = 1; i < std::min(steps, labels.size()); ++i) {
    if (labels[i].front() != labels[i - 1].front()) ++switches;
  }
  return switches;
}

bool is_simpler(const CounterExample& a, const CounterExample& b) {
  if (a.steps != b.steps) return a.steps < b.steps;
  return switches_in(a.run.labels, a.steps) < switches_in(b.run.labels, b.steps);
}

}  // namespace

void Search::take(Run run, int faults) {
  if (!run.is_violated()) return;
  ++result_.levels.back().violated;
  std::vector<faults::Property> seen;
  for (const auto& finding : run.judgement.findings) {
    if (std::find(seen.begin(), seen.end(), finding.property) != seen.end()) continue;
    seen.push_back(finding.property);
    CounterExample candidate{
        .finding = finding, .faults = faults, .steps = run.steps_until(finding), .run = {}};
    candidate.run.labels = run.labels;
    auto known = std::find_if(result_.found.begin(), result_.found.end(), [&](const auto& other) {
      return other.finding.property == finding.property;
    });
    if (known != result_.found.end() && !is_simpler(candidate, *known)) continue;
    candidate.run = run;
    if (known == result_.found.end()) {
      result_.found.push_back(std::move(candidate));
    } else {
      *known = std::move(candidate);
    }
  }
}

bool Search::turn() {
  while (!path_.empty()) {
    auto& last = path_.back();
    if (++last.chosen < last.labels.size()) return true;
    path_.pop_back();
  }
  return false;
}

// A finding has been seen three times: in the search, and in two replays of its schedule.
void Search::confirm() {
  std::stable_sort(result_.found.begin(), result_.found.end(), is_simpler);
  for (auto& example : result_.found) {
    auto labels = example.run.labels;
    labels.resize(example.steps);
    const Schedule schedule{.lock = controller_.plan().stage.name, .steps = steps_from(labels)};
    for (int i = 0; i < 2; ++i) {
      ++result_.runs;
      auto again = replay(controller_, schedule);
      const auto found = std::find_if(
          again.judgement.findings.begin(), again.judgement.findings.end(),
          [&](const auto& finding) { return finding.property == example.finding.property; });
      if (found == again.judgement.findings.end()) {
        throw Diverged(
            fmt::format("\"{}\" was seen once, and not when it was replayed\n  its "
                        "steps: {}",
                        example.finding.sentence, fmt::join(labels, ", ")));
      }
      example.finding = *found;
      example.run = std::move(again);
    }
  }
}

}  // namespace explore
