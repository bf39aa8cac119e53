// All that the page shows, as one JSON.
//
//   made      when
//   stages    name, adds
//   scenarios name, sentence, judged
//   cells     row by row: word (as in the table), verdict, sentence, difference, again, tellings
//             (drawing.h) and which of them is shown first; of one without a result: word and why
//   words     what the cells' words mean
//   diffs     from the second stage on: from, to, adds, [file's difference]
//   price     price.h
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "table/grid.h"

namespace report {

// Throws CannotRun.
[[nodiscard]] nlohmann::json page_data(const table::Grid& grid,
                                       const std::optional<std::filesystem::path>& bench);

}  // namespace report
