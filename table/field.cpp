#include "table/field.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/judging/timeline.h"
#include "faults/kit/errors.h"
#include "faults/running/side_by_side.h"
#include "table/locks.h"

namespace table {
namespace {

using faults::Verdict;

int rank(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated: return 3;
    case Verdict::inconclusive: return 2;
    case Verdict::not_exercised: return 1;
    case Verdict::holds: break;
  }
  return 0;
}

void add_cells(Field& field, const faults::Stage& lock) {
  for (const auto& scenario : faults::all_scenarios()) {
    field.cells.push_back({.lock = lock.name,
                           .scenario = scenario.name,
                           .not_run = faults::why_not_applicable(scenario, lock),
                           .results = {}});
  }
}

void run_cell(FieldCell& cell, const faults::Stage& lock, const faults::RunPlan& plan, int times,
              faults::Reaper& reaper) {
  const auto& scenario = *faults::find_scenario(cell.scenario);
  try {
    for (int i = 0; i < times; ++i) {
      cell.results.push_back(faults::run(lock, scenario, plan, reaper));
    }
  } catch (const faults::CannotWrite&) {
    throw;
  } catch (const faults::CannotRun& error) {
    cell.results.clear();
    cell.not_run = error.what();
    cell.could_not_run = true;
  }
}

// The row of a scenario: one cell for each lock.
std::string row_of(const Field& field, const std::string& scenario) {
  std::string row = fmt::format("| `{}` |", scenario);
  bool any = false;
  for (const auto& lock : field.locks) {
    const auto cell = std::find_if(field.cells.begin(), field.cells.end(), [&](const auto& each) {
      return each.lock == lock.name && each.scenario == scenario;
    });
    const auto word = cell->word();
    any = any || !cell->results.empty() || cell->could_not_run;
    row += word == "violated" ? " **violated** |" : fmt::format(" {} |", word);
  }
  return any ? row + "\n" : "";
}

std::string say_cell(const FieldCell& cell) {
  const auto& result = cell.worst();
  const auto& shown = result.shown();
  auto text =
      fmt::format("### {} · {}\n\n{}\n\n", cell.lock, cell.scenario, shown.judgement.sentence());
  if (!shown.boundary.empty()) {
    text += fmt::format("At {} of {} boundaries; this one: {}.\n\n", result.broken_at().size(),
                        result.executions.size(), shown.boundary);
  }
  if (!cell.runs_agree()) text += "The runs do not agree.\n\n";
  text += fmt::format("```text\n{}```\n\n",
                      faults::draw_timeline(faults::read_record(shown.history), {.columns = 100}));
  return text + fmt::format("Again: `{}`\n\n", result.again);
}

}  // namespace

const faults::Result& FieldCell::worst() const {
  return *std::max_element(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return rank(a.verdict()) < rank(b.verdict());
  });
}

bool FieldCell::runs_agree() const {
  return std::all_of(results.begin(), results.end(), [&](const faults::Result& result) {
    return result.verdict() == results.front().verdict();
  });
}

std::string FieldCell::word() const {
  if (could_not_run) return "could not run";
  if (!not_run.empty()) return not_run.starts_with("not promised") ? "not promised" : "–";
  if (results.empty()) return "not run";
  return std::string(faults::to_string(worst().verdict())) + (runs_agree() ? "" : " (not always)");
}

Field empty_field(const std::vector<std::string>& names) {
  Field field;
  const auto wanted = names.empty() ? lock_names() : names;
  for (const auto& name : wanted) {
    try {
      field.locks.push_back(lock_named(name));
    } catch (const faults::CannotRun& error) {
      if (!names.empty()) throw;
      field.left_out.emplace_back(error.what());
    }
  }
  for (const auto& lock : field.locks) add_cells(field, lock);
  return field;
}

void fill_field(Field& field, const faults::RunPlan& plan, int times, int jobs,
                faults::Reaper& reaper, const std::function<void(const FieldCell&)>& done) {
  std::mutex mutex;
  const auto scenarios = faults::all_scenarios().size();
  faults::side_by_side(field.cells.size(), jobs, [&](std::size_t i) {
    auto& cell = field.cells[i];
    if (!cell.not_run.empty()) return;
    run_cell(cell, field.locks[i / scenarios], plan, times, reaper);
    const std::lock_guard guard(mutex);
    done(cell);
  });
}

std::string field_report(const Field& field, const std::string& made) {
  auto text = fmt::format(
      "# The field report\n\n"
      "Locks that people use, under the scenarios of this repository. {}\n\n"
      "Each lock stands in [locks/](../locks/README.md) with its adapter, its settings and what "
      "its "
      "documentation promises. *not promised*: the lock does not say that it does this, so it was "
      "not asked; –: it does not apply.\n\n| scenario |",
      made);
  std::string line = "|---|";
  std::string versions = "| *version* |";
  for (const auto& lock : field.locks) {
    text += fmt::format(" [{0}](../locks/{1}/) |", lock.name, lock.directory.filename().native());
    line += "---|";
    const auto ran = std::find_if(field.cells.begin(), field.cells.end(), [&](const auto& cell) {
      return cell.lock == lock.name && !cell.results.empty();
    });
    versions += fmt::format(" {} |", ran == field.cells.end() ? lock.adds : ran->results[0].lock);
  }
  text += "\n" + line + "\n" + versions + "\n";
  for (const auto& scenario : faults::all_scenarios()) text += row_of(field, scenario.name);
  text += "\n";
  for (const auto& why : field.left_out) text += fmt::format("Left out: {}.\n\n", why);
  text += "## What was violated\n\n";
  for (const auto& cell : field.cells) {
    if (!cell.results.empty() && cell.worst().verdict() == Verdict::violated)
      text += say_cell(cell);
  }
  text.pop_back();
  return text;
}

}  // namespace table
