// The parts of files that are made from runs: golden files, timelines in lessons, tables.
//
// A block between `<!-- timeline: SCENARIO -->` and `<!-- end -->` in a stage's README.md is the
// golden file of that scenario; in the top README.md and in docs/ the stage is named too:
// `<!-- timeline: STAGE SCENARIO -->`. A block between `<!-- table -->` and `<!-- end -->` is the
// table, one after `<!-- catalogue -->` is the catalogue of scenarios. A Chinese page has the
// blocks of its English page, timelines and catalogue in Chinese; README.zh.md has its own table,
// too, after `<!-- chinese table -->`. `lab record` writes them; tests compare them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/world/tested_lock.h"

namespace book {

// The directory of a stage's recordings, and in it a scenario's recorded history and golden file.
[[nodiscard]] std::filesystem::path recordings_of(const faults::TestedLock& stage);
[[nodiscard]] std::filesystem::path recorded_history(const faults::TestedLock& stage,
                                                     const std::string& scenario);
[[nodiscard]] std::filesystem::path golden_file(const faults::TestedLock& stage,
                                                const std::string& scenario);

// The scenarios under which `stage` is declared to break.
[[nodiscard]] std::vector<std::string> red_scenarios(const faults::TestedLock& stage);

// The pages of docs/, by name. Throws CannotRun.
[[nodiscard]] std::vector<std::filesystem::path> chapters();

// The picture of a recorded run, and the scenarios of `stage` that have one: docs/pictures/ has a
// file for each, empty or not. See tools/pictures/.
[[nodiscard]] std::filesystem::path picture_file(const faults::TestedLock& stage,
                                                 const std::string& scenario);
[[nodiscard]] std::vector<std::string> pictured_scenarios(const faults::TestedLock& stage);

// The scenarios with a golden file: the red ones, and the green ones that the lesson, a chapter or
// a picture shows. Throws CannotRun.
[[nodiscard]] std::vector<std::string> shown_scenarios(const faults::TestedLock& stage);

// The text that the golden file must have: the recorded history, judged and drawn by the present
// code. Throws CannotRun if there is no such history.
[[nodiscard]] std::string timeline_from_recorded(const faults::TestedLock& stage,
                                                 const std::string& scenario);

// The scenarios whose rows README.md shows; docs/survival.md has them all.
[[nodiscard]] std::vector<std::string> rows_in_readme();

// `text` with the block after `marker` replaced by `content`; unchanged if there is no such block.
[[nodiscard]] std::string with_block(const std::string& text, const std::string& marker,
                                     const std::string& content);

// `text` of a Chinese page, with the blocks of its English page: timelines in Chinese.
[[nodiscard]] std::string with_blocks_of(const std::string& english, std::string text);

// The contents of a timeline's block: a golden file in a fence.
[[nodiscard]] std::string as_fence(const std::string& golden);

// Both throw CannotRun.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& text);

// A document that has parts made from runs.
struct Document {
  std::filesystem::path path;
  std::string text;
};
// Every such document with its timelines and its catalogue up to date.
[[nodiscard]] std::vector<Document> up_to_date(const std::vector<faults::TestedLock>& stages,
                                               const std::vector<faults::TestedLock>& relatives);

}  // namespace book
