// What a lock did wrong, in one sentence: the teacher behind a red scenario.
//
// It is worked out from what the lock was seen to do (its commands, their arguments, order and
// time, what they did to the servers, what it answered), and never from its source: a lock that
// nobody here has seen before gets the sentence that fits. Rules are tried one after the other, the
// most specific first; the first that applies speaks.
#pragma once

#include <optional>
#include <string>

#include "learning/evidence/evidence.h"
#include "learning/rules/rule_table.h"

namespace learning {

// What made a promise break, or kept the story from being told at all. Nothing for a lock under
// which the story holds.
[[nodiscard]] std::optional<Diagnosis> diagnose(const Evidence& evidence);

// The same for a story that came to no end, since the lock crashed, hung or answered with an error:
// `why`, as the kit says it.
[[nodiscard]] Diagnosis diagnose_end(const Evidence& evidence, const std::string& why);

// What is wrong although the story holds: no scenario stops there, an evening in production does.
[[nodiscard]] std::optional<Diagnosis> remark_on(const Evidence& evidence);

}  // namespace learning
