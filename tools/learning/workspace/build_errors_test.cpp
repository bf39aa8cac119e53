// The errors of a compiler and a linker in a learner's files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/learning/workspace/build.h"

namespace learning {
namespace {

using testing::StartsWith;

TEST(FirstErrorIn, FindsTheFirstErrorAndCountsTheRest) {
  const auto built = first_error_in(
      "In file included from /some/copy/lock.cpp:1:\n"
      "/some/copy/lock.cpp:7:3: error: expected ';'\n"
      "    7 |   x\n"
      "      |   ^\n"
      "/some/copy/lock.h:9:1: error: another\n",
      "/some/copy", "/some/made/copy");
  EXPECT_THAT(built.error, StartsWith("lock.cpp:7:3: error: expected"));
  EXPECT_EQ(built.excerpt, "    7 |   x\n      |   ^\n");
  EXPECT_EQ(built.more, 1);
}

Built error_in(const std::string& output) {
  return first_error_in(output, "/a place/learn/copy", "/a place/learn/made/copy");
}

TEST(FirstErrorIn, NamesTheLearnersFilesAlone) {
  EXPECT_EQ(error_in("../../copy/lock.h:7:3: error: expected ';'\n").error,
            "lock.h:7:3: error: expected ';'");
  const auto undefined = error_in(
      "/usr/bin/ld: CMakeFiles/my_lock.dir/a_place/learn/copy/lock.cpp.o: in function `f()':\n"
      "/a place/learn/made/copy/../../copy/lock.cpp:32: undefined reference to `g()'\n"
      "/usr/bin/ld: /a place/learn/copy/lock.cpp:33: undefined reference to `g()'\n"
      "collect2: error: ld returned 1 exit status\n");
  EXPECT_EQ(undefined.error, "lock.cpp:32: error: undefined reference to `g()'");
  EXPECT_EQ(undefined.more, 1);
  const auto twice = error_in(
      "/usr/bin/ld: CMakeFiles/my_lock.dir/a_place/learn/copy/lock.cpp.o: in function `f()':\n"
      "/a place/learn/made/copy/../../copy/lock.h:46: multiple definition of `f()'; "
      "CMakeFiles/my_lock.dir/a_place/learn/copy/client.cpp.o:"
      "/a place/learn/made/copy/../../copy/lock.h:46: first defined here\n"
      "collect2: error: ld returned 1 exit status\n");
  EXPECT_EQ(twice.error,
            "lock.h:46: error: multiple definition of `f()'; client.cpp: lock.h:46: first defined "
            "here");
  EXPECT_EQ(twice.more, 0);
  EXPECT_EQ(error_in("/usr/bin/ld: CMakeFiles/my_lock.dir/12ab/lock.cpp.o: undefined reference to "
                     "symbol 'x'\n")
                .error,
            "lock.cpp: undefined reference to symbol 'x'");
}

TEST(FirstErrorIn, SaysWhereAMissingFunctionBelongs) {
  const auto hint = "(declared in your lock.h, and to be written in your lock.cpp)";
  EXPECT_THAT(error_in("/usr/bin/ld: /usr/include/c++/12/bits/unique_ptr.h:1065: undefined "
                       "reference to `stage3::Lock::Lock(core::Server&)'\n")
                  .error,
              testing::HasSubstr(hint));
  EXPECT_THAT(error_in("/usr/bin/ld: ../../copy/lock.cpp:7: undefined reference to `g()'\n").error,
              testing::Not(testing::HasSubstr(hint)));
}

TEST(FirstErrorIn, NamesTheLineThatLeadsToAForeignError) {
  const auto built = error_in(
      "In file included from /usr/include/c++/12/stop_token:35,\n"
      "                 from ../../copy/lock.h:11,\n"
      "                 from ../../copy/lock.cpp:1:\n"
      "/usr/include/unique_ptr.h: In instantiation of 'make_unique(_Args&& ...)':\n"
      "../../copy/lock.cpp:32:49:   required from here\n"
      "/usr/include/unique_ptr.h:1065:30: error: invalid conversion\n"
      " 1065 |     { return unique_ptr<_Tp>(...); }\n");
  EXPECT_EQ(built.error,
            "lock.cpp:32:49: error: invalid conversion (in /usr/include/unique_ptr.h:1065)");
  EXPECT_EQ(built.excerpt, "");
  EXPECT_EQ(error_in("In file included from ../../copy/lock.h:11,\n"
                     "                 from ../../copy/lock.cpp:1:\n"
                     "/usr/include/x.h:3:1: error: expected a declaration\n")
                .error,
            "lock.h:11: error: expected a declaration (in /usr/include/x.h:3)");
}

TEST(FirstErrorIn, LeavesOutWhereAWarningCameFrom) {
  EXPECT_EQ(error_in("../../copy/lock.cpp:32:49:   required from here\n"
                     "/usr/include/a.h:7:1: warning: unused\n"
                     "/usr/include/b.h:3:1: error: expected a declaration\n")
                .error,
            "/usr/include/b.h:3:1: error: expected a declaration");
  EXPECT_EQ(error_in("../../copy/lock.cpp:32:49:   required from here\n"
                     "In file included from /usr/include/a.h:1:\n"
                     "/usr/include/b.h:3:1: error: expected a declaration\n")
                .error,
            "/usr/include/b.h:3:1: error: expected a declaration");
}

TEST(FirstErrorIn, CountsNoneOfClangsWordsAboutItsLinker) {
  const auto built = error_in(
      "/usr/bin/ld: /a place/learn/copy/lock.cpp:33: undefined reference to `g()'\n"
      "clang: error: linker command failed with exit code 1 (use -v to see invocation)\n");
  EXPECT_EQ(built.error, "lock.cpp:33: error: undefined reference to `g()'");
  EXPECT_EQ(built.more, 0);
}

}  // namespace
}  // namespace learning
