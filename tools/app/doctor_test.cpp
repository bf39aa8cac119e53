// `./lab doctor`: says what a machine lacks before anything is there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tools/app/testing/entry_fixture.h"
#include "tools/table/grid_text.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Doctor : public Entry {
 protected:
  // A machine on which all is well, whatever this one is.
  Doctor() {
    for (const auto* program : {"chmod", "head", "mktemp", "sed", "stty", "timeout"}) {
      add_real_program(program);
    }
    add_tools();
    add_program("c++", "case $1 in -dump*) echo 12.2.0 ;; esac");
    add_program("cmake", "echo 'cmake version 3.25.1'");
    add_program("redis-server", "echo 'Redis server v=7.0.15 sha=00000000:0'");
    add_program("nproc", "echo 4");
    add_program("df", "printf 'Filesystem\\ndisk 9 9 50000 1%% /\\n'");
    add_program("stat", "echo tmpfs");
    set_kernel("Linux", "6.1.0-13-amd64", "x86_64");
    replace("machine.sh", "$proc/meminfo", playground.path("meminfo"));
    replace("machine.sh", "$proc/cpuinfo", playground.path("cpuinfo"));
    replace("machine.sh", "/sys/fs/cgroup", playground.path("cgroup"));
    replace("kernel.sh", "/sys/fs/cgroup", playground.path("cgroup"));
    std::ofstream(playground.path("meminfo")) << "MemAvailable:   16000000 kB\n";
    std::ofstream(playground.path("cpuinfo")) << "vendor_id : GenuineIntel\n";
    fs::create_directories(playground.path("cgroup"));
  }

  void set_kernel(const std::string& name, const std::string& release, const std::string& machine) {
    add_program("uname", "case $1 in -s) echo " + name + " ;; -r) echo " + release +
                             " ;; -m) echo " + machine + " ;; esac");
  }

  void replace(const std::string& part, const std::string& text, const std::string& by) {
    const auto path = house() / "tools/app/entry/doctor" / part;
    std::ifstream file(path);
    std::string all((std::istreambuf_iterator<char>(file)), {});
    ASSERT_NE(all.find(text), std::string::npos) << text;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + by.size())) {
      all.replace(at, text.size(), by);
    }
    std::ofstream(path) << all;
  }

  // The report, which has to end with this exit code, each finding and remedy on one line.
  std::string report(int code) {
    const auto ended = call({"doctor"});
    EXPECT_EQ(ended.code, code) << ended.output << ended.errors;
    EXPECT_EQ(ended.errors, "");
    EXPECT_THAT(ended.output, HasSubstr(code == 0 ? "will work here" : "will not work here"));
    return std::regex_replace(ended.output, std::regex("\n {17}"), " ");
  }
};

TEST_F(Doctor, PassesAMachineThatHasAll) {
  const auto said = report(0);
  for (const auto* line : {"GCC 12.2.0", "redis-server 7.0.15", "15625 MB free", "cores      4\n",
                           "50000 MB free", "127.0.0.1 answers", "virtual time: explore"}) {
    EXPECT_THAT(said, HasSubstr(line));
  }
  EXPECT_THAT(said, Not(HasSubstr("note  compiler")));
  EXPECT_THAT(said, Not(HasSubstr("stop")));
}

TEST_F(Doctor, SpeaksChineseToAPersonAlone) {
  set_kernel("Linux", "5.15.153.1-microsoft-standard-WSL2", "x86_64");
  const auto said = call({"--lang", "zh", "doctor"});
  EXPECT_EQ(said.code, 0) << said.output << said.errors;
  for (const auto* line :
       {"ok    内存       空闲 15625 MB\n", "note  WSL        WSL 2：只用得到一半内存",
        "\n                 -> 把源码放在 Linux", "./lab 和 ./lab test 在这里都能用。"}) {
    EXPECT_THAT(said.output, HasSubstr(line));
  }
  EXPECT_EQ(call({"--lang", "zh", "doctor", "--json"}).output, call({"doctor", "--json"}).output);
}

