#include "tools/field/report_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>

#include "faults/judging/timeline.h"
#include "faults/kit/errors.h"
#include "tools/field/leases.h"
#include "tools/field/lock_texts.h"
#include "tools/field/page_words.h"

namespace field {
namespace {

using faults::Verdict;
using nlohmann::json;

const faults::Passage* passage_of(const std::map<std::string, faults::Passage>& passages,
                                  const std::string& scenario) {
  const auto found = passages.find(scenario);
  return found == passages.end() ? nullptr : &found->second;
}

std::string say_passage(const faults::Passage* passage) {
  return passage == nullptr ? "" : fmt::format("{} ({}).", passage->says, passage->where);
}

const Cell& cell_of(const Grid& grid, const faults::TestedLock& lock, const std::string& scenario) {
  return *std::find_if(grid.cells.begin(), grid.cells.end(), [&](const auto& cell) {
    return cell.lock == lock.name && cell.scenario == scenario;
  });
}

// True if the scenario was run on any of the locks.
bool was_run(const Grid& grid, const std::string& scenario) {
  return std::any_of(grid.cells.begin(), grid.cells.end(), [&](const Cell& cell) {
    return cell.scenario == scenario && (!cell.results.empty() || cell.could_not_run);
  });
}

std::string state_without_results(const Cell& cell) {
  const auto word = cell.word();
  if (word == faults::cannot_be_judged) return "not_judged";
  if (word == "not promised") return "not_promised";
  return word == "–" ? "not_applicable" : "not_run";
}

std::string state_of(const Cell& cell, const faults::TestedLock& lock) {
  if (cell.results.empty()) return state_without_results(cell);
  switch (cell.worst().verdict()) {
    case Verdict::violated:
      return passage_of(lock.facts->documented, cell.scenario) != nullptr ? "documented"
                                                                          : "violated";
    case Verdict::inconclusive: return "not_judged";
    case Verdict::not_exercised: return "showed_nothing";
    case Verdict::holds: break;
  }
  return cell.worst().shown().judgement.is_refusal() ? "refused" : "held";
}

json with_sign(const std::string& state) {
  return {{"state", state}, {"sign", page_words().at("states").at(state).at("sign")}};
}

// The beginning and the end of a timeline that is too long to be read.
std::string cut(const std::string& timeline) {
  constexpr std::ptrdiff_t at_first = 20;
  constexpr std::ptrdiff_t at_last = 25;
  std::vector<std::string> lines;
  std::istringstream in(timeline);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto left_out = std::ssize(lines) - at_first - at_last;
  if (left_out <= 1) return timeline;
  lines.erase(lines.begin() + at_first, lines.end() - at_last);
  lines.insert(lines.begin() + at_first, fmt::format("      … {} lines more …", left_out));
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

struct Shown {
  const faults::Result* result = nullptr;
  const faults::Execution* execution = nullptr;
  std::string timeline;
};

// The violated execution with the shortest timeline.
Shown shortest(const Cell& cell) {
  Shown shown;
  auto fewest = std::string::npos;
  for (const auto& result : cell.results) {
    for (const auto& execution : result.executions) {
      if (execution.judgement.verdict != Verdict::violated) continue;
      auto timeline =
          faults::draw_timeline(faults::read_record(execution.history), {.columns = 100});
      const auto lines =
          static_cast<std::size_t>(std::count(timeline.begin(), timeline.end(), '\n'));
      if (shown.result != nullptr && lines >= fewest) continue;
      fewest = lines;
      shown = {.result = &result, .execution = &execution, .timeline = std::move(timeline)};
    }
  }
  return shown;
}

std::string say_runs(const Cell& cell) {
  const auto violated = std::count_if(
      cell.results.begin(), cell.results.end(),
      [](const faults::Result& result) { return result.verdict() == Verdict::violated; });
  return fmt::format("Not in every run: in {} of {}.", violated, cell.results.size());
}

std::string say_boundaries(const Shown& shown) {
  if (shown.execution->boundary.empty()) return {};
  return fmt::format("At {} of {} boundaries; here: {}.", shown.result->broken_at().size(),
                     shown.result->executions.size(), shown.execution->boundary);
}

void add_violation(json& data, const Cell& cell, const faults::TestedLock& lock) {
  const auto shown = shortest(cell);
  data["sentence"] = shown.execution->judgement.sentence() + ".";
  data["at"] = say_boundaries(shown);
  data["not_always"] = cell.runs_agree() ? "" : say_runs(cell);
  data["because"] = say_passage(passage_of(lock.facts->because, cell.scenario));
  data["documented"] = say_passage(passage_of(lock.facts->documented, cell.scenario));
  data["again"] = shown.result->again;
  data["timeline"] = cut(shown.timeline);
}

// Why a cell says nothing about the lock, or was not run; empty if it does.
std::string why_nothing(const Cell& cell) {
  const auto known = fmt::format("{}: ", faults::cannot_be_judged);
  if (cell.not_run.starts_with(known)) return cell.not_run.substr(known.size());
  if (!cell.not_run.empty() || cell.results.empty()) return cell.not_run;
  return cell.worst().verdict() == Verdict::holds ? "" : cell.worst().shown().judgement.sentence();
}

json cell_data(const Cell& cell, const faults::TestedLock& lock) {
  auto data = with_sign(state_of(cell, lock));
  if (cell.is_violated()) {
    add_violation(data, cell, lock);
  } else {
    data["why"] = why_nothing(cell);
  }
  if (!cell.results.empty()) data["left_out"] = cell.worst().left_out;
  data["shortened"] = say_shortened(cell);
  for (auto entry = data.begin(); entry != data.end();) {
    entry = entry->get_ref<const std::string&>().empty() ? data.erase(entry) : std::next(entry);
  }
  return data;
}

// Says what a lock was, as it introduced itself, and what its adapter chooses.
std::string settings_of(const faults::TestedLock& lock) {
  return lock.adds + say_settings(lock.nodes, lock.facts->settings, page_words());
}

// What only people read of a lock.json; an empty object if there is none.
json description_of(const faults::TestedLock& lock) {
  std::ifstream file(lock.directory / "lock.json");
  auto description = json::parse(file, nullptr, /*allow_exceptions=*/false);
  return description.is_object() ? description : json::object();
}

json lock_data(const faults::TestedLock& lock) {
  const auto described = description_of(lock);
  json data{{"name", lock.name},
            {"library", described.value("library", lock.name)},
            {"version", lock.facts->version},
            {"language", described.value("language", "")},
            {"server", lock.facts->server},
            {"servers", lock.nodes},
            {"renews", lock.facts->promises("renewal")},
            {"tells", lock.facts->loss},
            {"fencing", lock.facts->promises("fencing")},
            {"settings", lock.facts->settings},
            {"promises", described.value("promises", json::array())},
            {"says", settings_of(lock)}};
  const auto slash = lock.name.find('/');
  if (slash != std::string::npos) {
    const json::json_pointer variant("/variants/" + lock.name.substr(slash + 1) + "/says");
    data["varies"] = described.value(variant, "");
  }
  const auto& lease = lock.facts->default_lease;
  if (lease) data["default_lease_ms"] = lease->count();
  if (described.contains("downloads")) data["downloads"] = described["downloads"];
  return data;
}

// A verdict with its full stop, which the catalogue does not have.
std::string translated_verdict(const std::string& text, const terminal::Language& language) {
  const auto bare = text.substr(0, text.find_last_not_of('.') + 1);
  const auto said = language(bare);
  return said == bare ? text : said + "。";
}

void translate(json& object, std::initializer_list<const char*> fields,
               const terminal::Language& language) {
  for (const auto* field : fields) {
    if (object.contains(field)) object[field] = language(object[field].get<std::string>());
  }
}

std::string stage_state(const faults::TestedLock& stage, const std::string& scenario) {
  const auto declared = stage.declared.find(scenario);
  const bool applies = declared != stage.declared.end() && declared->second.does_not_apply.empty();
  if (!applies) return "not_applicable";
  return declared->second.broken.empty() ? "held" : "violated";
}

}  // namespace

json report_data(const Grid& grid, const std::string& made) {
  json data{{"made", made}, {"locks", json::array()}, {"rows", json::array()}};
  for (const auto& lock : grid.locks) data["locks"].push_back(lock_data(lock));
  for (const auto& scenario : faults::all_scenarios()) {
    if (!was_run(grid, scenario.name)) continue;
    auto cells = json::array();
    for (const auto& lock : grid.locks) {
      cells.push_back(cell_data(cell_of(grid, lock, scenario.name), lock));
    }
    data["rows"].push_back({{"scenario", scenario.name},
                            {"sentence", scenario.sentence},
                            {"cells", std::move(cells)}});
  }
  data["left_out"] = grid.left_out;
  return data;
}

json stage_data(const std::vector<faults::TestedLock>& stages) {
  json data{{"locks", json::array()}, {"rows", json::array()}};
  for (const auto& stage : stages) {
    data["locks"].push_back({{"name", stage.name}, {"says", stage.adds}});
  }
  for (const auto& scenario : faults::all_scenarios()) {
    auto cells = json::array();
    for (const auto& stage : stages) cells.push_back(with_sign(stage_state(stage, scenario.name)));
    data["rows"].push_back({{"scenario", scenario.name}, {"cells", std::move(cells)}});
  }
  return data;
}

json read_report_data(const std::filesystem::path& file) {
  std::ifstream input(file);
  auto data = json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (data.is_object() && data.contains("locks") && data.contains("rows")) return data;
  throw faults::CannotRun(
      fmt::format("{} is no report that ./lab field run --report has written", file.native()));
}

json in_language(json data, const terminal::Language& language) {
  translate(data, {"made"}, language);
  if (!language.catalogue().empty()) put_locks_into_chinese(data, page_words_in(language));
  for (auto& row : data.at("rows")) {
    translate(row, {"sentence"}, language);
    for (auto& cell : row.at("cells")) {
      translate(cell, {"at", "not_always", "why", "left_out", "shortened", "timeline"}, language);
      const auto& held = page_words().at("states").at("held").at("name");
      if (cell.value("shortened", json()) == held) {
        cell["shortened"] = page_words_in(language).at("states").at("held").at("name");
      }
      if (!cell.contains("sentence")) continue;
      cell["sentence"] = translated_verdict(cell["sentence"], language);
    }
  }
  return data;
}

bool is_violated(const json& cell) {
  const auto state = cell.value("state", "");
  return state == "violated" || state == "documented";
}

}  // namespace field
