// Outcomes in test failures: words, not bytes.
#pragma once

#include <ostream>

#include "core/outcome.h"

namespace core {

inline void PrintTo(Acquire outcome, std::ostream* out) {
  *out << to_string(outcome);
}

inline void PrintTo(Release outcome, std::ostream* out) {
  *out << to_string(outcome);
}

}  // namespace core
