// The table of what survives what: faults and stages, and each cell is a search.
//
// It is declared in explore/survival.json, which `./lab explore --table --record` writes.
// docs/explored.md and the README show it.
//
// Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "explore/search/search.h"

namespace explore {

// The bounds of the searches of one row.
struct SurvivalRow {
  std::string name;
  std::string operations = "once";
  std::string faults;  // at most one of them
  std::string during;
  std::string judged;  // empty: all that a search judges
  int switches = 1;    // on several servers (switch_limit.h)

  // Its name, and what alone is judged in it.
  [[nodiscard]] std::string title() const;
};

[[nodiscard]] const std::vector<SurvivalRow>& survival_rows();

struct SurvivalCell {
  std::string row;
  std::string lock;
  std::string ending;    // "holds", "violated", "budget spent" or "diverged"
  std::string property;  // the first that was broken, or empty
  long orders = 0;
  std::size_t steps = 0;           // until the finding can be seen
  std::vector<std::string> order;  // those steps

  bool operator==(const SurvivalCell&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SurvivalCell, row, lock, ending, property, orders, steps, order)

// Searches. Throws as `search` does, but for a replay that diverged: that is how the cell ended.
[[nodiscard]] SurvivalCell examine(const SurvivalRow& row, const faults::Stage& lock,
                                   const faults::RedisBinary& redis,
                                   std::chrono::milliseconds budget, int workers,
                                   faults::Reaper& reaper);

enum class Comparison { agrees, differs, budget_spent };

// Is `found` what `declared` says of that row and lock? Where it says nothing, or where the
// declared search was not finished, anything that breaks no property agrees.
[[nodiscard]] Comparison compare(const std::vector<SurvivalCell>& declared,
                                 const SurvivalCell& found);

// Throws CannotRun.
[[nodiscard]] std::vector<SurvivalCell> read_survival(const std::filesystem::path& file);
[[nodiscard]] std::string to_text(const std::vector<SurvivalCell>& cells);

// The table in Markdown, and the page with the schedule of every red cell below it.
[[nodiscard]] std::string survival_table(const std::vector<SurvivalCell>& cells);
[[nodiscard]] std::string survival_page(const std::vector<SurvivalCell>& cells);

}  // namespace explore
