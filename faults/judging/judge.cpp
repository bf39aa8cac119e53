#include "faults/judging/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "faults/judging/properties.h"

namespace faults {
namespace {

bool happened(const Story& story, std::string_view what) {
  return std::any_of(story.events.begin(), story.events.end(), [what](const Event& event) {
    return event.kind == Kind::fault && event.text("what") == what;
  });
}

bool contended(const Story& story) {
  return std::any_of(story.operations.begin(), story.operations.end(),
                     [&](const Operation& operation) {
                       const auto* hold = story.hold_at(operation.called);
                       return hold != nullptr && hold->owner != operation.lane &&
                              (operation.name == "acquire" || operation.name == "release");
                     });
}

// One that is held by a minority of the servers only is nobody's, unless somebody claims it.
bool nobody_held(const Story& story) {
  const bool claimed =
      std::any_of(story.operations.begin(), story.operations.end(),
                  [](const Operation& operation) { return operation.outcome == "acquired"; });
  const bool by_majority =
      std::any_of(story.holds.begin(), story.holds.end(),
                  [&](const ServerHold& hold) { return story.hold_at(hold.from) != nullptr; });
  return story.holds.empty() || (!claimed && !by_majority);
}

// From a machine that stood still for so long nothing can be seen of a lock: the longest leases end
// meanwhile, and the longest waits.
constexpr std::chrono::milliseconds longest_standstill{5'000};

// What may have been the machine.
std::string excuse_for(const Story& story) {
  return story.stood_still()
             ? fmt::format("; the machine stood still for {} ms", story.longest_stall().count())
             : "; the machine may be too slow";
}

// Why the history shows nothing, if it does not.
std::optional<std::string> not_exercised(const Story& story) {
  for (const auto& event : story.events) {
    if (event.kind == Kind::not_exercised) return event.text("why");
  }
  if (story.setting.empty()) return "the history does not say what was run";
  if (nobody_held(story)) return "nobody ever held the lock";
  for (const auto& need : story.setting.value("needs", std::vector<std::string>{})) {
    if (need == needs_contention ? contended(story) : happened(story, need)) continue;
    return need == needs_contention ? "nobody wanted the lock while another had it"
                                    : fmt::format("the fault did not happen: nothing was {}", need);
  }
  return std::nullopt;
}

std::vector<Finding> judge_property(Property property, const Story& story) {
  switch (property) {
    case Property::mutual_exclusion: return judge_mutual_exclusion(story);
    case Property::owner_only_release: return judge_owner_only_release(story);
    case Property::liveness: return judge_liveness(story);
    case Property::truthful_outcomes: return judge_truthful_outcomes(story);
    case Property::owner_only_renewal: return judge_owner_only_renewal(story);
    case Property::holder_was_told: return judge_holder_was_told(story);
    case Property::first_come: return judge_first_come(story);
    case Property::bounded_renewal: return judge_bounded_renewal(story);
  }
  return {};
}

}  // namespace

Judgement judge(const Record& record) {
  const Story story(record);
  for (const auto& event : story.events) {
    if (event.kind == Kind::stalled) {
      return {.verdict = Verdict::inconclusive, .findings = {}, .why = event.text("why")};
    }
  }
  if (const auto why = not_exercised(story)) {
    if (!story.stood_still()) {
      return {.verdict = Verdict::not_exercised, .findings = {}, .why = *why};
    }
    return {.verdict = Verdict::inconclusive, .findings = {}, .why = *why + excuse_for(story)};
  }
  Judgement judgement;
  for (const auto& name : story.setting.value("judged", std::vector<std::string>{})) {
    const auto findings = judge_property(property_from(name), story);
    judgement.findings.insert(judgement.findings.end(), findings.begin(), findings.end());
  }
  if (judgement.findings.empty()) return judgement;
  const bool close = story.longest_stall() > longest_standstill ||
                     std::all_of(judgement.findings.begin(), judgement.findings.end(),
                                 [](const Finding& finding) { return finding.may_be_the_machine; });
  judgement.verdict = close ? Verdict::inconclusive : Verdict::violated;
  if (close) judgement.why = judgement.findings.front().sentence + excuse_for(story);
  return judgement;
}

}  // namespace faults
