// The script tools/mutants/run, called as a person calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "faults/testing/called_program.h"

namespace {

namespace fs = std::filesystem;
using faults::Playground;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A tree of its own with a copy of the script, and one file, which is built into a "test program".
class AMutant : public testing::Test {
 protected:
  AMutant() {
    fs::create_directories(tree_.path("tools/mutants"));
    fs::copy_file(LAB_SOURCE_DIR "/tools/mutants/run", tree_.path("tools/mutants/run"));
    write("number", "#!/bin/sh\none=1\ntwo=2\n");
    write("CMakePresets.json", R"({"version": 3, "configurePresets": [{"name": "lab",
        "generator": "Ninja", "binaryDir": "${sourceDir}/build-lab"}]})");
    write("CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.21)
project(small NONE)
set(made ${CMAKE_BINARY_DIR}/bin/number_test)
add_custom_command(OUTPUT ${made} DEPENDS number test.sh
  COMMAND mkdir -p bin
  COMMAND cat ${CMAKE_SOURCE_DIR}/number ${CMAKE_SOURCE_DIR}/test.sh > ${made}
  COMMAND chmod +x ${made})
add_custom_target(number_test DEPENDS ${made})
)");
    write("test.sh", "printf 'Number.\\n  IsOne\\n'\n[ $one = 1 ]\n");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(tree_.path(name)) << text;
  }
  void write_mutant(const std::string& lines) const {
    write("tools/mutants/small.mutants", "number\n" + lines + "number_test Number.*\n");
  }
  faults::ProgramResult run(std::vector<std::string> arguments) {
    return tree_.call(tree_.path("tools/mutants/run"), std::move(arguments));
  }
  // All mutants, in a repository with one.
  faults::ProgramResult run_all() {
    EXPECT_EQ(tree_.call("/usr/bin/git", {"init", "-q", tree_.path("").native()}).code, 0);
    EXPECT_EQ(tree_.call("/usr/bin/git", {"-C", tree_.path("").native(), "add", "."}).code, 0);
    return run({});
  }

 private:
  Playground tree_;
};

TEST(Mutants, AreManyAndNoneIsStale) {
  const auto ended = Playground().call(LAB_SOURCE_DIR "/tools/mutants/run", {"--list"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_GE(std::count(ended.output.begin(), ended.output.end(), '\n'), 150);
}

TEST(Mutants, AreOfARoomThatIsThere) {
  const auto ended =
      Playground().call(LAB_SOURCE_DIR "/tools/mutants/run", {"--room", "cellar", "--list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors,
              StartsWith("tools/mutants/run: There is no room \"cellar\"; there are: "));
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1);
}

TEST_F(AMutant, IsRedIfATestFindsIt) {
  write_mutant("- one=1\n+ one=2\n");
  const auto ended = run_all();
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("small 1  number: one=2\n"));
  EXPECT_THAT(ended.output, HasSubstr(": 1 red\n"));
}

TEST_F(AMutant, SurvivesIfNoTestFindsIt) {
  write_mutant("- two=2\n");
  const auto ended = run_all();
  EXPECT_EQ(ended.code, 1) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr(": 1 survives\n"));
}

TEST_F(AMutant, MaySurviveForAReason) {
  write_mutant("- two=2\nreason: Nothing needs it.\n");
  EXPECT_EQ(run_all().code, 0);
}

TEST_F(AMutant, WithAReasonMustSurvive) {
  write_mutant("- one=1\nreason: Nothing needs it.\n");
  const auto ended = run_all();
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.output, HasSubstr("red after all"));
}

TEST_F(AMutant, IsNotRunWhereItsTestsAreNotBuilt) {
  write("tools/mutants/small.mutants", "number\n- one=1\nother_test Other.*\n");
  const auto ended = run_all();
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("not run: the mutants of other_test, which is not built"));
}

TEST_F(AMutant, IsStaleIfItsLineIsGone) {
  write_mutant("- one=0\n+ one=2\n");
  const auto ended = run({});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("stale: small 1: number does not have exactly once "
                                      "\"one=0\"; change tools/mutants/small.mutants"));
}

TEST_F(AMutant, IsStaleIfItsLineIsThereTwice) {
  write("number", "#!/bin/sh\none=1\none=1\n");
  write_mutant("- one=1\n");
  EXPECT_EQ(run({"--list"}).code, 2);
}

TEST_F(AMutant, NeedsTestsThatAreGreen) {
  write("number", "#!/bin/sh\none=0\ntwo=2\n");
  write_mutant("- two=2\n");
  const auto ended = run_all();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("Without a mistake, tests of number_test are red."));
}

TEST_F(AMutant, IsWrittenWithAFileALineAndTests) {
  write("tools/mutants/small.mutants", "number\n- one=1\n");
  const auto ended = run({"--list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.output, IsEmpty());
  EXPECT_THAT(ended.errors, HasSubstr("it needs a file, a \"- \" line and a line TARGET TESTS"));
}

}  // namespace
