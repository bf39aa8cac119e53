#include "faults/judging/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "faults/judging/properties.h"
#include "faults/judging/reasons.h"

namespace faults {
namespace {

bool happened(const Trace& trace, std::string_view what) {
  return std::any_of(trace.events.begin(), trace.events.end(), [what](const Event& event) {
    return event.kind == Kind::fault && event.text("what") == what;
  });
}

// Does a client other than that of `operation` say that it has the lock when that is called?
bool another_claims(const Trace& trace, const Operation& operation) {
  return std::any_of(trace.operations.begin(), trace.operations.end(), [&](const auto& other) {
    return other.client != operation.client && trace.claims(other.client, operation.called);
  });
}

bool contended(const Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(),
                     [&](const Operation& operation) {
                       const bool asks = operation.name == "acquire" || operation.name == "release";
                       if (!trace.knows_key()) return asks && another_claims(trace, operation);
                       const auto* hold = trace.hold_at(operation.called);
                       return asks && hold != nullptr && !hold->is_of(operation.client);
                     });
}

bool was_claimed(const Trace& trace) {
  return std::any_of(trace.operations.begin(), trace.operations.end(),
                     [](const Operation& operation) { return operation.outcome == "acquired"; });
}

// A lock on a minority of the servers has no holder, unless a client claims it.
std::optional<std::string> nobody_held(const Trace& trace) {
  const bool by_majority =
      std::any_of(trace.holds.begin(), trace.holds.end(),
                  [&](const ServerHold& hold) { return trace.hold_at(hold.from) != nullptr; });
  if (only_claimed(trace)) {
    return trace.setting.contains("lock")
               ? fmt::format("a client said \"acquired\", and no server ever had the key \"{}\"",
                             trace.key_on_server)
               : "a client said \"acquired\", and no server ever had the lock";
  }
  const bool nowhere = trace.knows_key() && trace.holds.empty();
  if (!nowhere && (was_claimed(trace) || by_majority)) return std::nullopt;
  return "nobody ever held the lock";
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
  if (auto why = nobody_held(trace)) return why;
  for (const auto& need : trace.setting.value("needs", std::vector<std::string>{})) {
    if (need == needs_contention ? contended(trace) : happened(trace, need)) continue;
    return need == needs_contention ? "nobody wanted the lock while another had it"
                                    : fmt::format("the fault did not happen: nothing was {}", need);
  }
  return std::nullopt;
}

// Is it judged by what the servers hold?
bool needs_key(Property property) {
  return property == Property::owner_only_release || property == Property::truthful_outcomes ||
         property == Property::owner_only_renewal || property == Property::nothing_left;
}

bool can_be_judged(Property property, const Trace& trace) {
  if (needs_key(property)) return trace.knows_key();
  // A stage has a known period: a third of the lease.
  const auto lock = trace.setting.find("lock");
  const bool knows_period = lock == trace.setting.end() || lock->contains("renewal_ms");
  return property != Property::bounded_renewal || knows_period;
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
    case Property::rising_tokens: return judge_rising_tokens(trace);
    case Property::nothing_left: return judge_nothing_left(trace);
  }
  return {};
}

bool judges(const Trace& trace, Property property) {
  const auto judged = trace.setting.value("judged", std::vector<std::string>{});
  return std::find(judged.begin(), judged.end(), to_string(property)) != judged.end();
}

// A client never answered, asked without end, or died by itself: no lock may do that. A program
// that does not answer only ends the scenario too early where that does not judge whether clients
// get in; one that dies takes all with it that its user had in it.
Judgement broken_off(const Trace& trace, const Event& event) {
  const bool died = event.data.value("died", false);
  const bool has_lock = died && trace.claims(event.process, event.number);
  const auto why = event.text("why") + (has_lock ? "; it had the lock" : "");
  if (trace.longest_stall() > longest_standstill) {
    return {.verdict = Verdict::inconclusive, .findings = {}, .why = why + excuse_for(trace)};
  }
  if (!died && !judges(trace, Property::liveness)) {
    return {.verdict = Verdict::not_exercised, .findings = {}, .why = why};
  }
  return {
      .verdict = Verdict::violated,
      .findings = {{.property = Property::liveness, .sentence = why, .evidence = {event.number}}},
      .why = {}};
}

