// All that the page shows, as one JSON.
//
//   made      when
//   stages    name, adds
//   scenarios name, sentence, judged
//   cells     row by row: word (as in the table), verdict, sentence, difference, again, executions
//             (drawing.h, packed) and the index of the one that is shown first; without a result:
//             word, why
//   repeated  packed.h
//   words     the meanings of the cells' words
//   diffs     from the second stage on: from, to, adds, [file's difference]
//   price     price.h
//   hides_verdicts   true if each is hidden until it was guessed; else absent
//   field     the field report's table, as docs/field-report.json has it; without that file: none
//   texts     {"English": "translation"}, unless the page is in English; what the reader sees of
//   the
//             above, but for other people's locks, is in that language
//   trees     every order within bounds, as faults/explore/stepping/explored_tree.h has it; from
//             tools/report/trees/
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/table/grid.h"
#include "tools/terminal/language.h"

namespace report {

// Throws CannotRun.
[[nodiscard]] nlohmann::json page_data(const table::Grid& grid,
                                       const std::optional<std::filesystem::path>& bench,
                                       const terminal::Language& language = {});

}  // namespace report
