// The table of faults and locks: each cell is a search, and says whether the lock survives the
// fault.
//
// A row has one fault, or two. A pair is searched where neither of its faults breaks the lock
// alone: where one does, so does the pair.
//
// It is declared in faults/explore/survival.json, which `./lab explore --table --record` writes.
// survival_page.h shows it.
//
// Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faults/explore/search/search.h"

namespace explore {

// The bounds of the searches of one row.
struct SurvivalRow {
  std::string name;
  std::string operations = "once";
  std::string faults;  // at most one of them; of a pair: each of both at most once
  std::string during;
  std::string judged;           // empty: all that a search judges
  int switches = 1;             // on several servers (switch_limit.h)
  std::vector<std::string> of;  // a pair: the names of the rows with one of its faults

  // Its name, and the property if it judges only one.
  [[nodiscard]] std::string title() const;
  [[nodiscard]] bool is_pair() const { return !of.empty(); }
  // The search of a lock on so many servers.
  [[nodiscard]] SearchPlan plan(int servers) const;
};

// The rows with one fault at most, and those with two of their faults.
[[nodiscard]] const std::vector<SurvivalRow>& survival_rows();
[[nodiscard]] const std::vector<SurvivalRow>& survival_pairs();

struct SurvivalCell {
  std::string row;
  std::string lock;
  std::string ending;    // "holds", "violated", "budget spent", "diverged"; of a pair "never both"
  std::string property;  // the first that was broken, or empty
  long orders = 0;
  std::size_t steps = 0;           // until the finding can be seen
  std::vector<std::string> order;  // those steps

  bool operator==(const SurvivalCell&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SurvivalCell, row, lock, ending, property, orders, steps, order)

// Null: there is no such cell.
[[nodiscard]] const SurvivalCell* find_cell(const std::vector<SurvivalCell>& cells,
                                            const std::string& row, const std::string& lock);
// The names of those of a pair's two rows that break the lock alone.
[[nodiscard]] std::vector<std::string> broken_alone(const std::vector<SurvivalCell>& cells,
                                                    const SurvivalRow& pair,
                                                    const std::string& lock);

// How a cell is searched; what the search finds does not depend on it.
struct SearchEffort {
  std::chrono::milliseconds budget{60'000};  // of one cell
  int workers = 1;
  int sampled = SearchPlan().sampled;
};

// Searches. Throws as `search` does, except Diverged: that is an ending of the cell.
[[nodiscard]] SurvivalCell examine(const SurvivalRow& row, const faults::TestedLock& lock,
                                   const faults::RedisBinary& redis, const SearchEffort& effort,
                                   faults::Reaper& reaper);

enum class Comparison { agrees, differs, budget_spent };

// Compares `found` with what `declared` says of that row and lock. Where it says nothing, or where
// the declared search was not finished, anything that breaks no property agrees.
[[nodiscard]] Comparison compare(const std::vector<SurvivalCell>& declared,
                                 const SurvivalCell& found);

// Throws CannotRun.
[[nodiscard]] std::vector<SurvivalCell> read_survival(const std::filesystem::path& file);
[[nodiscard]] std::string to_text(const std::vector<SurvivalCell>& cells);

}  // namespace explore
