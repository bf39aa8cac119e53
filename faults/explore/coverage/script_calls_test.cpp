#include "faults/explore/coverage/script_calls.h"

#include <gtest/gtest.h>

namespace explore {
namespace {

const std::string one_token = "0123456789abcdef0123456789abcdef";
const std::string other_token = "fedcba9876543210fedcba9876543210";

// A call by `token`, where the lock has `stored`.
ScriptCall call_by(const std::string& token, const std::string& stored, long long ms_left = 300) {
  return {.keys = {"lock"},
          .arguments = {token},
          .before = {{.name = "lock", .type = "string", .ms_left = ms_left, .parts = {stored}}}};
}

class ScriptCallsTest : public testing::Test {
 protected:
  // How many different calls of `script` these are.
  static std::size_t different(const std::vector<ScriptCall>& all,
                               const std::string& script = "return 1") {
    ScriptCalls calls;
    for (const auto& one : all) calls.add("release.lua", script, one);
    EXPECT_EQ(calls.scripts().size(), 1U);
    EXPECT_EQ(calls.scripts()[0].calls, static_cast<long>(all.size()));
    return calls.calls().size();
  }
};

TEST_F(ScriptCallsTest, AreOneWithOtherTokens) {
  EXPECT_EQ(different({call_by(one_token, one_token), call_by(other_token, other_token)}), 1U);
  EXPECT_EQ(different({call_by(one_token, other_token), call_by(other_token, one_token)}), 1U);
}

TEST_F(ScriptCallsTest, DifferByWhichTokensAreEqual) {
  EXPECT_EQ(different({call_by(one_token, one_token), call_by(one_token, other_token)}), 2U);
}

TEST_F(ScriptCallsTest, DifferByATokenThatTheScriptNames) {
  EXPECT_EQ(different({call_by(one_token, "x"), call_by(other_token, "x")}, "return " + one_token),
            2U);
}

TEST_F(ScriptCallsTest, DifferByNumbersAndWords) {
  EXPECT_EQ(different({call_by("1900000300000000", "x"), call_by("1900000300000001", "x")}), 2U);
  EXPECT_EQ(different({call_by("join", "x"), call_by("begin", "x")}), 2U);
  EXPECT_EQ(different({call_by("a", "x", 300), call_by("a", "x", 299)}), 2U);
  auto two_keys = call_by("a", "x");
  two_keys.keys = {"lock", "a"};
  two_keys.arguments.clear();
  EXPECT_EQ(different({call_by("a", "x"), two_keys}), 2U);
}

TEST_F(ScriptCallsTest, KnowTheirScript) {
  ScriptCalls calls;
  calls.add("acquire.lua", "return 1", call_by("a", "x"));
  calls.add("release.lua", "return 2", call_by("a", "x"));
  ASSERT_EQ(calls.calls().size(), 2U);
  EXPECT_EQ(calls.scripts().at(calls.calls()[1].script).name, "release.lua");
}

}  // namespace
}  // namespace explore
