// `./lab bench`, called as a person calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/testing/called_program.h"
#include "faults/testing/expectations.h"
#include "tools/bench/runner.h"

namespace bench {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LabBench : public testing::Test {
 protected:
  faults::ProgramResult call(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    return playground.call(LAB_PROGRAM, std::move(arguments));
  }

  // A file of the only run.
  [[nodiscard]] std::filesystem::path kept(const std::string& name) const {
    const std::filesystem::directory_iterator runs(playground.path("runs"));
    return runs->path() / name;
  }

  void expect_one_sentence(const faults::ProgramResult& ended, const std::string& part) {
    faults::expect_one_sentence(playground, ended, part);
    EXPECT_THAT(ended.errors, Not(StartsWith("… "))) << "it should not have begun to measure";
  }

  std::string runs() { return playground.path("runs").native(); }

  faults::Playground playground;
};

using LabBenchInterrupt = LabBench;

TEST_F(LabBench, MeasuresEverythingAndKeepsIt) {
  const auto ended = call({"--smoke", "--runs", runs()});
  ASSERT_EQ(ended.code, 0) << ended.errors;
  for (const auto* name : {"stage1/tcp/free", "stage8/tcp/pinned", "nodes5_one_frozen/stage7",
                           "held1ms_pause5ms/stage6/own", "locks00100/stage5"}) {
    EXPECT_THAT(ended.output, HasSubstr(name));
  }
  std::ifstream table(kept("table.txt"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(table), {}), ended.output);
  expect_nothing_left(playground);
  EXPECT_THAT(call({"--from", kept("results.json"), "--markdown"}).output, HasSubstr("|---:|"));
}

TEST_F(LabBench, WritesTheJsonOfGoogleBenchmark) {
  const auto ended = call({"--smoke", "--json", "--runs", runs(), "--filter", "stage4/tcp/free"});
  const auto object = nlohmann::json::parse(ended.output);
  EXPECT_EQ(object.at("benchmarks").at(0).at("name"), "uncontended/stage4/tcp/free");
  EXPECT_GT(object.at("benchmarks").at(0).at("real_time"), 0);
  EXPECT_GT(object.at("benchmarks").at(0).at("ratio"), 0);
  EXPECT_GT(object.at("context").at("num_cpus"), 0);
}

TEST_F(LabBench, ComparesWithAnOlderRun) {
  ASSERT_EQ(call({"--smoke", "--runs", runs(), "--filter", "stage1/tcp/free"}).code, 0);
  const auto old = kept("results.json").native();
  const auto ended = call({"--from", old, "--compare", old});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("+0.0 %"));
}

TEST_F(LabBench, MeasuresALockByItsOwnLoop) {
  const auto ended = call({"--smoke", "--runs", runs(), "--filter", "peers/.*/alone/stage[47]"});
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, ContainsRegex("one/alone/stage4_lua_release +[1-9].* 2\\.0 "));
  EXPECT_THAT(ended.output, ContainsRegex("five/alone/stage7_redlock +[1-9].* 2\\.0 "));
}

