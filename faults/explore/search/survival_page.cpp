#include "faults/explore/search/survival_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace explore {
namespace {

// The locks of the table, in its order.
std::vector<std::string> locks_of(const std::vector<SurvivalCell>& cells) {
  std::vector<std::string> locks;
  for (const auto& cell : cells) {
    if (std::find(locks.begin(), locks.end(), cell.lock) == locks.end()) locks.push_back(cell.lock);
  }
  return locks;
}

std::string text_of(const SurvivalCell& cell) {
  if (cell.ending == "violated") return fmt::format("✗ {}, {} steps", cell.property, cell.steps);
  if (cell.ending == "diverged") return "! diverged";
  if (cell.ending == "never both") return "never both";
  return fmt::format("{} {}", cell.ending == "holds" ? "✓" : "?", cell.orders);
}

std::string text_at(const std::vector<SurvivalCell>& cells, const SurvivalRow& row,
                    const std::string& lock) {
  const auto alone = broken_alone(cells, row, lock);
  if (alone.size() == 2) return "(both)";
  if (alone.size() == 1) return fmt::format("({})", alone.front());
  const auto* cell = find_cell(cells, row.name, lock);
  return cell == nullptr ? "–" : text_of(*cell);
}

std::string table_of(const std::vector<SurvivalCell>& cells, const std::vector<SurvivalRow>& rows,
                     const std::string& heading) {
  const auto locks = locks_of(cells);
  std::string text = fmt::format("| {} |", heading);
  std::string line = "|---|";
  for (const auto& lock : locks) {
    text += fmt::format(" {} |", lock);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const auto& row : rows) {
    text += fmt::format("| {} |", row.title());
    for (const auto& lock : locks) text += fmt::format(" {} |", text_at(cells, row, lock));
    text += "\n";
  }
  return text;
}

bool is_a_pair(const SurvivalCell& cell) {
  const auto& pairs = survival_pairs();
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const auto& pair) { return pair.name == cell.row; });
}

std::string schedule_of(const SurvivalCell& cell) {
  auto text = fmt::format("\n## {}: {}\n\n{}, after {} steps:\n\n```text\nlock: {}\n", cell.lock,
                          cell.row, cell.property, cell.steps, cell.lock);
  if (cell.row == "nested") text += "operations: nested\n";
  text += "steps:\n";
  for (const auto& label : cell.order) text += label + "\n";
  return text + "```\n";
}

constexpr const char* about_one =
    "# What survives what, by search?\n\n"
    "Two clients, and at most one fault of the kind that the row names. ✓ 57: all 57 orders were "
    "run; "
    "none\nbreaks a property, or the one that the row names. ✗: the property that the shortest "
    "order "
    "breaks, and\nafter how many steps. ? 57: 57 orders were run, and there are more. !: a replay "
    "has "
    "diverged, so\nnothing is known. A lock on five servers is searched with at most one switch, "
    "or "
    "two for slow work\n([how the search works](searching.md)). *Nested*: the thread that holds "
    "the "
    "lock takes it again.\n\n";

// Why this table and that of the scenarios differ.
constexpr const char* about_fail_over =
    "\nA fail-over loses the server's last write, and no more, unlike the scenario\n"
    "[`failover`](scenarios.md#failover). Stage 2 loses its `PEXPIRE`, and its lock stays.\n"
    "Stages 7 and 8 are red because the search also lets A have a bare majority, as\n"
    "[`failover_bare_majority`](scenarios.md#failover_bare_majority) does.\n";

constexpr const char* about_field =
    "# What do other people's locks survive, by search?\n\n"
    "The rows of [the table of the stages](explored.md), for locks of [field/](../field/README.md) "
    "on one server,\nwith the lease of 300 ms, or the shortest that they allow. *Nested* is "
    "searched where the library promises\nit. Each lock has a section in [the field "
    "report](field-report.md), with what it promises: a ✗ is a fact,\nnot the word *bug*.\n\n";

constexpr const char* about_pairs =
    "\n## Two faults\n\n"
    "At most one of each of the two kinds. Where one kind alone breaks the lock, so do both: the "
    "cell names\nit, and nothing was searched. The others are searched with at most two switches; "
    "on five servers with\none, and a fault comes only while a client works. Such as `./lab "
    "explore 5 --faults slow,cut --at-most 2\n--once-each --switches 2`. *Never both*: within "
    "these "
    "bounds no order has both.\n\n";

constexpr const char* about_findings =
    "\nWhat neither of two faults breaks alone, and both together do:\n\n";

// The pairs that break a lock which neither of their faults breaks alone, one a line.
std::string new_findings_table(const std::vector<SurvivalCell>& cells) {
  std::string text = "| two faults | lock | break | after |\n|---|---|---|---|\n";
  for (const auto& cell : cells) {
    if (!is_a_pair(cell) || cell.ending != "violated") continue;
    text += fmt::format("| {} | {} | {} | {} steps |\n", cell.row, cell.lock, cell.property,
                        cell.steps);
  }
  return text;
}

}  // namespace

std::string survival_table(const std::vector<SurvivalCell>& cells) {
  return table_of(cells, survival_rows(), "at most one");
}

std::string pairs_table(const std::vector<SurvivalCell>& cells) {
  return table_of(cells, survival_pairs(), "at most one of each");
}

std::string field_survival_page(const std::vector<SurvivalCell>& cells) {
  auto text = about_field + survival_table(cells) +
              "\n`./lab explore --table NAME --record` makes a column. Each ✗ is one of the orders "
              "below; `./lab\nreplay` repeats one.\n";
  for (const auto& cell : cells) {
    if (!cell.order.empty()) text += schedule_of(cell);
  }
  return text + "\nNext: [what is told to their maintainers?](findings.md)\n";
}

std::string survival_page(const std::vector<SurvivalCell>& cells) {
  auto text = about_one + survival_table(cells) +
              "\n`./lab explore --table --record` makes this page. Each ✗ is one of the orders "
              "below; `./lab\nreplay` repeats one.\n" +
              about_fail_over + about_pairs + pairs_table(cells) + about_findings +
              new_findings_table(cells);
  for (const auto& cell : cells) {
    if (!cell.order.empty()) text += schedule_of(cell);
  }
  return text + "\nNext: [how can a fault hit one exact command?](how-the-kit-works.md)\n";
}

}  // namespace explore
