// The picture of the eight stages, and the terminal: what they say.
#include "tools/pictures/stages_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "tools/book/documents.h"
#include "tools/pictures/terminal_picture.h"
#include "tools/table/stages.h"

namespace pictures {
namespace {

using testing::HasSubstr;

nlohmann::json english() {
  return nlohmann::json::parse(book::read_file(LAB_SOURCE_DIR "/tools/pictures/stages.en.json"));
}

TEST(StagesPicture, HasEveryIdeaAndWhatBreaksIt) {
  const auto words = english();
  const auto svg = picture_of_stages(table::all_stages(), words.dump());
  for (const auto& stage : words.at("stages")) {
    EXPECT_THAT(svg, HasSubstr(">" + stage.at("idea").get<std::string>() + "<"));
    EXPECT_THAT(svg, HasSubstr(">⚡ " + stage.at("breaks").get<std::string>() + "<"));
  }
}

TEST(StagesPicture, RefusesAScenarioThatBreaksNothing) {
  auto words = english();
  words["stages"][1]["scenario"] = "killed_holder";  // stage 2 survives it
  EXPECT_THROW((void)picture_of_stages(table::all_stages(), words.dump()), faults::CannotRun);
}

TEST(TerminalPicture, TypesTheCommandAndEndsWithTheVerdict) {
  const auto record =
      faults::read_record(book::recorded_history(table::stage_named("4"), "slow_holder"));
  const auto svg = picture_of_terminal(record, "./lab run");
  EXPECT_THAT(svg, HasSubstr("<tspan class=\"k8\">n</tspan>"));
  const auto verdict = svg.rfind("violated");
  EXPECT_GT(verdict, svg.rfind("WRITE 1"));
  EXPECT_THAT(svg, HasSubstr("prefers-reduced-motion"));
}

}  // namespace
}  // namespace pictures
