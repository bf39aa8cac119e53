// The script ./lab: a copy of it in a directory where every program that it calls is a fake, so
// that it neither installs nor builds anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "terminal/testing/child.h"

namespace app {
namespace {

using terminal::Ended;
using terminal::Playground;
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Entry : public testing::Test {
 protected:
  // A machine with a shell and the usual small programs, in a house whose name has a space.
  Entry() {
    fs::create_directories(house());
    fs::copy(LAB_SOURCE_DIR "/lab", house() / "lab");
    fs::create_directories(playground.path("bin"));
    for (const auto* program : {"bash", "cat", "dirname", "env", "grep", "id", "kill", "mkdir",
                                "readlink", "rm", "sh", "sleep", "tail", "xargs"}) {
      for (const auto* directory : {"/usr/bin", "/bin"}) {
        if (!fs::exists(fs::path(directory) / program)) continue;
        fs::create_symlink(fs::path(directory) / program, playground.path("bin") / program);
        break;
      }
    }
  }

  fs::path house() { return playground.path("the house"); }

  void add_program(const std::string& name, const std::string& text) {
    fs::remove(playground.path("bin/" + name));
    playground.write_script("bin/" + name, text);
  }

  // All needed programs and headers; `cmake` makes a program that prints its arguments.
  void add_tools() {
    add_program("c++", "exit 0");
    add_program("gnuplot", "exit 0");
    add_program("ninja", "exit 0");
    add_program("patch", "exit 0");
    add_program("redis-server", "exit 0");
    add_program("cmake", "house='" + house().native() + R"('
      [ "$1" != -S ] || {
        echo "configures"
        mkdir -p "$house/build/app"
        echo > "$house/build/build.ninja"
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$house" > "$house/build/CMakeCache.txt"
      }
      program=$house/build/app/lab
      echo '#!/bin/sh' > "$program"
      echo 'printf "<%s>" "$@"' >> "$program"
      /bin/chmod +x "$program")");
  }

  Ended call(std::vector<std::string> arguments, fs::path script = {}) {
    if (script.empty()) script = house() / "lab";
    return playground.call(script, std::move(arguments),
                           {{"PATH", playground.path("bin")}, {"CXX", ""}, {"REDIS_SERVER", ""}});
  }

  Playground playground;
};

TEST_F(Entry, WithoutAptNamesWhatIsMissing) {
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("missing: "));
  for (const auto* package : {"g++", "cmake", "libhiredis-dev", "redis-tools"}) {
    EXPECT_THAT(ended.errors, HasSubstr(package));
  }
}

TEST_F(Entry, MissesAFileThatIsNotThere) {
  add_tools();
  std::ifstream script(house() / "lab");
  std::string text((std::istreambuf_iterator<char>(script)), {});
  const std::string where = "/usr/share/nodejs";
  ASSERT_NE(text.find(where), std::string::npos);
  std::ofstream(house() / "lab") << text.replace(text.find(where), where.size(), "/nowhere");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("missing: node-d3 "));
}

TEST_F(Entry, WithoutRootAndSudoSaysSo) {
  add_program("apt-get", "exit 100");
  add_program("id", "echo 1000");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("there is no sudo"));
}

TEST_F(Entry, SaysWhatItInstallsAndWhenThatFails) {
  add_program("apt-get", "echo 'apt: no network'; exit 100");
  add_program("id", "echo 0");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_LT(ended.errors.find("installing with apt-get: g++"), ended.errors.find("no network"));
  EXPECT_THAT(ended.errors, HasSubstr("is there a network?"));
}

TEST_F(Entry, DoesNotInstallWhatIsThere) {
  add_tools();
  add_program("apt-get", "exit 100");
  const auto ended = call({"run", "a name with spaces", ""});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, "<run><a name with spaces><>");
  EXPECT_THAT(ended.errors, IsEmpty());
}

TEST_F(Entry, HasNoGreenForATestThatIsNotThere) {
  add_tools();
  add_program("ctest", "echo 'Total Tests: 0'");
  const auto ended = call({"test", "-R", "typo"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("./lab test -N shows"));
  add_program("ctest", "echo 'Total Tests: 10'");
  EXPECT_EQ(call({"test", "-R", "lock"}).code, 0);
}

TEST_F(Entry, WorksThroughASymlink) {
  add_tools();
  fs::create_symlink("the house/lab", playground.path("link"));
  EXPECT_EQ(call({"list"}, playground.path("link")).output, "<list>");
}

TEST_F(Entry, BuildsACopiedTreeFromTheStart) {
  add_tools();
  const auto kept = house() / "build" / "kept";
  EXPECT_EQ(call({}).code, 0);
  std::ofstream(kept) << "from before";
  EXPECT_EQ(call({}).code, 0);
  EXPECT_TRUE(fs::exists(kept)) << "a second call should leave what is built alone";
  std::ofstream(house() / "build" / "CMakeCache.txt") << "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere";
  EXPECT_EQ(call({}).code, 0);
  EXPECT_FALSE(fs::exists(kept)) << "it names another place";
}

TEST_F(Entry, ShowsTheLogOfAFailedBuild) {
  add_tools();
  add_program("cmake", "echo 'error: expected a semicolon'; exit 1");
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("expected a semicolon"));
  EXPECT_THAT(ended.errors, HasSubstr("could not configure"));
  EXPECT_THAT(ended.output, IsEmpty());
}

TEST_F(Entry, SaysWhenItCannotWrite) {
  add_tools();
  std::ofstream(house() / "build") << "a file where the directory should be";
  const auto ended = call({"list"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("cannot write in"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("could not")));
}

}  // namespace
}  // namespace app
