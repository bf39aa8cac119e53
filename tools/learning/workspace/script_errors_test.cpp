// A server's errors about a learner's scripts.
#include "tools/learning/workspace/script_errors.h"

#include <gtest/gtest.h>

namespace learning {
namespace {

TEST(ScriptError, ThatCannotBeReadIsAnErrorAtALine) {
  const auto built = script_error("release.lua", "local a\nif a\nreturn 1\n",
                                  "SCRIPT: ERR Error compiling script (new function): "
                                  "user_script:3: 'then' expected near 'return'");
  EXPECT_EQ(built.error, "release.lua:3: error: 'then' expected near 'return' (so says Redis)");
  EXPECT_EQ(built.excerpt, "    3 | return 1\n");
  EXPECT_EQ(script_error("release.lua", "", "SCRIPT: ERR no room").error,
            "release.lua: error: SCRIPT: ERR no room");
}

}  // namespace
}  // namespace learning
