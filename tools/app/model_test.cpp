// `lab model --against-the-lock`, called as a person calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faults/testing/called_program.h"
#include "faults/testing/expectations.h"

namespace app {
namespace {

using testing::HasSubstr;

class LabModel : public testing::Test {
 protected:
  faults::ProgramResult call(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "model");
    arguments.insert(arguments.end(), {"--runs", playground.path("runs").native()});
    return playground.call(LAB_PROGRAM, std::move(arguments));
  }
  void refuses(std::vector<std::string> arguments, const std::string& part) {
    faults::expect_one_sentence(playground, call(std::move(arguments)), part);
  }

  faults::Playground playground;
};

TEST_F(LabModel, RefusesWhatItsModelsDoNotKnow) {
  refuses({"--at-most", "0"}, "--at-most requires --against-the-lock");
  refuses({"--against-the-lock", "LOSSES=2"}, "excludes");
  refuses({"--against-the-lock", "--faults", "kill"}, "--faults requires --lock");
  refuses({"--against-the-lock", "--lock", "4", "--faults", "slow"}, "the models know two faults");
  refuses({"--against-the-lock", "--lock", "5"}, "stages 4 and 8 have models");
  refuses({"--against-the-lock", "--lock", "8", "--faults", "kill", "--at-most", "2"},
          "the model of stage 8 knows one fault");
  refuses({"--against-the-lock", "--lock", "8", "--faults", "freeze"}, "--during work");
}

TEST_F(LabModel, ComparesALockWithItsModel) {
  const auto same = call({"--against-the-lock", "--lock", "4", "--faults", "kill", "--json"});
  EXPECT_EQ(same.code, 0) << same.errors;
  EXPECT_THAT(nlohmann::json::parse(same.output)["end"], "the same");
}

TEST_F(LabModel, KeepsTheScheduleOfADifference) {
  const auto differs = call({"--against-the-lock", "--lock", "3", "--faults", "kill"});
  EXPECT_EQ(differs.code, 1) << differs.errors;
  EXPECT_THAT(differs.output, HasSubstr("A: GET arrives"));
  const auto at = differs.output.find("./lab replay ");
  ASSERT_NE(at, std::string::npos) << differs.output;
  auto schedule = differs.output.substr(at + 13);
  schedule.resize(schedule.find('\n'));
  EXPECT_EQ(playground.call(LAB_PROGRAM, {"replay", schedule}).code, 0);
}

}  // namespace
}  // namespace app
