// Programs in Go, and the same linked with the C library, in virtual time. Skipped without Go.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "faults/explore/shim/shim_command.h"
#include "faults/explore/testing/kept_python.h"
#include "faults/explore/testing/searched_program.h"
#include "faults/explore/world/unix_socket.h"
#include "faults/kit/errors.h"

namespace {

using testing::HasSubstr;

// Built once for all tests, which may run in several processes at the same time.
class Programs {
 public:
  static bool are_built() {
    static const Programs programs;
    return programs.built_;
  }
  static std::filesystem::path path(bool with_c) {
    return std::filesystem::path(LAB_BINARY_DIR) / (with_c ? "go_program_with_c" : "go_program");
  }

 private:
  Programs() : built_(build(false) && build(true)) {}

  static bool build(bool with_c) {
    constexpr const char* script = R"([ "$0" -nt "$1" ] ||
        { go build $2 -o "$0.new" "$1" >&2 && mv "$0.new" "$0"; })";
    const auto command = fmt::format(
        "CGO_ENABLED={0} flock '{1}.lock' sh -c '{2}' '{1}' '{3}' '{4}'", with_c ? 1 : 0,
        path(with_c).native(), script, LAB_SOURCE_DIR "/faults/explore/shim/testing_program.go",
        with_c ? "-tags netcgo" : "");
    return std::system(command.c_str()) == 0;
  }

  bool built_;
};

class GoProgram : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
#ifndef LAB_HAS_SHIM
    GTEST_SKIP() << "virtual time follows Go on x86-64 alone";
#endif
    if (std::system("command -v go >/dev/null") != 0) GTEST_SKIP() << "there is no go";
    if (GetParam() && std::system("command -v gcc >/dev/null") != 0) {
      GTEST_SKIP() << "there is no gcc for cgo";
    }
    ASSERT_TRUE(Programs::are_built());
  }

  std::string said_by(std::vector<std::string> words) {
    words.insert(words.begin(), Programs::path(GetParam()).native());
    return program.said_by(words);
  }

  std::string refusal() {
    return faults::said_by<faults::CannotRun>(
        [&] { program.inside().must_take_part("the client"); });
  }

  faults::Reaper reaper;
  explore::SearchedProgram program{reaper};
};

TEST_P(GoProgram, SleepsForHoursInNoTime) {
  EXPECT_EQ(said_by({"sleep"}), "10h0m0s\n");
  EXPECT_NO_THROW(program.inside().must_take_part("the program"));
}

TEST_P(GoProgram, CountsEachOfItsThreads) {
  EXPECT_EQ(said_by({"threads"}), "passed on\n");
}

TEST_P(GoProgram, KeepsTheDeadlineOfARead) {
  const auto listener = explore::listen_at(program.socket(7));
  EXPECT_EQ(said_by({"deadline", "127.0.0.1:7"}), "true\n");
  EXPECT_EQ(program.time().now(), std::chrono::seconds(7));
}

TEST_P(GoProgram, ConnectsByIpv6) {
  const auto listener = explore::listen_at(program.socket(7));
  EXPECT_EQ(said_by({"deadline", "[::1]:7"}), "true\n");
}

TEST_P(GoProgram, NoticesAWriteOfItsOwn) {
  EXPECT_EQ(said_by({"pipe"}), "p\n");
}

TEST_P(GoProgram, DrawsTheSameNumbers) {
  const auto first = said_by({"random"});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(said_by({"random"}), first);
}

TEST_P(GoProgram, RefusesACallItDoesNotKnow) {
  EXPECT_EQ(said_by({"timerfd"}), "set\n");
  EXPECT_TRUE(program.inside().is_refused());
  EXPECT_THAT(refusal(), HasSubstr("does not know: system call 283"));
}

TEST_P(GoProgram, StartsNoOther) {
  EXPECT_EQ(said_by({"child"}), "true\n");
  EXPECT_THAT(refusal(), HasSubstr("starts other processes"));
}

TEST_P(GoProgram, IsNotStartedByAScript) {
  program.start(
      {"/bin/sh", "-c", fmt::format("exec '{}' sleep", Programs::path(GetParam()).native())});
  EXPECT_THAT(faults::said_by<faults::CannotRun>([&] { (void)program.rests(); }),
              HasSubstr("as Go does, and another program has started it"));
}

// Beside other processes, as in a scenario: a Python program starts it by the shim.
class KeptGoProgram : public GoProgram {
 protected:
  void SetUp() override {
    GoProgram::SetUp();
    if (!explore::KeptPython::is_there()) GTEST_SKIP() << "there is no Python here";
  }

  // `go(word)` starts the program with its pipes; `tell` says how many seconds that took, too.
  std::string said_by(const std::string& text) {
    const auto started = explore::through_shim({Programs::path(GetParam()).native()});
    return python_.said_by(
        fmt::format("pipe = subprocess.PIPE\n"
                    "def go(word, **more):\n"
                    "  words = ['{}', '{}', '{}', word]\n"
                    "  return subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, **more)\n"
                    "begin = time.monotonic()\n"
                    "def tell(*words): say(*words, round(since(begin)))\n{}",
                    started.at(0), started.at(1), started.at(2), text));
  }

  explore::KeptPython python_{reaper};
};

TEST_P(KeptGoProgram, SleepsForHoursInNoTime) {
  EXPECT_EQ(said_by("tell(go('sleep').communicate()[0].strip())"), "10h0m0s 36000");
}

TEST_P(KeptGoProgram, IsWokenByAnotherProcess) {
  EXPECT_EQ(said_by("child = go('echo')\n"
                    "time.sleep(5)\n"
                    "child.stdin.write('hello\\n'); child.stdin.flush()\n"
                    "tell(child.stdout.readline().strip())\n"
                    "child.communicate()"),
            "hello 5");
}

TEST_P(KeptGoProgram, GetsASignalWhileItWaits) {
  EXPECT_EQ(said_by("child = go('signal')\n"
                    "child.stdout.readline()\n"
                    "time.sleep(3)\n"
                    "child.send_signal(signal.SIGTERM)\n"
                    "tell(child.communicate()[0].strip())"),
            "terminated 3");
}

TEST_P(KeptGoProgram, HoldsUpNoTimeWhileItIsStopped) {
  EXPECT_EQ(said_by("child = go('echo')\n"
                    "child.send_signal(signal.SIGSTOP)\n"
                    "time.sleep(60)\n"
                    "child.send_signal(signal.SIGCONT)\n"
                    "tell(child.communicate('after that')[0].strip())"),
            "after that 60");
}

TEST_P(KeptGoProgram, SeesItsWallClockStepped) {
  const auto file = (python_.directory() / "clock").native();
  EXPECT_EQ(
      said_by(fmt::format("open('{0}', 'wb').write(struct.pack('<q?7x', 3600 * 10**9, False))\n"
                          "child = go('wall', env={{**os.environ, 'LAB_CLOCK': '{0}'}})\n"
                          "ahead = int(child.communicate()[0]) - int(time.time())\n"
                          "tell(ahead, struct.unpack('<q?7x', open('{0}', 'rb').read())[1])",
                          file)),
      "3600 True 0");
}

INSTANTIATE_TEST_SUITE_P(, KeptGoProgram, testing::Bool(),
                         [](const auto& with_c) { return with_c.param ? "WithC" : "Alone"; });

INSTANTIATE_TEST_SUITE_P(, GoProgram, testing::Bool(),
                         [](const auto& with_c) { return with_c.param ? "WithC" : "Alone"; });

}  // namespace
