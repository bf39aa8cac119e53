// The exit codes of a program that judges.
//
// Thread-safety: pure functions.
#pragma once

#include "faults/judging/verdict.h"

namespace terminal {

inline constexpr int exit_holds = 0;
inline constexpr int exit_violated = 1;
inline constexpr int exit_cannot_run = 2;
inline constexpr int exit_not_shown = 3;  // not exercised, or inconclusive

// The exit code of a verdict.
[[nodiscard]] constexpr int exit_code(faults::Verdict verdict) {
  if (verdict == faults::Verdict::holds) return exit_holds;
  return verdict == faults::Verdict::violated ? exit_violated : exit_not_shown;
}

}  // namespace terminal
