// A search leaves this behind: a directory with the schedule and the history of what it found,
// which `lab replay` and `lab judge` read.
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "faults/explore/search/search.h"
#include "faults/judging/timeline.h"

namespace explore {

// How a search ended.
enum class Ending {
  none,          // no property was broken within the bounds, and every order was run
  violated,      // one was
  budget_spent,  // none was, and there are orders left
  // A part (prefixes.h) has no orders: each would differ from one of another part only in the order
  // of what commutes (sleep_set.h).
  covered_by_others,
};

[[nodiscard]] Ending ending_of(const SearchResult& result);
// In a few words.
[[nodiscard]] std::string describe(Ending ending, const faults::Paint& paint);

// The steps of a counter-example, up to the one that breaks the property, as the file has them:
// `to_text` of it is what `lab replay` and `lab step --from` read.
[[nodiscard]] Schedule schedule_of(const CounterExample& example, const WorldPlan& world);

// For a person: its timeline, and its steps with their numbers.
[[nodiscard]] std::string describe_example(const CounterExample& example,
                                           const faults::Paint& paint);

// The command that does a schedule again. A client that has no directory is known by its command
// line.
[[nodiscard]] std::string again_with(const std::filesystem::path& schedule, const WorldPlan& world);

// Keeps the first counter-example of `result` in a new directory below `runs`; returns its schedule
// file. Throws CannotRun, CannotWrite.
[[nodiscard]] std::filesystem::path keep(const SearchResult& result, const WorldPlan& world,
                                         const std::filesystem::path& runs);

// For a person: what was covered, and what was found; `schedule` is the file of `keep`.
[[nodiscard]] std::string describe_search(const SearchResult& result, const SearchPlan& plan,
                                          const WorldPlan& world,
                                          const std::filesystem::path& schedule,
                                          const faults::Paint& paint);

// For a machine.
[[nodiscard]] nlohmann::json to_json(const SearchResult& result, const SearchPlan& plan,
                                     const WorldPlan& world, const std::filesystem::path& schedule);

// "1 fault: 812 orders", of the level under way.
[[nodiscard]] std::string describe_progress(const SearchResult& result);

}  // namespace explore
