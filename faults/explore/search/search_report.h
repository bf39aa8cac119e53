// Says what a search has covered and found: for people, and as JSON.
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "faults/explore/search/search.h"
#include "faults/judging/timeline.h"

namespace explore {

enum class SearchOutcome {
  none,          // no property was broken within the bounds, and every order was run
  violated,      // a property was
  budget_spent,  // none was, and there are orders left
  // A part (prefixes.h) has no orders: each would differ from one of another part only in the order
  // of events that commute (sleep_set.h).
  covered_by_others,
};

[[nodiscard]] SearchOutcome outcome_of(const SearchResult& result);
// In a few words.
[[nodiscard]] std::string describe(SearchOutcome outcome, const faults::Paint& paint);

// For a person: a counter-example's timeline, and its steps with their numbers.
[[nodiscard]] std::string describe_example(const CounterExample& example,
                                           const faults::Paint& paint);

// For a person: what was covered and found. `schedule` is the file of the first counter-example
// (saved_search.h); empty: there is none.
[[nodiscard]] std::string describe_search(const SearchResult& result, const SearchPlan& plan,
                                          const WorldPlan& world,
                                          const std::filesystem::path& schedule,
                                          const faults::Paint& paint);
// The same for a machine.
[[nodiscard]] nlohmann::json to_json(const SearchResult& result, const SearchPlan& plan,
                                     const WorldPlan& world, const std::filesystem::path& schedule);

// "1 fault: 812 orders", of the level under way.
[[nodiscard]] std::string describe_progress(const SearchResult& result);

}  // namespace explore