TEST_F(Doctor, BuildsAndLeavesNothing) {
  (void)report(0);
  EXPECT_FALSE(fs::exists(house() / "build-lab"));
  const fs::directory_iterator files(house());
  EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "lab and tools";
}

TEST_F(Doctor, FitsOnOneScreen) {
  const auto said = report(0);
  EXPECT_LE(std::count(said.begin(), said.end(), '\n'), 24);
}

TEST_F(Doctor, StopsOnAnotherSystem) {
  set_kernel("Darwin", "23.0.0", "arm64");
  EXPECT_THAT(report(1), HasSubstr("this is Darwin: the kit needs a Linux kernel"));
}

TEST_F(Doctor, StopsOnAKernelWithoutPidfds) {
  set_kernel("Linux", "4.4.0-19041-Microsoft", "x86_64");
  EXPECT_THAT(report(1), HasSubstr("change to WSL 2"));
}

TEST_F(Doctor, StopsOnAMachineWithoutVirtualTime) {
  set_kernel("Linux", "6.1.0", "riscv64");
  EXPECT_THAT(report(1), HasSubstr("this is riscv64"));
}

TEST_F(Doctor, NotesWsl2AndTranslation) {
  set_kernel("Linux", "5.15.153.1-microsoft-standard-WSL2", "x86_64");
  std::ofstream(playground.path("cpuinfo")) << "vendor_id : VirtualApple\n";
  const auto said = report(0);
  EXPECT_THAT(said, HasSubstr("note  wsl        WSL 2"));
  EXPECT_THAT(said, HasSubstr("an x86-64 image on an ARM machine"));
}

TEST_F(Doctor, NamesServersThatArmLacks) {
  set_kernel("Linux", "6.1.0", "aarch64");
  EXPECT_THAT(report(0), HasSubstr("of ./lab servers only redis-8.10"));
}

TEST_F(Doctor, StopsWhereNoPackageCanBeInstalled) {
  fs::remove(playground.path("bin/patch"));
  fs::remove(playground.path("bin/spin"));
  EXPECT_THAT(report(1), HasSubstr("missing (Debian's names): patch spin"));
  add_program("apt-get", "exit 100");
  add_program("id", "echo 1000");
  EXPECT_THAT(report(1), HasSubstr("there is no sudo"));
  add_program("id", "echo 0");
  EXPECT_THAT(report(1), HasSubstr("apt-get's source does not answer: patch spin"));
}

TEST_F(Doctor, AsksTheSourceOfPackages) {
  fs::remove(playground.path("bin/patch"));
  add_program("id", "echo 0");
  add_program("apt-get", "echo \"'http://source/InRelease' source_InRelease 0\"");
  add_program("helper", "[ \"$4\" = http://source/InRelease ]");
  replace("programs.sh", "/usr/lib/apt/apt-helper", playground.path("bin/helper"));
  EXPECT_THAT(report(0), HasSubstr("./lab installs what is missing: patch\n"));
  add_program("helper", "exit 100");
  EXPECT_THAT(report(1), HasSubstr("does not answer: patch -> "));
}

TEST_F(Doctor, StopsOnProgramsThatAreTooOld) {
  add_program("cmake", "echo 'cmake version 3.18.4'");
  EXPECT_THAT(report(1), HasSubstr("CMake 3.18.4 is too old"));
  add_program("cmake", "echo 'cmake version 3.25.1'");
  add_program("redis-server", "echo 'Redis server v=6.0.16 sha=00000000:0'");
  EXPECT_THAT(report(1), HasSubstr("redis-server is version 6.0.16"));
  add_program("redis-server", "echo ls");
  EXPECT_THAT(report(1), HasSubstr("no Redis or Valkey server"));
}

TEST_F(Doctor, NotesAnOldCompiler) {
  add_program("c++", "case $1 in -dump*) echo 11.4.0 ;; esac");
  EXPECT_THAT(report(0), HasSubstr("note  compiler   GCC 11.4.0 is older than 12"));
}

