// What a lock did wrong, in one sentence: the teacher behind a red scenario.
//
// It is worked out from what the lock was seen to do (its commands, their arguments, order and
// time, what they did to the servers, what it answered), and never from its source: a lock that
// nobody here has seen before gets the sentence that fits. Rules are tried one after the other, the
// most specific first; the first that applies speaks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "learning/evidence.h"

namespace learning {

struct Diagnosis {
  std::string key;           // the mistake's name, such as "del_without_compare"
  std::string sentence;      // for its author
  bool in_general = false;   // no rule applies: it says what was seen to break, and not why
  std::size_t place = last;  // of its rule among all: the smaller, the more specific

  static constexpr std::size_t last = static_cast<std::size_t>(-1);  // what no rule says
  // The key of what is no mistake: the machine did not keep up.
  static constexpr std::string_view of_the_machine = "inconclusive";
};

// A rule: what it has to say, if it applies.
using Rule = std::optional<std::string> (*)(const Evidence& evidence);

struct NamedRule {
  std::string_view key;
  Rule says;
};

// What made a promise break, or kept the story from being told at all. Nothing for a lock under
// which the story holds.
[[nodiscard]] std::optional<Diagnosis> diagnose(const Evidence& evidence);

// The same for a story that came to no end, since the lock crashed, hung or answered with an error:
// `why`, as the kit says it.
[[nodiscard]] Diagnosis diagnose_end(const Evidence& evidence, const std::string& why);

// What is wrong although the story holds: no scenario stops there, an evening in production does.
[[nodiscard]] std::optional<Diagnosis> remark_on(const Evidence& evidence);

// Every rule there is, for a test of them.
[[nodiscard]] std::span<const NamedRule> diagnoses();
[[nodiscard]] std::span<const NamedRule> remarks();

}  // namespace learning
