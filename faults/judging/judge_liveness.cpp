#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "faults/judging/attribution.h"
#include "faults/judging/properties.h"
#include "faults/judging/shut_out.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

// True if the lock came back after a client had removed it from its holder, which was inside all
// the time. No other client got in meanwhile, so no harm was done. But a stage says that this ends
// a hold.
bool is_set_again(const Trace& trace, const Operation& operation) {
  if (!trace.setting.contains("lock")) return false;
  const auto end = trace.end_of(operation);
  const auto removed =
      std::find_if(trace.events.begin(), trace.events.end(), [](const auto& event) {
        return event.kind == Kind::fault && event.text("what") == fault::removed;
      });
  if (removed == trace.events.end()) return false;
  const bool is_inside =
      std::any_of(trace.operations.begin(), trace.operations.end(), [&](const Operation& holder) {
        return holder.client != operation.client && holder.is("acquire", "acquired") &&
               holder.answered < removed->number && trace.claims(holder.client, end);
      });
  const auto* hold = trace.hold_at(end);
  return is_inside && hold != nullptr && hold->from > removed->number &&
         !possible_setters(trace, *hold).contains(operation.client);
}

// An operation that had to end, whatever its outcome, and did not in time.
std::optional<Finding> judge_end(const Trace& trace, const Operation& operation) {
  const auto limit = operation.asked.value("must_end_within_ms", 0LL);
  const auto end = trace.end_of(operation);
  const auto lasted = trace.ms(end) - trace.ms(operation.called);
  if (limit == 0 || (operation.answered != never && lasted <= limit)) return std::nullopt;
  const auto* how = operation.answered != never ? "took" : "had not ended after";
  return Finding{.property = Property::liveness,
                 .sentence = fmt::format("{}'s {} had to end within {} ms, and {} {} ms",
                                         operation.client, operation.name, limit, how, lasted),
                 .may_be_the_machine = trace.longest_stall() > milliseconds(limit) / 3,
                 .evidence = {operation.called, end}};
}

// True if a majority of the servers answered a command of `operation` later than a lease lasts. A
// slow disk can delay them all, although no thread stalls.
bool answered_after_a_lease(const Trace& trace, const Operation& operation) {
  const milliseconds lease(trace.setting.value("lease_ms", 300));
  std::map<std::string, milliseconds> asked;  // by server
  std::set<std::string> late;
  for (const auto& event : trace.events) {
    const bool is_its = event.process == operation.client && operation.open_at(event.number);
    if (!is_its) continue;
    const auto at = std::chrono::duration_cast<milliseconds>(event.at);
    if (event.kind == Kind::command) asked[event.text("to")] = at;
    if (!answers_a_command(event) || !asked.contains(event.text("from"))) continue;
    if (at - asked[event.text("from")] > lease) late.insert(event.text("from"));
  }
  return late.size() >= trace.majority();
}

// Was the lock given back only when the time for which `operation` was to wait was over? It may
// have asked for the last time before that.
bool came_free_too_late(const Trace& trace, const Operation& operation) {
  const auto wait = operation.asked.value("wait_ms", 0LL);
  return wait > 0 && std::any_of(trace.holds.begin(), trace.holds.end(), [&](const auto& hold) {
           return hold.end == "del" && operation.open_at(hold.to) &&
                  trace.ms(hold.to) - trace.ms(operation.called) >= wait;
         });
}

// It did not know what came of it, and its client asked again: that decides. A server that died may
// have taken connections with it.
bool is_asked_again(const Trace& trace, const Operation& operation) {
  return operation.outcome == "unknown" &&
         std::any_of(trace.operations.begin(), trace.operations.end(), [&](const auto& later) {
           return later.client == operation.client && later.called > operation.answered &&
                  later.asked.value("must_get_in", false);
         });
}

}  // namespace

std::vector<Finding> judge_liveness(const Trace& trace) {
  std::vector<Finding> findings;
  for (const auto& operation : trace.operations) {
    if (auto late = judge_end(trace, operation)) findings.push_back(std::move(*late));
    if (!operation.asked.value("must_get_in", false) || operation.outcome == "acquired") continue;
    if (is_set_again(trace, operation) || is_asked_again(trace, operation)) continue;
    findings.push_back(
        {.property = Property::liveness,
         .sentence = say_shut_out(trace, operation),
         // It would have to stand still for a good part of that time; less, if
         // one answer has only come too late.
         .may_be_the_machine =
             (operation.outcome == "unknown" &&
              (trace.stood_still() || answered_after_a_lease(trace, operation))) ||
             came_free_too_late(trace, operation) ||
             trace.longest_stall() > milliseconds(operation.asked.value("wait_ms", 0)) / 3,
         .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

}  // namespace faults
