// Results as tables, for a terminal and for a document. A `language` is that of the cells.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/results/benchmark_results.h"
#include "tools/terminal/language.h"

namespace bench {

enum class Layout { text, markdown };

struct Column {
  std::string title;
  std::string counter;
  int decimals = 0;
  bool with_spread = false;  // the least and the most of the repetitions beside the median
};

// Cases that stand in one table; their names begin with the group's.
struct Group {
  std::string name;
  std::string title;
  std::string legend = {};  // what its columns and its rows are
  std::vector<Column> columns;
};
[[nodiscard]] const std::vector<Group>& groups();

// Lays out lines of cells; the first line has the titles.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& lines, Layout layout,
                                  const terminal::Language& language = {});

// One line for each case of `group`; empty if there is none. Medians over the repetitions.
[[nodiscard]] std::string table(const BenchmarkResults& results, const Group& group, Layout layout,
                                const terminal::Language& language = {});

// One line for each measured stage and way to wait, with the figures that matter most.
[[nodiscard]] std::string summary(const BenchmarkResults& results, Layout layout,
                                  const terminal::Language& language = {});

// The machine of the run, in one sentence.
[[nodiscard]] std::string machine(const BenchmarkResults& results);

// The machine, and every group.
[[nodiscard]] std::string tables(const BenchmarkResults& results, Layout layout,
                                 const terminal::Language& language = {});

}  // namespace bench
