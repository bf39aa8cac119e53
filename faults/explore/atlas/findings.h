// What the searches of the atlas have found: of each lock, under each kind of fault, the promises
// that it breaks.
//
// As JSON a lock is one line: {"lock": NAME, "under": {"kill": "57", "slow work": "582 X R"}}: how
// many orders were run, the letters of the broken promises, and "?" if there are more orders.
//
// Thread-safety: values and pure functions.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/explore/atlas/parts.h"

namespace atlas {

// A promise, with the letter that tables have for it.
struct Promise {
  char letter;
  std::string name;  // as a verdict has it: "mutual exclusion"
};
[[nodiscard]] const std::vector<Promise>& promises();

// One search: a lock under one kind of fault.
struct Cell {
  long orders = 0;
  std::set<char> broken;     // letters of promises
  bool is_exhausted = true;  // false: there are more orders, and what is not broken is not known

  bool operator==(const Cell&) const = default;
};

struct Finding {
  Parts parts;
  std::map<std::string, Cell> under;  // by the fault's name

  bool operator==(const Finding&) const = default;
  // Null: it was not searched.
  [[nodiscard]] const Cell* cell(const std::string& fault) const;
};

// True if both break the same, and the same is known. How many orders that took may differ.
[[nodiscard]] bool is_alike(const Finding& a, const Finding& b);

// A promise under a kind of fault.
using Kept = std::pair<std::string, char>;

// What a lock surely keeps, and what it may keep: of a search that did not end it is not known.
[[nodiscard]] std::set<Kept> surely_kept(const Finding& finding);
[[nodiscard]] std::set<Kept> perhaps_kept(const Finding& finding);

// Null: there is no such lock.
[[nodiscard]] const Finding* find(const Parts& parts, const std::vector<Finding>& all);

// The record of the atlas, in the source tree.
[[nodiscard]] std::filesystem::path recorded_atlas();
// Throws CannotRun.
[[nodiscard]] std::vector<Finding> read_findings(const std::filesystem::path& file);
// Throws std::exception for a text that is none.
[[nodiscard]] std::vector<Finding> findings_from(const std::string& text);
[[nodiscard]] std::string to_text(const std::vector<Finding>& findings);
// `recorded` with those of `found` in place of what it had of their locks, in the order of
// `all_locks`.
[[nodiscard]] std::vector<Finding> recorded_with(const std::vector<Finding>& recorded,
                                                 const std::vector<Finding>& found);

}  // namespace atlas
