// A client program's side of the protocol, over plain pipes (docs/client-protocol.md).
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "faults/kit/storage.h"
#include "faults/testing/kit_test.h"

namespace {

using faults::line_from;
using faults::test_limit;
using faults::write_line;
using nlohmann::json;
using testing::HasSubstr;

class ProtocolTest : public faults::KitRedisTest {
 protected:
  [[nodiscard]] faults::Command command(std::map<std::string, std::string> environment) const {
    return {.program = LAB_PLAIN_CLIENT,
            .arguments = {"client"},
            .environment = std::move(environment),
            .log = directory.path() / "client.log"};
  }
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return {{"LOCK_CLIENT", "A"},
            {"LOCK_NODES", redis.address().text()},
            {"LOCK_STORAGE", storage.address().text()}};
  }
  json ask(const json& request) {
    write_line(client, request.dump());
    return json::parse(line_from(client));
  }
  std::string outcome(const std::string& operation) {
    return ask({{"id", 1}, {"op", operation}, {"key", "lock"}}).value("outcome", "none");
  }
  [[nodiscard]] bool lock_exists() {
    return redis.direct().command({"EXISTS", "lock"}).integer() == 1;
  }
  void ends_well() {
    const auto end = client.ending(test_limit);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->text(), "exited with code 0");
  }

  faults::Storage storage{loop, history};
  faults::Process client{command(environment()), reaper};
};

TEST_F(ProtocolTest, HelloSaysWhoItIs) {
  const auto hello = ask({{"id", 1}, {"op", "hello"}});
  EXPECT_EQ(hello["name"], "plain");
  EXPECT_EQ(hello["version"], 1);
  EXPECT_EQ(hello["capabilities"], json({"lease"}));
}

TEST_F(ProtocolTest, RepeatsTheIdInItsAnswer) {
  EXPECT_EQ(ask({{"id", 42}, {"op", "hello"}})["id"], 42);
  EXPECT_EQ(ask({{"id", "text"}, {"op", "hello"}})["id"], "text");
}

TEST_F(ProtocolTest, AcquiresWorksAndReleases) {
  EXPECT_EQ(outcome("acquire"), "acquired");
  EXPECT_TRUE(lock_exists());
  EXPECT_TRUE(ask({{"id", 2}, {"op", "held"}, {"key", "lock"}})["held"]);
  EXPECT_EQ(outcome("work"), "done");
  EXPECT_EQ(outcome("release"), "released");
  EXPECT_FALSE(lock_exists());
  EXPECT_FALSE(ask({{"id", 2}, {"op", "held"}, {"key", "lock"}})["held"]);
  EXPECT_THAT(events_of(faults::Kind::storage, history.record()),
              testing::ElementsAre("A read", "A begin", "A write"));
}

TEST_F(ProtocolTest, RepeatsForSoLong) {
  const json repeat{{"id", 1}, {"op", "repeat"}, {"key", "lock"}, {"for_ms", 20}};
  EXPECT_GT(ask(repeat)["pairs"], 0);
  EXPECT_FALSE(lock_exists());
  redis.direct().command({"SET", "lock", "other"});
  EXPECT_EQ(ask(repeat)["pairs"], 0);
}

TEST_F(ProtocolTest, LetGoDestroysWithoutReleasing) {
  EXPECT_EQ(outcome("acquire"), "acquired");
  EXPECT_EQ(outcome("let_go"), "let go");
  EXPECT_FALSE(ask({{"id", 2}, {"op", "held"}, {"key", "lock"}})["held"]);
  EXPECT_TRUE(lock_exists());
}

TEST_F(ProtocolTest, ReportsAHeldLockAsContended) {
  redis.direct().command({"SET", "lock", "other"});
  EXPECT_EQ(outcome("acquire"), "contended");
  const json tries{{"id", 1}, {"op", "acquire"}, {"key", "lock"}, {"tries", 3}};
  EXPECT_EQ(ask(tries)["outcome"], "contended");
}

