#include "faults/world/tested_lock.h"

#include <fstream>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WrongTurns : public KitTest {
 protected:
  WrongTurns() {
    write(directory.path() / "stage9_x", R"({
      "adds": "something", "commands": {"acquire": 1, "renew": 1},
      "scenarios": {"late_renewal": {"claim": "Renewal.Survives"},
                    "slow_holder": {"claim": "Lease.Survives"}}})");
  }

  static void write(const std::filesystem::path& where, const std::string& declaration) {
    std::filesystem::create_directories(where);
    std::ofstream(where / "declared.json") << declaration;
  }

  void write_turn(const std::string& name, const std::string& declaration) {
    write(directory.path() / "stage9_x" / "wrong_turns" / name, declaration);
  }

  std::vector<TestedLock> load() {
    return load_wrong_turns(
        load_tested_lock(directory.path() / "stage9_x", {"/bin/stage9_x_client"}));
  }
};

TEST_F(WrongTurns, MostStagesHaveNone) {
  EXPECT_THAT(load(), IsEmpty());
}

TEST_F(WrongTurns, AreFoundByName) {
  write_turn("b", R"({"wrong": "b is", "scenarios": {}})");
  write_turn("a", R"({"wrong": "a is", "scenarios": {}})");
  const auto turns = load();
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[0].name, "stage9_x/a");
  EXPECT_EQ(turns[1].name, "stage9_x/b");
  EXPECT_EQ(turns[0].adds, "a is");
  EXPECT_THAT(turns[0].command, ElementsAre("/bin/stage9_x_a_client"));
  EXPECT_THAT(turns[0].directories(),
              ElementsAre(directory.path() / "stage9_x" / "wrong_turns" / "a",
                          directory.path() / "stage9_x"));
}

TEST_F(WrongTurns, HaveWhatTheyDoNotDeclareFromTheirStage) {
  write_turn("a", R"({"wrong": "a is", "commands": {"renew": 2},
                      "scenarios": {"late_renewal": {"claim": "A.Breaks", "broken": ["liveness"]}}})");
  const auto turn = load().at(0);
  EXPECT_EQ(turn.commands_on_the_wire.at("renew"), 2);
  EXPECT_EQ(turn.commands_on_the_wire.at("acquire"), 1);
  EXPECT_EQ(turn.declared.size(), 1U);
  EXPECT_THAT(turn.declared.at("late_renewal").broken, ElementsAre(Property::liveness));
}

TEST_F(WrongTurns, DeclareWhatTheOneTheyDifferFromDoes) {
  write_turn("a", R"({"wrong": "a is", "scenarios": {"late_renewal": {"claim": "A.Breaks"}}})");
  write_turn("b", R"({"wrong": "b is", "differs_from": "a"})");
  const auto turn = load().at(1);
  EXPECT_EQ(turn.adds, "b is");
  const auto stage = directory.path() / "stage9_x";
  EXPECT_THAT(turn.directories(), ElementsAre(stage / "wrong_turns" / "b", "/bin/b/stage9_x",
                                              stage / "wrong_turns" / "a", stage));
  EXPECT_EQ(turn.declared.at("late_renewal").claim, "A.Breaks");
}

TEST_F(WrongTurns, AreOnlyToldOfWhatTheirStageDeclares) {
  write_turn("a", R"({"wrong": "a is", "scenarios": {"amnesia": {"claim": "A.Breaks"}}})");
  EXPECT_THAT(said_by<CannotRun>([&] { (void)load(); }),
              HasSubstr("a/declared.json is not a declaration: its stage says nothing about "
                        "amnesia"));
}

// A malformed declaration, and the sentence about it.
class Malformed : public WrongTurns,
                  public testing::WithParamInterface<std::pair<std::string, std::string>> {};

TEST_P(Malformed, IsSaidToBeWithItsFile) {
  const auto& [written, sentence] = GetParam();
  write(directory.path() / "stage9_x", written);
  EXPECT_THAT(said_by<CannotRun>([&] { (void)load(); }),
              testing::StartsWith((directory.path() / "stage9_x/declared.json").native() +
                                  " is not a declaration: " + sentence));
}

std::string declaration_with(const std::string& field) {
  return R"({"adds": "something", "commands": {}, "scenarios": {}, )" + field + "}";
}

std::string declaration_of(const std::string& scenario) {
  return R"({"adds": "something", "commands": {}, "scenarios": {"half_open": )" + scenario + "}}";
}

INSTANTIATE_TEST_SUITE_P(
    Declaration, Malformed,
    testing::Values(std::pair{declaration_with(R"("nodes": 0)"),
                              R"(a lock needs a node: "nodes" is a number above 0)"},
                    std::pair{declaration_with(R"("durability": "some")"),
                              R"("some" is not a durability: it is "keeps" or "forgets")"},
                    std::pair{declaration_with(R"("storage": "no")"),
                              R"("no" is not a kind of storage)"},
                    std::pair{declaration_of(R"({"claim": "A.Breaks", "broken": ["luck"]})"),
                              R"("luck" is not a property of a lock)"},
                    std::pair{declaration_of(R"({"claim": "Survives"})"),
                              R"(the claim "Survives" does not read Subject.WhatItClaims)"}));

TEST_F(WrongTurns, HaveToSayWhatIsWrong) {
  write_turn("a", R"({"scenarios": {}})");
  EXPECT_THAT(said_by<CannotRun>([&] { (void)load(); }), HasSubstr("'wrong' not found"));
}

}  // namespace
}  // namespace faults
