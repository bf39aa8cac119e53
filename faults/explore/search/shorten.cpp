#include "faults/explore/search/shorten.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace explore {
namespace {

// Chooses the steps that fit, then lets every client continue by itself.
Run run_what_fits(Controller& controller, const std::vector<std::string>& labels) {
  RunRecorder recorder(controller);
  for (const auto& label : labels) recorder.choose_labelled(label);
  return recorder.run_to_end();
}

bool leave_out(Controller& controller, CounterExample& example, std::size_t from,
               std::size_t size) {
  auto labels = example.labels();
  const auto first = labels.begin() + static_cast<std::ptrdiff_t>(from);
  const auto last =
      labels.begin() + static_cast<std::ptrdiff_t>(std::min(from + size, labels.size()));
  labels.erase(first, last);
  auto run = run_what_fits(controller, labels);
  const auto* finding = finding_of(run, example.finding.property);
  if (finding == nullptr) return false;
  const auto steps = run.steps_until(*finding);
  if (steps >= example.steps) return false;
  example.finding = *finding;
  example.steps = steps;
  example.run = std::move(run);
  return true;
}

}  // namespace

CounterExample shorten(Controller& controller, CounterExample example) {
  auto size = example.steps / 2;
  while (size > 0) {
    bool shorter = false;
    for (std::size_t from = 0; from < example.steps; from += size) {
      shorter = leave_out(controller, example, from, size) || shorter;
    }
    if (!shorter || size > example.steps) size /= 2;
  }
  return example;
}

}  // namespace explore
