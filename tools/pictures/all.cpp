#include "tools/pictures/all.h"

#include "faults/kit/history.h"
#include "pictures_parts.h"  // made by CMake: parts::stages_en and stages_zh
#include "tools/pictures/atlas_picture.h"
#include "tools/pictures/peers_picture.h"
#include "tools/pictures/run_picture.h"
#include "tools/pictures/stages_picture.h"
#include "tools/pictures/terminal_picture.h"

namespace pictures {
namespace {

// What a person sees first: the README begins with it.
std::string terminal_of(const faults::TestedLock& stage3, const terminal::Language& language) {
  const std::string scenario = "frozen_mid_release";
  return picture_of_terminal(faults::read_record(book::recorded_history(stage3, scenario)),
                             "./lab run 3 " + scenario, language);
}

}  // namespace

std::vector<book::Document> all_pictures(const std::vector<faults::TestedLock>& stages) {
  const auto chinese = terminal::Language::named("zh");
  std::vector<book::Document> pictures;
  for (const auto& stage : stages) {
    for (const auto& scenario : book::pictured_scenarios(stage)) {
      const auto record = faults::read_record(book::recorded_history(stage, scenario));
      const auto file = book::picture_file(stage, scenario);
      pictures.push_back({.path = file, .text = picture_of_run(record)});
      pictures.push_back({.path = std::filesystem::path(file).replace_extension(".zh.svg"),
                          .text = picture_of_run(record, chinese)});
    }
  }
  const auto directory = std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "pictures";
  pictures.push_back(
      {.path = directory / "stages.svg", .text = picture_of_stages(stages, parts::stages_en)});
  pictures.push_back(
      {.path = directory / "stages.zh.svg", .text = picture_of_stages(stages, parts::stages_zh)});
  pictures.push_back({.path = directory / "terminal.svg", .text = terminal_of(stages.at(2), {})});
  pictures.push_back(
      {.path = directory / "terminal.zh.svg", .text = terminal_of(stages.at(2), chinese)});
  const auto recorded = atlas::read_findings(atlas::recorded_atlas());
  pictures.push_back({.path = directory / "atlas.svg", .text = picture_of_atlas(recorded)});
  const auto costs = book::read_file(directory.parent_path() / "benchmarks.md");
  pictures.push_back({.path = directory / "peers.svg", .text = picture_of_peers(costs)});
  return pictures;
}

}  // namespace pictures
