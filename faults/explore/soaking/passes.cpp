#include "faults/explore/soaking/passes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "faults/kit/history.h"

namespace explore {
namespace {

using faults::Kind;

// More clients than that are seldom needed, and take long to make shorter.
constexpr std::size_t most_passes = 8;

// A pass in which a fault struck its client counts.
void count_those_with_faults(std::vector<Pass>& passes, const faults::Trace& trace) {
  for (auto& pass : passes) {
    pass.counts =
        pass.counts ||
        std::any_of(trace.events.begin(), trace.events.end(), [&](const faults::Event& event) {
          return event.number >= pass.from && event.number < pass.to &&
                 event.is(Kind::fault, pass.client);
        });
  }
}

std::vector<Pass> passes_in(const faults::Trace& trace) {
  std::vector<Pass> passes;
  std::map<std::string, std::size_t> open;  // by client, the place of its pass
  std::map<std::string, int> levels;
  for (const auto& operation : trace.operations) {
    const auto& client = operation.client;
    if (operation.name == "acquire" && levels[client] == 0) {
      if (open.contains(client)) {
        auto& before = passes[open[client]].to;
        before = std::min(before, operation.called);
      }
      open[client] = passes.size();
      passes.push_back({.client = client, .from = operation.called});
    }
    if (!open.contains(client)) continue;
    if (operation.name == "acquire" && operation.outcome != "contended") {
      passes[open[client]].counts = true;
      if (operation.outcome == "acquired") ++levels[client];
    }
    const bool leaves = operation.name == "release" || operation.is("work", "abandoned");
    if (leaves && operation.outcome != "unknown") levels[client] = std::max(0, levels[client] - 1);
    const bool is_over = operation.outcome != "unknown" && operation.answered != faults::never;
    if (is_over && operation.name != "work" && levels[client] == 0) {
      passes[open[client]].to = operation.answered + 1;
    }
  }
  count_those_with_faults(passes, trace);
  return passes;
}

}  // namespace

Span span_of(const faults::Finding& finding, const faults::Trace& trace) {
  auto first = faults::never;
  std::size_t last = 0;
  for (const auto place : finding.evidence) {
    if (place >= trace.record.size()) continue;
    first = std::min(first, place);
    last = std::max(last, place);
  }
  auto from = first;
  for (const auto& hold : trace.holds) {
    if (hold.exists_at(first)) from = std::min(from, hold.from);
  }
  return {.from = from, .last = last};
}

std::vector<Pass> passes_around(const faults::Finding& finding, const faults::Trace& trace) {
  const auto [from, last] = span_of(finding, trace);
  std::vector<Pass> found;
  for (auto& pass : passes_in(trace)) {
    if (pass.counts && pass.from <= last && pass.to > from) found.push_back(std::move(pass));
  }
  if (found.size() > most_passes) {
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(most_passes));
  }
  return found;
}

}  // namespace explore
