// The branches of scripts, as they are found in their text. What a counting copy does is tested on
// a real server: script_coverage_test.cpp.
#include "faults/explore/coverage/lua_branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/explore/coverage/lua_words.h"

namespace explore {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using BranchKind = LuaBranch::Kind;

std::vector<std::string> words_in(std::string_view script) {
  std::vector<std::string> words;
  for (const auto& word : lua_words(script)) words.emplace_back(word.text);
  return words;
}

std::vector<LuaBranch> found_in(std::string_view script) {
  const auto branched = branches_of(script);
  return branched ? branched->branches : std::vector<LuaBranch>{};
}

TEST(LuaWords, AreNamesAndKeywords) {
  EXPECT_THAT(words_in("local a_1 = redis.call('GET', KEYS[1])"),
              ElementsAre("local", "a_1", "redis", "call", "KEYS"));
  EXPECT_THAT(words_in("return 0xend, 1e5, 3.14"), ElementsAre("return"));
}

TEST(LuaWords, AreNotInCommentsAndStrings) {
  EXPECT_THAT(words_in("-- if\na"), ElementsAre("a"));
  EXPECT_THAT(words_in("--[[ if\nif ]] a"), ElementsAre("a"));
  EXPECT_THAT(words_in("--[==[ if ]] if ]==] a"), ElementsAre("a"));
  EXPECT_THAT(words_in("--[=if\na"), ElementsAre("a"));
  EXPECT_THAT(words_in(R"(a 'if \' if' b "if \" if" c)"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_in("a [[if ' \" ]] b [=[ if ]] ]=] c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_in("a[b[1]] c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_in("#!lua name=if\na"), ElementsAre("a"));
}

TEST(LuaWords, HaveTheirLines) {
  const auto words = lua_words("a -- one\n'two\\\nthree' [[\n]] b\n\nc");
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[1].line, 4);
  EXPECT_EQ(words[2].line, 6);
}

TEST(LuaWords, EndWithAnUnfinishedText) {
  EXPECT_THAT(words_in("a 'if"), ElementsAre("a"));
  EXPECT_THAT(words_in("a [[if"), ElementsAre("a"));
  EXPECT_THAT(words_in("a --"), ElementsAre("a"));
  EXPECT_THAT(words_in("a ["), ElementsAre("a"));
  EXPECT_THAT(words_in("a '\\"), ElementsAre("a"));
}

TEST(LuaBranches, AreBothSidesOfAnIf) {
  EXPECT_THAT(found_in("local a\n  if a then\n  return 1\nend"),
              ElementsAre(LuaBranch{BranchKind::if_true, 2, "if a then"},
                          LuaBranch{BranchKind::if_false, 2, "if a then"}));
  EXPECT_THAT(found_in("if a then b() else c() end"),
              ElementsAre(LuaBranch{BranchKind::if_true, 1, "if a then b() else c() end"},
                          LuaBranch{BranchKind::otherwise, 1, "if a then b() else c() end"}));
}

TEST(LuaBranches, AreThoseOfEachElseif) {
  EXPECT_THAT(found_in("if a then\nelseif b then\nelseif c then\nend"),
              ElementsAre(LuaBranch{BranchKind::if_true, 1, "if a then"},
                          LuaBranch{BranchKind::if_true, 2, "elseif b then"},
                          LuaBranch{BranchKind::if_true, 3, "elseif c then"},
                          LuaBranch{BranchKind::if_false, 3, "elseif c then"}));
}

TEST(LuaBranches, AreTheBodiesOfLoops) {
  EXPECT_THAT(found_in("for i = 1, 2 do\nend\nwhile a do\nend\nrepeat\nuntil b\ndo\nend"),
              ElementsAre(LuaBranch{BranchKind::loop, 1, "for i = 1, 2 do"},
                          LuaBranch{BranchKind::loop, 3, "while a do"},
                          LuaBranch{BranchKind::loop, 5, "repeat"}));
}

TEST(LuaBranches, AreFoundWithinFunctions) {
  EXPECT_THAT(found_in("while (function() do end return false end)() do\nend"),
              ElementsAre(LuaBranch{BranchKind::loop, 1,
                                    "while (function() do end return false end)() do"}));
}

TEST(LuaBranches, AreUnknownWhereBlocksDoNotFit) {
  for (const auto* wrong : {"if a then", "end", "else", "then", "until a", "repeat end",
                            "for i = 1, 2 do until a", "if a then until b"}) {
    EXPECT_FALSE(branches_of(wrong)) << wrong;
  }
  EXPECT_THAT(found_in("return 1"), IsEmpty());
}

}  // namespace
}  // namespace explore
