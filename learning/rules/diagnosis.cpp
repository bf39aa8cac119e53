#include "learning/rules/diagnosis.h"

#include "faults/world/world.h"
#include "learning/rules/in_general.h"
#include "learning/rules/known_words.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning {

using faults::Verdict;

std::optional<Diagnosis> diagnose(const Evidence& evidence) {
  if (evidence.judgement.verdict == Verdict::holds) return std::nullopt;
  if (says(evidence.judgement.why, faults::WaitFor::died_renewing)) return in_general(evidence);
  if (evidence.judgement.verdict == Verdict::inconclusive) {
    return of_the_machine(evidence.judgement.why);
  }
  // What else it did is of no use to who has to find out why it died.
  if (auto crashed = crash_seen(evidence)) return crashed;
  const auto found = first_of(diagnoses(), evidence);
  return found ? found : in_general(evidence);
}

Diagnosis diagnose_end(const Evidence& evidence, const std::string& why) {
  if (a_script_runs_on(evidence, why)) {
    return {.key = "script_without_end", .sentence = script_without_end(evidence)};
  }
  if (why.starts_with(known::waited)) {
    const bool for_the_lock = says(why, known::answer_to) || says(why, known::end_after_sigterm);
    if (!for_the_lock) return of_the_machine(why);
    if (const auto again = rules::asks_itself_again(evidence)) {
      return said_by("asks_itself_again", *again);
    }
    return {.key = "hangs", .sentence = end_of_a_hang(evidence, why)};
  }
  if (says(why, known::did_not_end)) {
    return {.key = "hangs",
            .sentence = "your lock hangs: " + why +
                        "; what keeps a process is a thread that nobody has told to stop, or a "
                        "destructor that waits for one"};
  }
  const bool was_killed = says(why, known::died_at_its_end) || says(why, known::killed_by_abort);
  if (says(why, known::died) || was_killed) return crash(why);
  if (auto crashed = crash_seen(evidence)) return *crashed;
  const bool of_the_lock =
      says(why, known::answer_to_acquire) || says(why, known::answer_to_release);
  if (of_the_lock && says(why, known::lost_reply)) {
    return said_by("lets_a_lost_reply_out", rules::lost_reply_as_an_error(why));
  }
  if (const auto thrown = rules::refusal_thrown(evidence, why)) {
    return said_by("refusal_thrown", *thrown);
  }
  if (const auto found = first_of(diagnoses(), evidence)) return *found;
  return {.key = "error", .sentence = "your lock could not go on: " + with_likely_cause(why)};
}

std::optional<Diagnosis> remark_on(const Evidence& evidence) {
  return first_of(remarks(), evidence);
}

}  // namespace learning
