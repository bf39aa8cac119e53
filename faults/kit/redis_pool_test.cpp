#include "faults/kit/redis_pool.h"

#include <fstream>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class RedisPoolTest : public KitTest {
 protected:
  [[nodiscard]] std::unique_ptr<RedisServer> server(const std::string& log = "redis.log",
                                                    std::vector<std::string> options = {}) {
    return std::make_unique<RedisServer>(find_redis(), loop, history, reaper, "redis",
                                         directory.path() / log, Durability::forgets,
                                         std::move(options), &pool);
  }
  // The process that serves after one to which that was done.
  [[nodiscard]] bool serves_again_after(const std::function<void(RedisServer&)>& action) {
    auto first = server();
    action(*first);
    const auto process = first->process().id();
    first.reset();
    return server()->process().id() == process;
  }
  [[nodiscard]] std::string text_of(const std::string& log) const {
    std::ifstream file(directory.path() / log);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  RedisPool pool{reaper};
};

TEST_F(RedisPoolTest, HasAServerServeAgain) {
  EXPECT_TRUE(serves_again_after([](RedisServer&) {}));
}

TEST_F(RedisPoolTest, LendsAServerToOneAtATime) {
  const auto one = server();
  const auto other = server();
  EXPECT_NE(one->process().id(), other->process().id());
}

TEST_F(RedisPoolTest, DoesNotKeepAServerThatHadAFault) {
  EXPECT_FALSE(serves_again_after([](RedisServer& redis) {
    redis.kill();
    redis.start();
  }));
  EXPECT_FALSE(serves_again_after([](RedisServer& redis) {
    redis.freeze();
    redis.thaw();
  }));
  EXPECT_FALSE(serves_again_after([](RedisServer& redis) { redis.step_clock(milliseconds(1)); }));
  EXPECT_FALSE(serves_again_after([](RedisServer& redis) { redis.retire(); }));
  EXPECT_FALSE(serves_again_after([](RedisServer& redis) { redis.process().kill(); }));
}

TEST_F(RedisPoolTest, KeepsApartServersThatKeepData) {
  auto forgetful = server();
  const auto process = forgetful->process().id();
  forgetful.reset();
  RedisServer keeper(find_redis(), loop, history, reaper, "keeper", directory.path() / "keeper.log",
                     Durability::keeps, {}, &pool);
  EXPECT_NE(keeper.process().id(), process);
  EXPECT_EQ(server()->process().id(), process);
}

TEST_F(RedisPoolTest, KeepsApartServersWithOptions) {
  auto plain = server();
  const auto process = plain->process().id();
  plain.reset();
  auto small = server("small.log", {"--databases", "1"});
  EXPECT_NE(small->process().id(), process);
  small.reset();
  EXPECT_EQ(server()->process().id(), process);
}

TEST_F(RedisPoolTest, PutsBackWhatClientsLeft) {
  auto redis = server();
  const auto fresh = state_of(redis->direct());
  core::Server client(redis->address());
  for (const std::vector<std::string_view>& left : std::vector<std::vector<std::string_view>>{
           {"SET", "key", "1"},
           {"SELECT", "1"},
           {"SET", "other", "1"},
           {"SCRIPT", "LOAD", "return 1"},
           {"CONFIG", "SET", "maxmemory", "1000000000"},
           {"ACL", "SETUSER", "eve", "on", "nopass", "+@all"},
           {"ACL", "SETUSER", "default", "-set"},
           {"CONFIG", "SET", "requirepass", "secret"}}) {
    (void)client.command(left);
  }
  EXPECT_TRUE(redis->direct().command({"CLIENT", "PAUSE", "60000", "WRITE"}).is_ok());
  redis.reset();
  redis = server();
  EXPECT_EQ(left_over(fresh, state_of(redis->direct())), "");
  EXPECT_TRUE(redis->direct().command({"SET", "key", "1"}).is_ok());
}

TEST_F(RedisPoolTest, EndsSubscribers) {
  auto redis = server();
  const auto fresh = state_of(redis->direct());
  core::Server subscriber(redis->address());
  (void)subscriber.command({"SUBSCRIBE", "channel"});
  EXPECT_NE(left_over(fresh, state_of(redis->direct())), "");
  redis.reset();
  redis = server();
  EXPECT_EQ(left_over(fresh, state_of(redis->direct())), "");
}

TEST_F(RedisPoolTest, FindsWhatCannotBePutBack) {
  auto redis = server();
  (void)redis->direct().command({"REPLICAOF", "127.0.0.1", "1"});
  (void)redis->direct().command({"REPLICAOF", "NO", "ONE"});
  redis.reset();
  EXPECT_THAT(said_by<CannotRun>([this] { (void)server(); }),
              AllOf(HasSubstr("redis is not as it was before the execution in " +
                              directory.path().native()),
                    HasSubstr(": second_repl_offset is ")));
}

TEST_F(RedisPoolTest, FindsAClockThatJumped) {
  server().reset();
  auto instance = pool.take(Durability::forgets);
  instance->clock.step(milliseconds(-1));
  pool.give_back(std::move(instance));
  EXPECT_THAT(said_by<CannotRun>([this] { (void)server(); }), HasSubstr("its clock has jumped"));
}

TEST_F(RedisPoolTest, ItsServersWriteToTheLogOfTheirWorld) {
  server("first.log").reset();
  const auto second = server("second.log");
  (void)second->direct().command({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_THAT(text_of("second.log"), HasSubstr("REPLICAOF"));
  EXPECT_THAT(text_of("first.log"), testing::Not(HasSubstr("REPLICAOF")));
}

TEST(LeftOver, NamesTheFirstThatDiffers) {
  EXPECT_EQ(left_over({{"a", "1"}}, {{"a", "1"}}), "");
  EXPECT_EQ(left_over({{"a", "1"}}, {{"a", "2"}}), "a is 2 (was: 1)");
  EXPECT_EQ(left_over({}, {{"keys db0", "keys=1"}}), "keys db0 is keys=1 (was: none)");
  EXPECT_EQ(left_over({{"user default", "on"}}, {}), "user default is none (was: on)");
}

}  // namespace
}  // namespace faults
