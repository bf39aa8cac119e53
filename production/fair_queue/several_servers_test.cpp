// A line that one of several servers keeps. The lock itself is on a server of its own.
#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <optional>
#include <thread>

#include "core/testing/eventually.h"
#include "faults/testing/redis_test.h"
#include "production/fair_queue/lock.h"
#include "stage6_reentrant/lock.h"

namespace {

using core::Acquire;
using core::eventually;
using core::Release;
using faults::Action;
using faults::Direction;
using faults::RedisServer;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;

constexpr milliseconds long_lease{2 * core::longest_wait};

// A server that may keep the line, and a link on the way to it.
struct LineServer {
  LineServer(faults::Loop& loop, faults::History& history, faults::Reaper& reaper,
             const std::string& name, const std::filesystem::path& log)
      : redis(faults::find_redis(), loop, history, reaper, name, log),
        link(loop, history, "A", name, redis.address()) {}
  RedisServer redis;
  faults::Link link;
};

class FairQueueOnSeveral : public faults::RedisTest {
 protected:
  using Servers = std::vector<core::Address>;

  RedisServer& first() { return first_.redis; }
  RedisServer& second() { return second_.redis; }
  static long long in_line(RedisServer& at) {
    return at.direct().command({"ZCARD", "orders:line"}).integer();
  }

  // By the lock's server.
  long long scripts_run() {
    const auto info = std::string(redis().direct().command({"INFO", "commandstats"}).text());
    const auto at = info.find("cmdstat_evalsha:calls=");
    return at == std::string::npos ? 0 : std::stoll(info.substr(at + 22));
  }

  // A waiter of this process; one of another process, whose connections go through links; each with
  // what it does with the lock.
  std::jthread wait_for(std::function<void()> then = [] {}) { return wait(fair_, std::move(then)); }
  std::jthread other_waits(std::function<void()> then = [] {}) {
    return wait(other_, std::move(then));
  }
  core::Lock& fair() { return fair_; }
  // It is acquired past the line.
  core::Lock& lock() { return lock_; }

 private:
  static std::jthread wait(core::Lock& lock, std::function<void()> then) {
    return std::jthread([&lock, then = std::move(then)] {
      ASSERT_TRUE(lock.try_lock_for(std::chrono::seconds(30)));
      then();
      EXPECT_EQ(lock.release(), Release::released);
    });
  }

  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
  faults::History history_{directory_.path() / "history.jsonl"};
  faults::Loop loop_;
  LineServer first_{loop_, history_, reaper_, "first", directory_.path() / "first.log"};
  LineServer second_{loop_, history_, reaper_, "second", directory_.path() / "second.log"};
  const fair_queue::Options options_{.patience = milliseconds(200)};
  stage6::Lock lock_{server(), "orders", {.lease = long_lease}};
  fair_queue::Lock fair_{lock_, Servers{first_.redis.address(), second_.redis.address()}, "orders",
                         options_};
  stage6::Lock other_lock_{redis().direct(), "orders", {.lease = long_lease}};
  fair_queue::Lock other_{other_lock_, Servers{first_.link.address(), second_.link.address()},
                          "orders", options_};
};

TEST_F(FairQueueOnSeveral, KeepsOneLineAtTheFirst) {
  ASSERT_EQ(fair().try_acquire(), Acquire::acquired);
  std::vector<int> order;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 4; ++i) {
    const auto note = [&order, i] { order.push_back(i); };
    waiters.push_back(i % 2 == 0 ? wait_for(note) : other_waits(note));
    eventually("it is in line", [&] { return in_line(first()) == i + 1; });
  }
  ASSERT_EQ(fair().release(), Release::released);
  waiters.clear();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(in_line(first()), 0);
  EXPECT_EQ(in_line(second()), 0);
}

TEST_F(FairQueueOnSeveral, GoesOnAtTheNextIfTheFirstIsDead) {
  ASSERT_EQ(fair().try_acquire(), Acquire::acquired);
  auto one = other_waits();
  auto two = other_waits();
  eventually("they are in line", [&] { return in_line(first()) == 2; });
  first().kill();
  const auto start = steady_clock::now();
  ASSERT_EQ(fair().release(), Release::released);
  one.join();
  two.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

TEST_F(FairQueueOnSeveral, MovesToTheNextIfTheFirstIsFrozen) {
  auto got_in = steady_clock::time_point::max();
  std::jthread other;
  // It waits, so that it knows where its own line was.
  ASSERT_EQ(lock().try_acquire(), Acquire::acquired);
  auto holder = wait_for([&] {
    // As if that server had the lock, too: the other one does not look at short intervals.
    (void)first().direct().command({"SET", "orders", "held", "PX", "60000"});
    other = other_waits([&] { got_in = steady_clock::now(); });
    eventually("the other is in line", [&] { return in_line(first()) == 2; });
    first().process().freeze();
  });
  eventually("it is in line", [&] { return in_line(first()) == 1; });
  ASSERT_EQ(lock().release(), Release::released);
  holder.join();
  const auto start = steady_clock::now();
  other.join();
  EXPECT_LT(got_in - start, fair_queue::look_every / 2);  // it was told
  first().process().thaw();
}

TEST_F(FairQueueOnSeveral, AsksAgainIfTheMessageOvertakesTheRelease) {
  ASSERT_EQ(lock().try_acquire(), Acquire::acquired);
  std::optional<faults::Fault> late;
  std::jthread other;
  auto holder = wait_for([&] {
    // It knows that the other one waits, and leaves the line before it releases the lock.
    late.emplace(link().arm({.direction = Direction::command}, Action::hold_back));
  });
  eventually("it is in line", [&] { return in_line(first()) == 1; });
  other = other_waits();
  eventually("so is the other", [&] { return in_line(first()) == 2; });
  ASSERT_EQ(lock().release(), Release::released);
  eventually("the turn is the other one's", [&] { return in_line(first()) == 1; });
  late->await(milliseconds(10'000));
  eventually("it was refused", [&, before = scripts_run()] { return scripts_run() > before; });
  const auto start = steady_clock::now();
  const auto asked = scripts_run();
  eventually("some time is over", [&] { return steady_clock::now() > start + milliseconds(20); });
  EXPECT_LT(scripts_run() - asked, 20);  // its pauses double
  late->deliver();
  holder.join();
  other.join();
  EXPECT_LT(steady_clock::now() - start, fair_queue::look_every / 2);
}

TEST(FairQueueLineServers, AreSharedByLocksOfTheSamePatience) {
  const std::vector<core::Address> servers{{.host = "127.0.0.1", .port = 1}};
  const auto patient = fair_queue::LineServers::of(servers, milliseconds(200));
  EXPECT_EQ(fair_queue::LineServers::of(servers, milliseconds(200)), patient);
  EXPECT_NE(fair_queue::LineServers::of(servers, milliseconds(50)), patient);
}

TEST_F(FairQueueOnSeveral, LetsAnotherInAfterARestartOfTheFirst) {
  ASSERT_EQ(fair().try_acquire(), Acquire::acquired);
  auto one = other_waits();
  eventually("it is in line", [&] { return in_line(first()) == 1; });
  first().kill();
  first().start();
  eventually("it is in line again", [&] { return in_line(first()) + in_line(second()) == 1; });
  const auto start = steady_clock::now();
  ASSERT_EQ(fair().release(), Release::released);
  one.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

}  // namespace