Judgement shows_nothing(const Trace& trace, const std::string& why) {
  if (!trace.stood_still()) {
    return {.verdict = Verdict::not_exercised, .findings = {}, .why = why};
  }
  return {.verdict = Verdict::inconclusive, .findings = {}, .why = why + excuse_for(trace)};
}

// The properties that the scenario judges, and rising tokens if the lock has tokens.
std::vector<Property> judged_in(const Trace& trace) {
  std::vector<Property> judged;
  for (const auto& name : trace.setting.value("judged", std::vector<std::string>{})) {
    judged.push_back(property_from(name));
  }
  const bool has_tokens = std::count(judged.begin(), judged.end(), Property::rising_tokens) > 0;
  if (!has_tokens && hands_out_tokens(trace)) judged.push_back(Property::rising_tokens);
  return judged;
}

Judgement judge_properties(const Trace& trace) {
  Judgement judgement;
  for (const auto property : judged_in(trace)) {
    if (!can_be_judged(property, trace)) {
      judgement.not_judged.push_back(property);
      continue;
    }
    const auto findings = judge_property(property, trace);
    judgement.findings.insert(judgement.findings.end(), findings.begin(), findings.end());
  }
  put_reasons_first(trace, judgement.findings);
  return judgement;
}

// Why a green would prove nothing although nothing was broken: the first property, which the
// scenario is about, could not be judged.
std::optional<std::string> left_open(const Judgement& green, const Trace& trace) {
  const auto judged = trace.setting.value("judged", std::vector<std::string>{});
  if (green.not_judged.empty() || to_string(green.not_judged.front()) != judged.front()) {
    return std::nullopt;
  }
  return fmt::format("{} is what this is about, and could not be judged", judged.front());
}

// A machine that stood still as long as a lease may be why a hold ended, and nothing was broken.
Judgement excused_green(Judgement green, const Trace& trace) {
  if (const auto why = left_open(green, trace)) {
    auto open = shows_nothing(trace, *why);
    open.not_judged = green.not_judged;
    return open;
  }
  const std::chrono::milliseconds lease(trace.setting.value("lease_ms", 300));
  if (!trace.setting.value("depends_on_time", false) || trace.longest_stall() < lease) return green;
  green.verdict = Verdict::inconclusive;
  green.why = "nothing was broken" + excuse_for(trace);
  return green;
}

}  // namespace

std::vector<Property> broken_properties(const Trace& trace) {
  std::vector<Property> broken;
  for (const auto property : judged_in(trace)) {
    const bool is_broken =
        can_be_judged(property, trace) && !judge_property(property, trace).empty();
    if (is_broken) broken.push_back(property);
  }
  return broken;
}

bool only_claimed(const Trace& trace) {
  return trace.knows_key() && trace.holds.empty() && was_claimed(trace);
}

Judgement judge(const Record& record) {
  const Trace trace(record);
  for (const auto& event : trace.events) {
    if (event.kind == Kind::stalled) {
      return {.verdict = Verdict::inconclusive, .findings = {}, .why = event.text("why")};
    }
  }
  const auto end = std::find_if(trace.events.begin(), trace.events.end(),
                                [](const Event& event) { return event.kind == Kind::misbehaved; });
  const bool ends_early = end != trace.events.end();
  if (ends_early && judges(trace, Property::liveness)) return broken_off(trace, *end);
  if (const auto why = not_exercised(trace)) {
    if (ends_early) return broken_off(trace, *end);
    if (auto refused = refused_rightly(trace)) {
      return {.verdict = Verdict::holds, .findings = {}, .why = std::move(*refused)};
    }
    return shows_nothing(trace, *why);
  }
  auto judgement = judge_properties(trace);
  if (judgement.findings.empty()) {
    return ends_early ? broken_off(trace, *end) : excused_green(std::move(judgement), trace);
  }
  const bool close = trace.longest_stall() > longest_standstill ||
                     std::all_of(judgement.findings.begin(), judgement.findings.end(),
                                 [](const Finding& finding) { return finding.may_be_the_machine; });
  judgement.verdict = close ? Verdict::inconclusive : Verdict::violated;
  if (close) judgement.why = judgement.findings.front().sentence + excuse_for(trace);
  return judgement;
}

}  // namespace faults
