// How GoogleTest prints verdicts and properties: by their names, not as bytes.
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

}  // namespace faults
