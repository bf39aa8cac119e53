// The rules in order, the most specific first, and how the first that applies is found.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "learning/evidence/evidence.h"

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

// Every rule that says why a story broke, and every one that is said although it holds.
[[nodiscard]] std::span<const NamedRule> diagnoses();
[[nodiscard]] std::span<const NamedRule> remarks();

// What the first of `rules` that applies has to say.
[[nodiscard]] std::optional<Diagnosis> first_of(std::span<const NamedRule> rules,
                                                const Evidence& evidence);

// What the rule of that name says to a story that came to no end. One that is not among the
// diagnoses, since it speaks to such stories only, is as specific as the first.
[[nodiscard]] Diagnosis said_by(std::string_view key, std::string sentence);

}  // namespace learning