TEST_F(Doctor, CountsTheQuotasOfAContainer) {
  std::ofstream(playground.path("cgroup/cpu.max")) << "150000 100000\n";
  std::ofstream(playground.path("cgroup/memory.max")) << "4294967296\n";
  std::ofstream(playground.path("cgroup/pids.max")) << "100\n";
  const auto said = report(0);
  EXPECT_THAT(said, HasSubstr("2 of 4: the container's quota"));
  EXPECT_THAT(said, HasSubstr("CMAKE_BUILD_PARALLEL_LEVEL=2 ./lab\n"));
  EXPECT_THAT(said, HasSubstr("4096 MB are free, too few for 6 compilers"));
  EXPECT_THAT(said, HasSubstr("100 may run in this container"));
}

TEST_F(Doctor, StopsWithoutRoom) {
  std::ofstream(playground.path("meminfo")) << "MemAvailable:   500000 kB\n";
  EXPECT_THAT(report(1), HasSubstr("one compiler needs"));
  std::ofstream(playground.path("meminfo")) << "MemAvailable:   16000000 kB\n";
  add_program("df", "printf 'Filesystem\\ndisk 9 9 64 1%% /\\n'");
  EXPECT_THAT(report(1), HasSubstr("64 MB are free: building everything"));
}

TEST_F(Doctor, LooksAtTheTemporaryDirectory) {
  auto where = environment();
  where["TMPDIR"] = "";
  add_program("df", "printf 'Filesystem\\ndisk 9 9 64 1%% /\\n'");
  EXPECT_THAT(playground.call(house() / "lab", {"doctor"}, where).output,
              HasSubstr("in a container --shm-size=512m"));
  where["TMPDIR"] = "/nowhere";
  EXPECT_THAT(playground.call(house() / "lab", {"doctor"}, where).output,
              HasSubstr("TMPDIR is /nowhere"));
}

TEST_F(Doctor, CountsTheFilesThatMayBeOpen) {
  const auto with_at_most = [&](const std::string& files) {
    const auto command =
        "ulimit -n " + files + " && exec '" + (house() / "lab").native() + "' doctor";
    return playground.call("/bin/sh", {"-c", command}, environment()).output;
  };
  EXPECT_THAT(with_at_most("128"), HasSubstr("stop  files"));
  EXPECT_THAT(with_at_most("512"), HasSubstr("note  files"));
}

TEST_F(Doctor, NotesThePortsThatAClusterWants) {
  fs::create_directories(playground.path("proc/sys/net/ipv4"));
  std::ofstream(playground.path("proc/sys/net/ipv4/ip_local_port_range")) << "1024\t65535\n";
  replace("kernel.sh", "$proc/sys/net", playground.path("proc/sys/net"));
  EXPECT_THAT(report(0), HasSubstr("clients get ports from 1024 on"));
}

TEST_F(Doctor, StopsWhereProcCannotBeRead) {
  replace("findings.sh", "proc=/proc", "proc=" + playground.path("empty").native());
  const auto said = report(1);
  EXPECT_THAT(said, HasSubstr("a process that got SIGSTOP is not shown as stopped"));
  EXPECT_THAT(said, HasSubstr("no virtual time"));
  EXPECT_THAT(said, HasSubstr("schedstat is missing"));
}

TEST_F(Doctor, StopsWherePidfdsAreForbidden) {
  add_program("perl", "exit 1");
  EXPECT_THAT(report(1), HasSubstr("pidfd_open is forbidden"));
}

// It warns of a locale that is not there, as LANG=zh_CN.UTF-8 in a container.
TEST_F(Doctor, AsksPerlInALocaleThatIsThere) {
  add_program("perl", "[ \"$LC_ALL\" = C ] || echo 'perl: warning: Setting locale failed.' >&2");
  (void)report(0);
}

