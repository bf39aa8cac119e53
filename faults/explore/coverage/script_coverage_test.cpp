// The scripts of our locks on a real server: a counting copy does what its script does; and
// searches of which it is known what they reach.
#include "faults/explore/coverage/script_coverage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "core/error.h"
#include "faults/explore/coverage/coverage_report.h"
#include "faults/explore/coverage/scratch_server.h"
#include "faults/explore/search/option_names.h"
#include "faults/explore/search/search.h"
#include "faults/testing/kit_test.h"

namespace explore {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// An answer as text: of the whole reply, or of the second part of a counting copy's.
std::string shown(const core::Reply& reply) {
  auto text = fmt::format("{} {}", reply.integer(), reply.text());
  for (std::size_t i = 0; i < reply.parts(); ++i) {
    text += fmt::format(", {} {}", reply.integer(i), reply.text(i));
  }
  return text;
}

std::string shown_second(const core::Reply& reply) {
  auto text = fmt::format("{} {}", reply.integer(1), reply.text(1));
  for (std::size_t i = 0; i < reply.parts(1); ++i) {
    text += fmt::format(", {} {}", reply.integer(1, i), reply.text(1, i));
  }
  return text;
}

// An error without the script's digest, and without what servers write before it: pcall gives a
// script the text alone.
std::string error_text(std::string_view text) {
  text = text.substr(0, text.find(" script: "));
  for (const std::string_view before : {"user_script:", "ERR "}) {
    const auto at = text.find(before);
    if (at != std::string_view::npos) text = text.substr(at + before.size());
  }
  return std::string(text);
}

std::string text_in(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Each script of every stage, by its text; of wrong turns, and what is for production, too.
std::map<std::string, fs::path> all_scripts() {
  std::map<std::string, fs::path> files;
  for (const auto& room : fs::directory_iterator(LAB_SOURCE_DIR)) {
    const auto name = room.path().filename().native();
    if (!name.starts_with("stage") && name != "production") continue;
    for (const auto& entry : fs::recursive_directory_iterator(room)) {
      if (entry.path().extension() == ".lua") files.emplace(text_in(entry.path()), entry.path());
    }
  }
  return files;
}

// Data and arguments by which the scripts take most of their branches.
std::vector<ScriptCall> calls_of_all_kinds() {
  const std::vector<std::vector<StoredKey>> data{
      {},
      {{.name = "lock", .type = "string", .ms_left = 300, .parts = {"own"}}},
      {{.name = "lock", .type = "string", .ms_left = 300, .parts = {"other"}}},
      {{.name = "lock",
        .type = "hash",
        .ms_left = 250,
        .parts = {"token", "own", "A", "1", "B", "1", "who", "h 1", "since", "7", "lease", "300",
                  "fencing", "4"}},
       {.name = "counter", .type = "string", .parts = {"4"}},
       {.name = "marker", .type = "string", .parts = {"1"}}},
      {{.name = "lock",
        .type = "hash",
        .ms_left = 250,
        .parts = {"token", "other", "A", "1", "lease", "100"}},
       {.name = "counter", .type = "zset", .parts = {"own c A w", "-5", "other c B w", "7"}}},
  };
  const std::vector<std::vector<std::string>> arguments{
      {"own", "A", "0", "300", "begin", "h 1", "0"},
      {"own", "A", "1", "300", "join", "h 1", "5"},
      {"own", "300", "A", "100", "begin", "h", "3"},
      {"enter", "own c A w", "5", "100"},
      {"leave", "own c A w"},
      {"read", "9", "x"}};
  std::vector<ScriptCall> calls;
  for (const auto& before : data) {
    for (const auto& words : arguments) {
      calls.push_back(
          {.keys = {"lock", "counter", "marker"}, .arguments = words, .before = before});
    }
  }
  for (const auto& before : data) {
    calls.push_back({.keys = {"lock"}, .arguments = arguments.front(), .before = before});
  }
  return calls;
}

class ScriptCoverageTest : public testing::Test {
 protected:
  static faults::TestedLock stage(const std::string& name) {
    const auto client = fs::path(LAB_BINARY_DIR) / name / (name + "_client");
    return faults::load_tested_lock(fs::path(LAB_SOURCE_DIR) / name, {client.native()});
  }
  static WorldPlan world(const std::string& lock) {
    return {.stage = stage(lock), .redis = faults::find_redis(), .judged = properties_from("")};
  }
  static SearchPlan plan(const std::string& faults, const std::string& during = "") {
    return {.faults = faults_from(faults),
            .during = operations_from(during),
            .budget = std::chrono::minutes(10)};
  }
  std::vector<ScriptCoverage> covered_by(const std::string& lock, const SearchPlan& plan) {
    auto searched = world(lock);
    searched.script_calls = std::make_shared<ScriptCalls>();
    (void)explore::search(searched, plan, reaper);
    return cover_scripts(*searched.script_calls, searched.stage, searched.redis, reaper);
  }
  static std::vector<std::string> untaken(const ScriptCoverage& script) {
    std::vector<std::string> branches;
    for (const auto& [branch, is_taken] : script.branches) {
      if (is_taken) continue;
      branches.push_back(fmt::format("{} {}", branch.line, describe_untaken(branch.kind)));
    }
    return branches;
  }
  // The answer to that call, and the data after it.
  std::string come_of(const ScriptCall& call, const std::string& script, bool counts) {
    std::string text;
    try {
      const auto answer = server().make(call, script);
      text = error_text(counts ? shown_second(answer) : shown(answer));
    } catch (const core::ErrorReply& error) {
      constexpr std::string_view command = "EVAL: ";
      text = error_text("0 " + std::string(error.what()).substr(command.size()));
    }
    for (const auto& key : server().keys()) {
      text +=
          fmt::format("\n{} {} {} {}", key.name, key.type, key.ms_left, fmt::join(key.parts, " "));
    }
    return text;
  }
  ScratchServer& server() {
    if (!server_) server_ = std::make_unique<ScratchServer>(faults::find_redis(), reaper);
    return *server_;
  }

  faults::Reaper reaper;

 private:
  std::unique_ptr<ScratchServer> server_;
};

TEST_F(ScriptCoverageTest, CopiesDoWhatTheirScriptsDo) {
  const auto files = all_scripts();
  ASSERT_GE(files.size(), 20U);
  for (const auto& [script, file] : files) {
    const auto branched = branches_of(script);
    ASSERT_TRUE(branched) << file;
    for (const auto& call : calls_of_all_kinds()) {
      EXPECT_EQ(come_of(call, branched->counting, true), come_of(call, script, false))
          << file << "\n  arguments: " << fmt::format("{}", fmt::join(call.arguments, " "));
    }
  }
}

TEST_F(ScriptCoverageTest, CountsEachKindOfBranch) {
  ScriptCalls calls;
  const std::string script =
      "local n = tonumber(ARGV[1])\n"
      "if n == 1 then\n"
      "  return 'one'\n"
      "elseif n == 2 then\n"
      "  n = 0\n"
      "else\n"
      "  n = 3\n"
      "end\n"
      "for i = 1, n do\n"
      "  if i == 3 then break end\n"
      "end\n"
      "error('the end')";
  const auto covered_with = [&](const std::string& argument) {
    calls.add("made_up", script, {.arguments = {argument}});
    auto covered = cover_scripts(calls, stage("stage3_set_nx_px"), faults::find_redis(), reaper);
    return untaken(covered.at(0));
  };
  EXPECT_THAT(covered_with("1"), ElementsAre("4 never true", "6 never taken", "9 never entered",
                                             "10 never true", "10 never false"));
  EXPECT_THAT(covered_with("2"),
              ElementsAre("6 never taken", "9 never entered", "10 never true", "10 never false"));
  EXPECT_THAT(covered_with("3"), testing::IsEmpty());
}

TEST_F(ScriptCoverageTest, SaysThatABranchIsUnknown) {
  ScriptCalls calls;
  calls.add("unfinished", "if true then", {});
  calls.add("no Lua", "this is (no Lua", {});
  for (const auto& script :
       cover_scripts(calls, stage("stage3_set_nx_px"), faults::find_redis(), reaper)) {
    EXPECT_FALSE(script.is_readable) << script.name;
    EXPECT_THAT(describe_coverage({script}), HasSubstr("its branches are not known"));
  }
}

TEST_F(ScriptCoverageTest, RestoresKeysOfEachType) {
  const std::vector<StoredKey> keys{
      {.name = "a", .type = "string", .ms_left = 300, .parts = {"x y"}},
      {.name = "b", .type = "hash", .ms_left = 20, .parts = {"f", "1", "g", "2"}},
      {.name = "c", .type = "list", .parts = {"2", "1"}},
      {.name = "d", .type = "set", .parts = {"one"}},
      {.name = "e", .type = "zset", .ms_left = 7, .parts = {"m", "-1.5", "n", "2"}}};
  (void)server().make({.before = keys}, "return 1");
  EXPECT_EQ(server().keys(), keys);
  (void)server().make({}, "redis.call('XADD', 's', '1-1', 'f', 'v') return 1");
  const auto stream = server().keys();
  ASSERT_EQ(stream.size(), 1U);
  (void)server().make({.before = stream}, "return 1");
  EXPECT_EQ(server().keys(), stream);
}

// A release finds its own hold, unless its lease has run out meanwhile.
TEST_F(ScriptCoverageTest, NamesWhatNoOrderReaches) {
  const auto calm = covered_by("stage4_lua_release", plan("", ""));
  ASSERT_EQ(calm.size(), 1U);
  EXPECT_THAT(untaken(calm[0]), ElementsAre("4 never true", "7 never true"));
  EXPECT_THAT(describe_coverage(calm),
              HasSubstr("2 of 4 branches of release.lua were never taken:\n"
                        "  release.lua:4  never true     if not holder then\n"));
  const auto frozen = covered_by("stage4_lua_release", plan("freeze", "release"));
  EXPECT_THAT(untaken(frozen.at(0)), testing::IsEmpty());
  EXPECT_EQ(describe_coverage(frozen), "all 4 branches of release.lua were taken\n");
}

TEST_F(ScriptCoverageTest, NamesScriptsThatAreNeverCalled) {
  const auto covered = covered_by("stage6_reentrant", plan("", ""));
  EXPECT_THAT(describe_coverage(covered), HasSubstr("never called: holder.lua, remove.lua"));
}

// A recorded search runs the same orders.
TEST_F(ScriptCoverageTest, LeavesTheSearchAsItIs) {
  auto searched = world("stage5_watchdog");
  const auto kills = plan("kill", "release");
  const auto without = explore::search(searched, kills, reaper);
  searched.script_calls = std::make_shared<ScriptCalls>();
  const auto with = explore::search(searched, kills, reaper);
  EXPECT_EQ(with.orders(), without.orders());
  EXPECT_EQ(with.steps, without.steps);
  EXPECT_GT(searched.script_calls->calls().size(), 0U);
  EXPECT_LT(searched.script_calls->calls().size(), 200U) << "tokens do not count";
}

}  // namespace
}  // namespace explore
