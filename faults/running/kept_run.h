// The directory of a run, and what today's judges say of it.
#pragma once

#include <filesystem>

#include "faults/running/result.h"

namespace faults {

namespace kept {

inline constexpr const char* history_file = "history.jsonl";
inline constexpr const char* undisturbed_directory = "undisturbed";
inline constexpr const char* run_file = "run.json";
// In run.json, until the run has come to its end.
inline constexpr const char* under_way = "under_way";
// The same: the boundaries that were left out, and why (Result::left_out).
inline constexpr const char* left_out = "left_out";
// The same: Result::at_default_lease.
inline constexpr const char* at_default_lease = "at_default_lease";

}  // namespace kept

// Did the run in `directory` end before it came to its end? False if there is no run.
[[nodiscard]] bool broke_off(const std::filesystem::path& directory);

// Judges a recorded run again. One that broke off has shown nothing. Throws CannotRun if
// `directory` is not one.
[[nodiscard]] Result judge_again(const std::filesystem::path& directory);

}  // namespace faults
