#include "faults/kit/redis_server.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "faults/kit/clock.h"
#include "faults/kit/redis_process.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

using std::chrono::milliseconds;

using RedisServerTest = KitRedisTest;

long long uptime(RedisServer& redis) {
  const auto info = redis.direct().command({"INFO", "server"});
  const std::string text(info.text());
  return std::stoll(text.substr(text.find("uptime_in_seconds:") + 18));
}

bool has_told_the_time(core::Server& server) {
  const auto info = server.command({"INFO", "commandstats"});
  return info.text().find("cmdstat_time:") != std::string_view::npos;
}

// How servers came back, in order.
std::vector<std::string> restarts(const Record& record) {
  std::vector<std::string> found;
  for (const auto& event : record) {
    if (event.text("what") == fault::restarted) found.push_back(event.text("how"));
  }
  return found;
}

// REDIS_SERVER as a test wants it, until the end of the scope.
class WantedRedis {
 public:
  explicit WantedRedis(const std::string& program) { setenv("REDIS_SERVER", program.c_str(), 1); }
  ~WantedRedis() {
    before_.empty() ? unsetenv("REDIS_SERVER") : setenv("REDIS_SERVER", before_.c_str(), 1);
  }
  WantedRedis(const WantedRedis&) = delete;
  WantedRedis& operator=(const WantedRedis&) = delete;

 private:
  const std::string before_ =
      std::getenv("REDIS_SERVER") == nullptr ? "" : std::getenv("REDIS_SERVER");
};

class RedisBinaryTest : public KitTest {
 protected:
  [[nodiscard]] std::string program_that(const std::string& script) const {
    const auto program = directory.path() / "redis-server";
    std::ofstream(program) << "#!/bin/sh\n" << script << '\n';
    fs::permissions(program, fs::perms::owner_all);
    return program.native();
  }
  [[nodiscard]] std::string program_that_says(const std::string& text) const {
    return program_that("echo '" + text + "'");
  }
};

TEST_F(RedisServerTest, AnswersPastEveryLink) {
  EXPECT_TRUE(redis.direct().command({"SET", "key", "1"}).is_ok());
  EXPECT_EQ(redis.direct().command({"GET", "key"}).text(), "1");
}

