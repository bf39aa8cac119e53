// The field report as data: docs/field-report.json, of which the pages are made.
//
//   made      when and on what
//   note      for the reader; mostly not there
//   locks     name, library, version, language, server, servers (how many), renews, tells ("told",
//             "asked", "never"), fencing, settings, promises [{says, where}], says (what it is, and
//             its settings); of a variant also varies: what differs; if known, downloads and
//             default_lease_ms
//   rows      scenario, sentence, cells: one for each lock
//   left_out  why other locks are not in it
//
// A cell has a state, a key of "states" in page/words.json, and its sign. One that says nothing
// about the lock has why; one that was violated a sentence, again (the command) and a timeline, and
// maybe at (which boundaries), not_always, because and documented. Of any cell: left_out, and
// shortened, what runs with a shortened lease say, if they say otherwise.
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faults/world/tested_lock.h"
#include "tools/field/grid.h"
#include "tools/terminal/language.h"

namespace field {

[[nodiscard]] nlohmann::json report_data(const Grid& grid, const std::string& made);

// Our own stages in the same shape, as they are declared.
[[nodiscard]] nlohmann::json stage_data(const std::vector<faults::TestedLock>& stages);

// Reads what report_data() made. Throws CannotRun.
[[nodiscard]] nlohmann::json read_report_data(const std::filesystem::path& file);

// `data` as a page in `language` shows them: verdicts, reasons, timelines and descriptions are
// translated.
[[nodiscard]] nlohmann::json in_language(nlohmann::json data, const terminal::Language& language);

// True if a cell of the report, or of earlier runs, is a violation.
[[nodiscard]] bool is_violated(const nlohmann::json& cell);

}  // namespace field