TEST_F(Doctor, NotesWhatIsForbidden) {
  add_program("setarch", "exit 1");
  add_program("unshare", "exit 1");
  add_program("id", "echo 0");
  const auto said = report(0);
  EXPECT_THAT(said, HasSubstr("note  sanitizer"));
  EXPECT_THAT(said, HasSubstr("PostgreSQL"));
}

TEST_F(Doctor, NotesWhatTheTestsLeaveOut) {
  constexpr auto* no_language = "Go or Java is missing: the tests of programs in it are skipped";
  constexpr auto* no_lock =
      "no lock of field/ was installed by npm or pip: the tests of those are skipped";
  add_program("go", "exit 0");
  auto said = report(0);
  EXPECT_THAT(said, HasSubstr(no_language));
  EXPECT_THAT(said, HasSubstr(no_lock));
  add_program("javac", "exit 0");
  fs::create_directories(house() / "field/redlock-4/node_modules");
  said = report(0);
  EXPECT_THAT(said, Not(HasSubstr(no_language)));
  EXPECT_THAT(said, Not(HasSubstr(no_lock)));
}

TEST_F(Doctor, NotesALocaleWithoutUtf8) {
  auto where = environment();
  where["LC_ALL"] = "POSIX";
  EXPECT_THAT(playground.call(house() / "lab", {"doctor"}, where).output,
              HasSubstr("export LANG=C.UTF-8"));
  where["LC_ALL"] = "C.UTF-8";
  EXPECT_THAT(playground.call(house() / "lab", {"doctor"}, where).output, Not(HasSubstr("LANG")));
}

TEST_F(Doctor, KnowsTheTerminalThatTheTableNeeds) {
  if (!faults::Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  const auto said_on = [&](std::size_t columns, std::size_t rows) {
    faults::Terminal terminal(playground,
                              fmt::format("stty columns {} rows {}; '{}' doctor", columns, rows,
                                          (house() / "lab").native()),
                              environment());
    return terminal.await_end();
  };
  const auto grid = table::empty_grid();
  const auto columns = table::text_width(grid);
  const auto rows = table::rows_to_redraw(grid);
  EXPECT_THAT(said_on(columns, rows), HasSubstr(fmt::format("{} by {}\r\n", columns, rows)));
  const auto wanted = fmt::format("from {} by {} on", columns, rows);
  EXPECT_THAT(said_on(columns - 1, rows), HasSubstr(wanted));
  EXPECT_THAT(said_on(columns, rows - 1), HasSubstr(wanted));
}

TEST_F(Doctor, SpeaksJson) {
  set_kernel("Linux", "6.1.0", "riscv64");
  const auto ended = call({"doctor", "--json"});
  EXPECT_EQ(ended.code, 1);
  const auto said = nlohmann::json::parse(ended.output);
  EXPECT_FALSE(said.at("works").get<bool>());
  EXPECT_EQ(said.at("findings").at(0).at("name"), "system");
  EXPECT_EQ(said.at("findings").at(1).at("status"), "stop");
}

TEST_F(Doctor, SpeaksJsonWithEveryOption) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--no-color", "doctor", "--json"}, {"doctor", "--json", "--lang", "zh"}}) {
    EXPECT_TRUE(nlohmann::json::parse(call(words).output).at("works").get<bool>());
  }
}

// Skips nothing: without German texts of the C library the shell speaks English anyway.
TEST_F(Doctor, UnderstandsAShellThatSpeaksGerman) {
  auto german = environment();
  german["LC_ALL"] = "C.UTF-8";
  german["LANGUAGE"] = "de";
  const auto ended = playground.call(house() / "lab", {"doctor"}, german);
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("127.0.0.1 answers"));
}

TEST_F(Doctor, KnowsNoOtherOption) {
  EXPECT_EQ(call({"doctor", "--fix"}).code, 2);
  EXPECT_EQ(call({"doctor", "--help"}).code, 0);
}

}  // namespace
}  // namespace app