TEST_F(LabBench, ComparesTwoStages) {
  const auto ended = call({"--smoke", "--runs", runs(), "3", "stage4"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("stage 3"));
  EXPECT_THAT(ended.output, HasSubstr("stage 4"));
  EXPECT_THAT(ended.output, HasSubstr("contended/held1ms_pause5ms/own"));
  EXPECT_THAT(ended.output, HasSubstr("uncontended/tcp/free"));
  expect_one_sentence(call({"3"}), "which two stages?");
  expect_one_sentence(call({"3", "9"}), "no stage \"9\"");
}

TEST_F(LabBench, SpeaksChinese) {
  EXPECT_THAT(call({"--help", "--lang", "zh"}).output, HasSubstr("\n用法：./lab bench [选项]"));
  const auto ended =
      call({"--smoke", "--runs", runs(), "--filter", "stage4/tcp/free", "--lang", "zh"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("\n无争用：在一条连接上加锁、解锁\n"));
  EXPECT_THAT(ended.output, HasSubstr("  与极限之比  与 SET + EVALSHA 之比\n"));
}

TEST_F(LabBench, ComparesTwoStagesByAFilter) {
  EXPECT_EQ(call({"3", "4", "--filter", "unix", "--list"}).output,
            "uncontended/stage3/unix/free\nuncontended/stage3/unix/pinned\n"
            "uncontended/stage4/unix/free\nuncontended/stage4/unix/pinned\n");
  const auto ended =
      call({"--smoke", "--runs", runs(), "3", "4", "--filter", "pinned", "--markdown"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("| uncontended/tcp/pinned |"));
  EXPECT_THAT(ended.output, Not(HasSubstr("contended/held")));
  expect_one_sentence(call({"6", "7", "--filter", "quorum"}), "no benchmark of both stages has");
}

TEST_F(LabBench, ComparesTwoStagesQuickly) {
  const auto ended =
      call({"--quick", "--json", "--runs", runs(), "1", "2", "--filter", "tcp/free"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  const auto object = nlohmann::json::parse(ended.output);
  EXPECT_EQ(object.at("context").at("scale"), "quick");
}

TEST(WarningOfLoad, ComesIfAClientAndItsServerShareACpu) {
  EXPECT_EQ(warning_of_load(0.3, 2), "");
  EXPECT_EQ(warning_of_load(1.9, 4), "");
  EXPECT_THAT(warning_of_load(20, 2), HasSubstr("load 20.0 on 2 CPUs"));
  EXPECT_THAT(warning_of_load(0.9, 2), HasSubstr("busy"));
  EXPECT_THAT(warning_of_load(2.5, 4), HasSubstr("busy"));
}

TEST_F(LabBench, RejectsABadOlderRunBeforeMeasuring) {
  std::ofstream(playground.path("other.json")) << "{}";
  expect_one_sentence(call({"--compare", playground.path("other.json")}),
                      "is not what ./lab bench");
  expect_one_sentence(call({"--compare", playground.path("absent.json")}), "cannot read");
}

TEST_F(LabBench, RejectsAFilterThatFindsNothing) {
  expect_one_sentence(call({"--filter", "stage9"}), "--list names them");
  expect_one_sentence(call({"--filter", "("}), "not a regular expression");
}

TEST_F(LabBench, EndsWithTwoForAnUnknownOption) {
  EXPECT_EQ(call({"--colour"}).code, 2);
  EXPECT_THAT(call({"--help"}).output, HasSubstr("--quick"));
}

TEST_F(LabBench, RejectsRunsThatCannotBeWritten) {
  std::ofstream(runs()) << "a file, not a directory";
  expect_one_sentence(call({"--smoke", "--runs", runs()}), "choose another with --runs");
}

TEST_F(LabBench, ShowsResultsThatAFullDiskCannotKeep) {
  std::filesystem::create_directories(playground.path("runs"));
  // Files of at most 512 bytes.
  const auto command = std::string("trap '' XFSZ; ulimit -f 1; exec '") + LAB_PROGRAM +
                       "' bench --smoke --filter stage1/tcp/free --runs '" + runs() + "'";
  const auto ended = playground.call("/bin/sh", {"-c", command});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("cannot write"));
  EXPECT_THAT(ended.output, HasSubstr("stage1/tcp/free"));
}

// The contended group, in the middle: it has a server and clients at work.
std::unique_ptr<faults::Process> bench_at_work(faults::Playground& playground,
                                               const std::string& runs) {
  constexpr std::size_t program_reaper_server_clients = 3 + 8;
  auto bench = playground.start(LAB_PROGRAM, {"bench", "--filter", "contended", "--runs", runs});
  await_processes(playground, program_reaper_server_clients);
  return bench;
}

TEST_F(LabBenchInterrupt, CtrlCLeavesNothing) {
  std::signal(SIGINT, SIG_DFL);  // whatever these tests are run under
  const auto bench = bench_at_work(playground, runs());
  kill(bench->id(), SIGINT);
  ASSERT_TRUE(bench->ending(std::chrono::seconds(5))) << "waited 5 s for it to end";
  expect_nothing_left(playground);
}

TEST_F(LabBenchInterrupt, SigkillLeavesNothing) {
  const auto bench = bench_at_work(playground, runs());
  bench->kill();
  expect_nothing_left(playground);
}

}  // namespace
}  // namespace bench
