// How GoogleTest prints a verdict: in words, not as bytes.
// (https://google.github.io/googletest/advanced.html#teaching-googletest-how-to-print-your-values)
#pragma once

#include <ostream>

#include "faults/judging/verdict.h"

namespace faults {

inline void PrintTo(Verdict verdict, std::ostream* out) {
  *out << to_string(verdict);
}
inline void PrintTo(Property property, std::ostream* out) {
  *out << to_string(property);
}
inline void PrintTo(const Finding& finding, std::ostream* out) {
  *out << to_string(finding.property) << ": " << finding.sentence;
}
inline void PrintTo(const Judgement& judgement, std::ostream* out) {
  *out << to_string(judgement.verdict) << ": " << judgement.sentence();
}

}  // namespace faults