TEST_F(RedisServerTest, LivesByAClockThatCanBeStepped) {
  redis.step_clock(milliseconds(10'000));
  redis.step_clock(milliseconds(-3'000));
  const auto before = std::time(nullptr);
  EXPECT_GE(std::stoll(std::string(redis.direct().command({"TIME"}).text(0))), before + 7);
  EXPECT_THAT(events_of(Kind::fault, history.record()),
              testing::ElementsAre("redis stepped", "redis stepped"));
}

TEST_F(RedisServerTest, ALeaseEndsByTheServersClock) {
  redis.direct().command({"SET", "lock", "a", "PX", "60000"});
  redis.step_clock(milliseconds(59'000));
  EXPECT_EQ(redis.direct().command({"EXISTS", "lock"}).integer(), 1);
  redis.step_clock(milliseconds(1'001));
  EXPECT_EQ(redis.direct().command({"EXISTS", "lock"}).integer(), 0);
}

TEST_F(RedisServerTest, ItsUptimeFollowsAStep) {
  redis.step_clock(milliseconds(1'000'000));
  EXPECT_GE(uptime(redis), 1'000);
}

TEST_F(RedisServerTest, AnUnnoticedClockStepIsNotExercised) {
  fs::remove(fs::path(redis.address().unix_path).parent_path() / "clock");
  redis.kill();
  redis.start();
  EXPECT_THAT(said_by<NotExercised>([&] { redis.step_clock(milliseconds(10'000)); }),
              HasSubstr("its TIME does not show it"));
}

// It lives by a clock of its own, which follows ours once it has been asked for its TIME.
TEST_F(RedisServerTest, AClockStepMayBeNoticedLate) {
  const auto directory_of_it = fs::path(redis.address().unix_path).parent_path();
  fs::remove(directory_of_it / "clock");
  Clock its_own(directory_of_it);
  redis.kill();
  redis.start();
  const std::jthread follower([&](const std::stop_token& end) {
    core::Server server(redis.address());
    while (!end.stop_requested() && !has_told_the_time(server)) std::this_thread::yield();
    its_own.step(milliseconds(10'000));
  });
  redis.step_clock(milliseconds(10'000));
  EXPECT_THAT(events_of(Kind::fault, history.record()), Contains("redis stepped"));
}

TEST_F(RedisServerTest, AServerThatKeepsItsDataHasItAfterAKill) {
  RedisServer keeper(find_redis(), loop, history, reaper, "keeper", directory.path() / "keeper.log",
                     RedisServer::Durability::keeps);
  for (int i = 0; i < 100; ++i) keeper.direct().command({"INCR", "fence"});
  keeper.direct().command({"SET", "lock", "a", "PX", "60000"});
  keeper.kill();
  keeper.start();
  EXPECT_EQ(keeper.direct().command({"GET", "fence"}).text(), "100");
  EXPECT_GT(keeper.direct().command({"PTTL", "lock"}).integer(), 0);
  keeper.kill();
  keeper.start_empty();
  EXPECT_EQ(keeper.direct().command({"DBSIZE"}).integer(), 0);
  EXPECT_EQ(restarts(history.record()), (std::vector<std::string>{"with its data", "empty"}));
}

TEST_F(RedisServerTest, ComesBackEmptyAfterAKill) {
  redis.direct().command({"SET", "key", "1"});
  const auto first = redis.process().id();
  redis.kill();
  EXPECT_TRUE(is_gone(first));
  EXPECT_THROW(redis.direct().command({"PING"}), core::ServerError);
  redis.start();
  EXPECT_TRUE(redis.direct().command({"GET", "key"}).is_nil());
  EXPECT_THAT(events_of(Kind::fault, history.record()), Contains("redis killed"));
}

TEST_F(RedisServerTest, WritesAnnouncementsWhenCatchingUp) {
  redis.direct().command({"SET", "lock", "a", "PX", "60000"});
  redis.direct().command({"DEL", "lock"});
  redis.catch_up();
  EXPECT_THAT(events_of(Kind::server, history.record()),
              testing::ElementsAre("redis set", "redis expire", "redis del"));
}

TEST_F(RedisServerTest, AnnouncesTheEndOfALeaseByItself) {
  redis.direct().command({"SET", "lock", "a", "PX", "20"});
  EXPECT_TRUE(eventually([this] {
    const auto events = events_of(Kind::server, history.record());
    return !events.empty() && events.back() == "redis expired";
  }));
}

TEST_F(RedisServerTest, CatchingUpWithADeadServerReturns) {
  ::kill(redis.process().id(), SIGKILL);
  redis.catch_up();
  redis.catch_up();
}

TEST_F(RedisServerTest, CannotCatchUpDuringAnEndlessScript) {
  redis.retire();  // nobody ends the script
  // From when on it says so. (In 7.0 it got another name, and is known by this one all the same.)
  redis.direct().command({"CONFIG", "SET", "lua-time-limit", "1"});
  core::Server impatient(redis.address(), {.connect = test_limit, .command = milliseconds(50)});
  EXPECT_THROW(impatient.command({"EVAL", "while true do end", "0"}), core::LostReply);
  EXPECT_THAT(said_by<CannotRun>([this] { redis.catch_up(); }),
              HasSubstr("a script of the lock runs without end: the server answers a PING with "
                        "BUSY"));
}

// A watch that ends takes its own place only.
TEST_F(RedisServerTest, WatchedAnewIsStillHeardBeforeItsReplies) {
  redis.watch();
  EXPECT_TRUE(loop.call([this] { return loop.announced.contains(redis.address().text()); }));
}

TEST_F(RedisServerTest, ListensOnNoPort) {
  EXPECT_EQ(redis.address().host, "");
  EXPECT_THAT(redis.address().unix_path, testing::EndsWith("redis.sock"));
}

TEST_F(KitTest, AServerLeavesNoDirectoryBehind) {
  fs::path path;
  {
    const RedisServer redis(find_redis(), loop, history, reaper, "redis",
                            directory.path() / "redis.log");
    path = fs::path(redis.address().unix_path).parent_path();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(KitTest, TwoServersDoNotKnowOfEachOther) {
  const auto log = directory.path() / "redis.log";
  RedisServer one(find_redis(), loop, history, reaper, "one", log);
  RedisServer two(find_redis(), loop, history, reaper, "two", log);
  one.direct().command({"SET", "key", "1"});
  EXPECT_TRUE(two.direct().command({"GET", "key"}).is_nil());
}

TEST_F(KitTest, AServerThatDiesAtItsStartIsQuoted) {
  const RedisBinary broken{.program = "/bin/sh", .runs_as = "sh"};
  EXPECT_THAT(said_by<CannotRun>([&] {
                const RedisServer redis(broken, loop, history, reaper, "redis",
                                        directory.path() / "redis.log");
              }),
              HasSubstr("/bin/sh did not start, it exited with code"));
}

TEST_F(RedisBinaryTest, AWrapperIsRefusedAndItsServerEnds) {
  const auto real = find_redis();
  const auto link = directory.path() / ("real-" + real.runs_as);  // it must run under that name
  fs::create_symlink(real.program, link);
  const auto script =
      fmt::format("{} \"$@\" & echo $! >{}/server; wait", link.native(), directory.path().native());
  const WantedRedis wanted(program_that(script));
  EXPECT_THAT(said_by<CannotRun>([&] {
                const RedisServer redis(find_redis(), loop, history, reaper, "redis",
                                        directory.path() / "redis.log");
              }),
              HasSubstr("begin the line that starts it with exec"));
  pid_t server = 0;
  std::ifstream(directory.path() / "server") >> server;
  EXPECT_GT(server, 0);
  EXPECT_TRUE(eventually([&] { return is_gone(server); }));
}

TEST_F(RedisBinaryTest, AServerThatOpensNoSocketIsGivenUp) {
  const auto path = directory.path() / "redis.sock";
  core::Server door({.host = {}, .port = 0, .unix_path = path.native()},
                    {.connect = test_limit, .command = test_limit});
  const RedisPlan plan{.binary = {.program = program_that("exec sleep 1000"), .runs_as = "sleep"},
                       .arguments = {},
                       .environment = {},
                       .log = directory.path() / "redis.log",
                       .limit = milliseconds(50)};
  EXPECT_THAT(said_by<CannotRun>([&] { (void)start_redis(plan, door, reaper); }),
              HasSubstr("waited 50 ms for "));
}

TEST_F(KitTest, AClockTakesItsRoomAtOnce) {
  const Clock clock(directory.path());
  struct stat file {};
  ASSERT_EQ(stat((directory.path() / "clock").c_str(), &file), 0);
  EXPECT_GT(file.st_blocks, 0);
}

TEST_F(RedisBinaryTest, TheOneOfThisMachineWillDo) {
  EXPECT_THAT(version_of(find_redis(), reaper), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(RedisBinaryTest, AnOldServerCannotRun) {
  const WantedRedis wanted(program_that_says("Redis server v=6.0.16 sha=00000000:0 bits=64"));
  EXPECT_THAT(said_by<CannotRun>([this] { (void)version_of(find_redis(), reaper); }),
              HasSubstr("is version 6.0.16, and 6.2 is the oldest that will do"));
}

TEST_F(RedisBinaryTest, IsAtLeastWhatItsProductHasReached) {
  const WantedRedis wanted(program_that_says("Redis server v=8.4.0 sha=00000000:0 bits=64"));
  EXPECT_TRUE(is_at_least(find_redis(), "Redis 8.4", reaper));
  EXPECT_TRUE(is_at_least(find_redis(), "Redis 7.0", reaper));
  EXPECT_FALSE(is_at_least(find_redis(), "Redis 8.10", reaper));
  EXPECT_FALSE(is_at_least(find_redis(), "Valkey 8.1", reaper));
}

TEST_F(RedisBinaryTest, AValkeyWillDo) {
  const WantedRedis wanted(program_that_says("Valkey server v=8.0.1 sha=00000000:0 bits=64"));
  EXPECT_EQ(version_of(find_redis(), reaper), "8.0.1");
}

TEST_F(RedisBinaryTest, AnotherProgramCannotRun) {
  const WantedRedis wanted(program_that_says("hello"));
  EXPECT_THAT(said_by<CannotRun>([this] { (void)version_of(find_redis(), reaper); }),
              HasSubstr("does not say that it is a Redis or Valkey server"));
}

TEST_F(RedisBinaryTest, AProgramThatDoesNotComeToAnEndCannotRun) {
  const WantedRedis wanted(program_that("exec sleep 1000"));
  EXPECT_THAT(
      said_by<CannotRun>([this] { (void)version_of(find_redis(), reaper, milliseconds(50)); }),
      HasSubstr("waited 50 ms for "));
}

TEST_F(RedisBinaryTest, AProgramThatIsNotThereCannotRun) {
  const WantedRedis wanted("/no/such/server");
  EXPECT_THAT(said_by<CannotRun>([] { (void)find_redis(); }),
              HasSubstr("REDIS_SERVER is \"/no/such/server\""));
}

}  // namespace
}  // namespace faults
