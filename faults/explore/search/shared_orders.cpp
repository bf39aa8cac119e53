#include "faults/explore/search/shared_orders.h"

#include <algorithm>
#include <utility>

namespace explore {
namespace {

using Clock = std::chrono::steady_clock;

// How often a client acts after another one.
std::size_t switches_in(const std::vector<std::string>& labels, std::size_t steps) {
  std::size_t switches = 0;
  for (std::size_t i = 1; i < std::min(steps, labels.size()); ++i) {
    if (labels[i].front() != labels[i - 1].front()) ++switches;
  }
  return switches;
}

// If two are equally simple, the one that a single worker finds first.
bool is_simpler(const CounterExample& a, const CounterExample& b) {
  if (a.steps != b.steps) return a.steps < b.steps;
  const auto switches_a = switches_in(a.run.labels, a.steps);
  const auto switches_b = switches_in(b.run.labels, b.steps);
  return switches_a != switches_b ? switches_a < switches_b : a.choices < b.choices;
}

}  // namespace

SharedOrders::SharedOrders(const SearchPlan& plan, const Progress& progress)
    : plan_(plan), progress_(progress) {
  begin_level(0);
}

void SharedOrders::begin_level(int faults) {
  graph_ = std::make_unique<StateGraph>(plan_.memory);
  result_.levels.push_back({.faults = faults});
  subtrees_.push_back({.faults = faults});
}

void SharedOrders::note_states() {
  auto& level = result_.levels.back();
  level.states = graph_->states();
  level.edges = graph_->edges();
  level.is_memory_full = graph_->is_full();
}

// After the last order of a level.
void SharedOrders::end_level() {
  auto& level = result_.levels.back();
  level.exhausted = true;
  note_states();
  const bool was_last = level.faults >= plan_.at_most || plan_.faults == 0;
  if (was_last || !result_.found.empty()) return end();
  begin_level(level.faults + 1);
}

void SharedOrders::end() {
  over_ = true;
  changed_.notify_all();
}

// An order that was run goes on from where it met a new state; another way there may be shorter.
// Where states do not say which server is which, no way through them says it either.
void SharedOrders::shorten_examples() {
  if (plan_.servers_are_alike) return;
  for (auto& example : result_.found) {
    const auto names =
        graph_->shortest_to(std::string(faults::to_string(example.finding.property)));
    if (names.empty()) continue;
    auto labels = plan_.after;
    labels.insert(labels.end(), plan_.prefix.begin(), plan_.prefix.end());
    for (const auto& name : names) labels.push_back(label_in(name));
    example.steps = labels.size();
    example.run.labels = std::move(labels);
  }
}

std::optional<Subtree> SharedOrders::next() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  if (waiting_ == plan_.workers && subtrees_.empty() && !over_) end_level();
  changed_.wait(lock, [this] { return over_ || !subtrees_.empty(); });
  if (over_) return std::nullopt;
  --waiting_;
  auto subtree = std::move(subtrees_.front());
  subtrees_.pop_front();
  return subtree;
}

bool SharedOrders::wants_subtrees() {
  const std::lock_guard guard(mutex_);
  return waiting_ > static_cast<int>(subtrees_.size());
}

void SharedOrders::give(Subtree subtree) {
  const std::lock_guard guard(mutex_);
  subtrees_.push_back(std::move(subtree));
  changed_.notify_one();
}

void SharedOrders::count(const std::vector<std::string>& labels, bool is_order) {
  const std::lock_guard guard(mutex_);
  const auto steps = static_cast<long>(labels.size());
  ++result_.runs;
  result_.steps += steps;
  result_.longest = std::max(result_.longest, steps);
  pairs_.add(labels);
  if (is_order) ++result_.levels.back().orders;
  if (!progress_) return;
  result_.time = Clock::now() - start_;
  note_states();
  progress_(result_);
}

void SharedOrders::count_violated() {
  const std::lock_guard guard(mutex_);
  ++result_.levels.back().violated;
}

void SharedOrders::note_that_one_holds(const Run& run) {
  const std::lock_guard guard(mutex_);
  if (result_.one_that_holds.empty()) result_.one_that_holds = run.labels;
  end();
}

void SharedOrders::add_example(CounterExample example, const Run& run) {
  const std::lock_guard guard(mutex_);
  auto known = std::find_if(result_.found.begin(), result_.found.end(), [&](const auto& other) {
    return other.finding.property == example.finding.property;
  });
  if (known != result_.found.end() && !is_simpler(example, *known)) return;
  example.run = run;
  if (known == result_.found.end()) {
    result_.found.push_back(std::move(example));
  } else {
    *known = std::move(example);
  }
}

void SharedOrders::stop(std::exception_ptr failure) {
  const std::lock_guard guard(mutex_);
  if (failure && !failure_) failure_ = std::move(failure);
  end();
}

bool SharedOrders::is_over() {
  const std::lock_guard guard(mutex_);
  return over_ || Clock::now() - start_ >= plan_.budget ||
         (plan_.most_orders && result_.orders() >= *plan_.most_orders);
}

SearchResult SharedOrders::result() {
  const std::lock_guard guard(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  note_states();
  result_.levels.back().open_edges = graph_->open_edges();
  if (plan_.merges) shorten_examples();
  std::stable_sort(result_.found.begin(), result_.found.end(), is_simpler);
  result_.pairs = pairs_.counts();
  result_.time = Clock::now() - start_;
  return std::move(result_);
}

}  // namespace explore