TEST_F(ProtocolTest, AsksForTheLeaseItIsTold) {
  ask({{"id", 1}, {"op", "acquire"}, {"key", "lock"}, {"lease_ms", 5'000}});
  EXPECT_LE(redis.direct().command({"PTTL", "lock"}).integer(), 5'000);
  ask({{"id", 1}, {"op", "acquire"}, {"key", "other"}, {"lease_ms", nullptr}});
  EXPECT_GT(redis.direct().command({"PTTL", "other"}).integer(), 5'000);
}

TEST_F(ProtocolTest, RejectsABadLineAndGoesOn) {
  for (const auto* line : {"", "garbage", "{\"op\":", "7", "[]", "{}", "{\"id\":1}", "\xff\xfe"}) {
    write_line(client, line);
    const auto answer = json::parse(line_from(client));
    EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr("one JSON object a line")) << line;
  }
  EXPECT_EQ(outcome("acquire"), "acquired");
}

TEST_F(ProtocolTest, RejectsABadRequestAndGoesOn) {
  for (const auto& request : std::vector<json>{{{"op", "dance"}},
                                               {{"op", 7}},
                                               {{"op", nullptr}},
                                               {{"op", "acquire"}},
                                               {{"op", "acquire"}, {"key", 7}},
                                               {{"op", "acquire"}, {"key", "k"}, {"wait_ms", "x"}},
                                               {{"op", "acquire"}, {"key", "k"}, {"tries", "x"}},
                                               {{"op", "acquire"}, {"key", "k"}, {"lease_ms", "x"}},
                                               {{"op", "release"}},
                                               {{"op", "held"}},
                                               {{"op", "let_go"}},
                                               {{"op", "work"}}}) {
    auto with_id = request;
    with_id["id"] = 9;
    const auto answer = ask(with_id);
    EXPECT_TRUE(answer.contains("error")) << request << " was answered " << answer;
    EXPECT_EQ(answer["id"], 9) << request;
  }
  EXPECT_EQ(outcome("acquire"), "acquired");
}

TEST_F(ProtocolTest, RefusesWorkWithoutTheLock) {
  EXPECT_THAT(ask({{"id", 1}, {"op", "work"}, {"key", "lock"}})["error"].get<std::string>(),
              HasSubstr("work needs the lock"));
}

TEST_F(ProtocolTest, ReleasesTheLockWhenWorkThrows) {
  EXPECT_EQ(outcome("acquire"), "acquired");
  const auto answer = ask({{"id", 1}, {"op", "work"}, {"key", "lock"}, {"throws", true}});
  EXPECT_EQ(answer["outcome"], "abandoned");
  EXPECT_FALSE(lock_exists());
}

TEST_F(ProtocolTest, AsksTheLockWhenNothingIsHeld) {
  EXPECT_EQ(outcome("release"), "not_held");
}

TEST_F(ProtocolTest, ReadsTwoRequestsInOneChunk) {
  write_line(client, R"({"id":1,"op":"hello"})"
                     "\n"
                     R"({"id":2,"op":"acquire","key":"lock"})");
  EXPECT_EQ(json::parse(line_from(client))["id"], 1);
  EXPECT_EQ(json::parse(line_from(client))["id"], 2);
}

TEST_F(ProtocolTest, ReleasesOnBye) {
  EXPECT_EQ(outcome("acquire"), "acquired");
  EXPECT_EQ(outcome("bye"), "bye");
  ends_well();
  EXPECT_FALSE(lock_exists());
}

TEST_F(ProtocolTest, ReleasesAtTheEndOfInput) {
  EXPECT_EQ(outcome("acquire"), "acquired");
  client.input().reset();
  ends_well();
  EXPECT_FALSE(lock_exists());
}

TEST_F(ProtocolTest, ReleasesOnSigterm) {
  EXPECT_EQ(outcome("acquire"), "acquired");
  client.terminate();
  EXPECT_EQ(json::parse(line_from(client))["event"], "stopped");
  ends_well();
  EXPECT_FALSE(lock_exists());
}

TEST_F(ProtocolTest, EndsAWaitOnSigterm) {
  redis.direct().command({"SET", "other", "held"});
  (void)ask({{"id", 0}, {"op", "hello"}});  // it is up
  write_line(client, R"({"id":1,"op":"acquire","key":"other","wait_ms":600000})");
  client.terminate();
  ends_well();
}

TEST_F(ProtocolTest, ReportsAServerThatIsGone) {
  redis.kill();
  const auto answer = ask({{"id", 1}, {"op", "acquire"}, {"key", "lock"}});
  EXPECT_TRUE(answer.contains("error") || answer["outcome"] == "unknown") << answer;
  EXPECT_EQ(outcome("bye"), "bye");
  ends_well();
}

TEST_F(ProtocolTest, NamesTheWrongVariable) {
  for (const auto& [variable, value] :
       std::map<std::string, std::string>{{"LOCK_CLIENT", ""},
                                          {"LOCK_NODES", ""},
                                          {"LOCK_NODES", "nonsense"},
                                          {"LOCK_STORAGE", "nonsense"},
                                          {"LOCK_LEASE_MS", "soon"},
                                          {"LOCK_TIMEOUT_MS", "-1"}}) {
    auto wrong = environment();
    wrong[variable] = value;
    auto program = command(wrong);
    program.log = directory.path() / (variable + ".log");
    faults::Process started(program, reaper);
    EXPECT_EQ(started.ending(test_limit).value().text(), "exited with code 2") << variable;
    std::ifstream log(program.log);
    std::string said;
    std::getline(log, said);
    EXPECT_THAT(said, HasSubstr(variable));
  }
}

}  // namespace
