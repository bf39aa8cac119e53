#include "faults/judging/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "faults/judging/properties.h"

namespace faults {
namespace {

bool happened(const Trace& trace, std::string_view what) {
  return std::any_of(trace.events.begin(), trace.events.end(), [what](const Event& event) {
    return event.kind == Kind::fault && event.text("what") == what;
  });
}

bool contended(const Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(),
                     [&](const Operation& operation) {
                       const auto* hold = trace.hold_at(operation.called);
                       return hold != nullptr && hold->owner != operation.client &&
                              (operation.name == "acquire" || operation.name == "release");
                     });
}

// A lock on a minority of the servers is nobody's, unless a client claims it.
bool nobody_held(const Trace& trace) {
  const bool claimed =
      std::any_of(trace.operations.begin(), trace.operations.end(),
                  [](const Operation& operation) { return operation.outcome == "acquired"; });
  const bool by_majority =
      std::any_of(trace.holds.begin(), trace.holds.end(),
                  [&](const ServerHold& hold) { return trace.hold_at(hold.from) != nullptr; });
  return trace.holds.empty() || (!claimed && !by_majority);
}

// A machine that stood still for so long shows nothing of a lock: meanwhile the longest leases end,
// and the longest waits.
constexpr std::chrono::milliseconds longest_standstill{5'000};

// The sentence that blames the machine.
std::string excuse_for(const Trace& trace) {
  return trace.stood_still()
             ? fmt::format("; the machine stood still for {} ms", trace.longest_stall().count())
             : "; the machine may be too slow";
}

// Why the history shows nothing, if it does not.
std::optional<std::string> not_exercised(const Trace& trace) {
  for (const auto& event : trace.events) {
    if (event.kind == Kind::not_exercised) return event.text("why");
  }
  if (trace.setting.empty()) return "the history does not say what was run";
  if (nobody_held(trace)) return "nobody ever held the lock";
  for (const auto& need : trace.setting.value("needs", std::vector<std::string>{})) {
    if (need == needs_contention ? contended(trace) : happened(trace, need)) continue;
    return need == needs_contention ? "nobody wanted the lock while another had it"
                                    : fmt::format("the fault did not happen: nothing was {}", need);
  }
  return std::nullopt;
}

std::vector<Finding> judge_property(Property property, const Trace& trace) {
  switch (property) {
    case Property::mutual_exclusion: return judge_mutual_exclusion(trace);
    case Property::owner_only_release: return judge_owner_only_release(trace);
    case Property::liveness: return judge_liveness(trace);
    case Property::truthful_outcomes: return judge_truthful_outcomes(trace);
    case Property::owner_only_renewal: return judge_owner_only_renewal(trace);
    case Property::holder_was_told: return judge_holder_was_told(trace);
    case Property::first_come: return judge_first_come(trace);
    case Property::bounded_renewal: return judge_bounded_renewal(trace);
  }
  return {};
}

}  // namespace

Judgement judge(const Record& record) {
  const Trace trace(record);
  for (const auto& event : trace.events) {
    if (event.kind == Kind::stalled) {
      return {.verdict = Verdict::inconclusive, .findings = {}, .why = event.text("why")};
    }
  }
  if (const auto why = not_exercised(trace)) {
    if (!trace.stood_still()) {
      return {.verdict = Verdict::not_exercised, .findings = {}, .why = *why};
    }
    return {.verdict = Verdict::inconclusive, .findings = {}, .why = *why + excuse_for(trace)};
  }
  Judgement judgement;
  for (const auto& name : trace.setting.value("judged", std::vector<std::string>{})) {
    const auto findings = judge_property(property_from(name), trace);
    judgement.findings.insert(judgement.findings.end(), findings.begin(), findings.end());
  }
  if (judgement.findings.empty()) return judgement;
  const bool close = trace.longest_stall() > longest_standstill ||
                     std::all_of(judgement.findings.begin(), judgement.findings.end(),
                                 [](const Finding& finding) { return finding.may_be_the_machine; });
  judgement.verdict = close ? Verdict::inconclusive : Verdict::violated;
  if (close) judgement.why = judgement.findings.front().sentence + excuse_for(trace);
  return judgement;
}

}  // namespace faults
