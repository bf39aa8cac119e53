#include "production/monitor/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "core/testing/eventually.h"
#include "core/wrappers/heartbeat_lock.h"
#include "core/wrappers/heartbeats.h"
#include "faults/kit/process.h"
#include "faults/kit/temp_dir.h"
#include "faults/testing/redis_test.h"
#include "production/fair_queue/lock.h"
#include "stage6_reentrant/lock.h"

namespace {

using faults::eventually;
using monitor::Clock;
using monitor::Hold;
using monitor::Holders;
using monitor::Patience;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Patience patience{.period = milliseconds(100), .missed = 3};
const Hold of_a{.key = "orders", .token = "a"};
const Hold of_b{.key = "bills", .token = "b"};

TEST(Holders, AreSilentAfterSoManyPeriods) {
  Holders holders(patience);
  const auto start = Clock::now();
  holders.heard(of_a, start);
  holders.heard(of_b, start + milliseconds(1));
  EXPECT_THAT(holders.take_silent(start + milliseconds(299)), IsEmpty());
  EXPECT_THAT(holders.take_silent(start + milliseconds(300)), ElementsAre(of_a));
  EXPECT_THAT(holders.take_silent(start + milliseconds(300)), IsEmpty());
}

TEST(Holders, HaveMissedNothingIfAHeartbeatIsLate) {
  Holders holders(patience);
  auto now = Clock::now();
  for (int i = 0; i < 10; ++i) {
    holders.heard(of_a, now);
    now += milliseconds(250);
    EXPECT_THAT(holders.take_silent(now), IsEmpty());
  }
}

TEST(Holders, AreNotToBlameIfNobodyCouldBeHeard) {
  Holders holders(patience);
  const auto start = Clock::now();
  holders.heard(of_a, start);
  holders.begin_anew(start + milliseconds(290));
  EXPECT_THAT(holders.take_silent(start + milliseconds(589)), IsEmpty());
  EXPECT_THAT(holders.take_silent(start + milliseconds(590)), ElementsAre(of_a));
}

class MonitorTest : public faults::RedisTest {
 protected:
  MonitorTest() {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      monitor::Monitor({redis().address()}, redis().address(), patience, [](const auto&) {
      }).run(stop);
    });
    eventually("the monitor listens", [this] {
      return redis()
                 .direct()
                 .command({"PUBLISH", core::Heartbeats::channel, "nothing"})
                 .integer() == 1;
    });
  }

  // A hold that has given one sign of life.
  void hold_silently(const Hold& hold) {
    redis().direct().command({"SET", hold.key, hold.token});
    give_sign(hold);
  }
  void give_sign(const Hold& hold) {
    redis().direct().command({"PUBLISH", core::Heartbeats::channel, hold.token + " " + hold.key});
  }

  // A hold that is taken for dead after all that have been silent for as long.
  void await_another_death() {
    hold_silently(of_b);
    eventually("the lock of a dead holder is freed", [this] { return !value(of_b.key); });
  }

 private:
  std::jthread thread_;
};

TEST_F(MonitorTest, FreesTheLockOfASilentHolder) {
  hold_silently(of_a);
  eventually("it is freed", [this] { return !value("orders"); });
}

TEST_F(MonitorTest, LeavesASuccessorsLockAlone) {
  hold_silently(of_a);
  redis().direct().command({"SET", "orders", "of a successor"});
  await_another_death();
  EXPECT_EQ(value("orders"), "of a successor");
}

TEST_F(MonitorTest, HandsAFairQueuesLockOn) {
  fair_queue::Lock dead(server(), "orders", {.lease = seconds(60)});
  ASSERT_EQ(dead.try_acquire(), core::Acquire::acquired);
  fair_queue::Lock next(server(), "orders", {.lease = seconds(60)});
  auto outcome = std::async(std::launch::async, [&next] {
    return next.acquire(next.usual_waiting().at_most(faults::longest_wait));
  });
  eventually("it is in the queue", [this] {
    return redis().direct().command({"LLEN", "orders:queue"}).integer() == 1;
  });
  const auto token = dead.hold_token().value();
  give_sign({.key = "orders", .token = token});
  eventually("the next has it", [&] {
    const auto holder = redis().direct().command({"HGET", "orders", "token"});
    return !holder.text().empty() && holder.text() != token;
  });
  EXPECT_EQ(outcome.get(), core::Acquire::acquired);
}

// Nothing could be heard meanwhile, and the holder lives.
TEST_F(MonitorTest, BlamesNobodyForTheServersSilence) {
  hold_silently(of_a);
  redis().process().freeze();
  const auto frozen = Clock::now();
  eventually("it has stood still for long",
             [&] { return Clock::now() > frozen + 3 * patience.silence(); });
  redis().process().thaw();
  give_sign(of_a);
  hold_silently(of_b);
  eventually("the lock of a dead holder is freed", [this] {
    give_sign(of_a);
    return !value(of_b.key);
  });
  EXPECT_EQ(value(of_a.key), of_a.token);
}

TEST_F(MonitorTest, SparesALivingHolder) {
  stage6::Lock inner(server(), "orders", {.lease = seconds(60)});
  core::HeartbeatLock lock(
      inner, "orders", std::make_shared<core::Heartbeats>(redis().address(), patience.period / 2));
  ASSERT_EQ(lock.try_acquire(), core::Acquire::acquired);
  await_another_death();
  await_another_death();
  EXPECT_EQ(lock.release(), core::Release::released);
}

TEST_F(MonitorTest, FreesTheLockOfADestroyedHolder) {
  auto inner =
      std::make_unique<stage6::Lock>(server(), "orders", stage6::Options{.lease = seconds(60)});
  const auto heartbeats = std::make_shared<core::Heartbeats>(redis().address(), patience.period);
  auto lock = std::make_unique<core::HeartbeatLock>(*inner, "orders", heartbeats);
  ASSERT_EQ(lock->try_acquire(), core::Acquire::acquired);
  lock.reset();
  eventually("it is freed", [this] { return !value("orders"); });
}

// Two objects of one process have the same hold: it goes on being announced until both have ended.
TEST_F(MonitorTest, SparesAHoldThatAnotherObjectHas) {
  const auto heartbeats =
      std::make_shared<core::Heartbeats>(redis().address(), patience.period / 2);
  redis().direct().command({"SET", of_a.key, of_a.token});
  heartbeats->begin(of_a.key, of_a.token);
  heartbeats->begin(of_a.key, of_a.token);
  heartbeats->end(of_a.key, of_a.token);
  await_another_death();
  await_another_death();
  EXPECT_EQ(value(of_a.key), of_a.token);
  heartbeats->end(of_a.key, of_a.token);
  eventually("it is freed", [this] { return !value(of_a.key); });
}

class MonitorProgram : public faults::RedisTest {
 protected:
  [[nodiscard]] faults::Process start(const std::string& server) {
    return {{.program = LOCK_MONITOR,
             .arguments = {LOCK_MONITOR, "--period", "100", server},
             .environment = {},
             .log = logs_.path() / "log"},
            reaper_};
  }

 private:
  faults::Reaper reaper_;
  faults::TempDir logs_{reaper_};
};

// The rights that docs/in-production.md gives them.
TEST_F(MonitorProgram, NeedsNoMoreRightsThanItIsGiven) {
  redis().direct().command({"ACL",
                            "SETUSER",
                            "monitor",
                            "on",
                            ">secret",
                            "~lock:*",
                            "~lock-monitor",
                            "&lock:*",
                            "&lock-heartbeats",
                            "-@all",
                            "+eval",
                            "+evalsha",
                            "+type",
                            "+get",
                            "+hget",
                            "+hexists",
                            "+del",
                            "+publish",
                            "+set",
                            "+pexpire",
                            "+subscribe",
                            "+ping"});
  redis().direct().command(
      {"ACL", "SETUSER", "locker", "on", ">secret", "&lock-heartbeats", "-@all", "+publish"});
  const auto place = "secret@" + link().address().text();
  const auto program = start("redis://monitor:" + place);
  redis().direct().command({"SET", "lock:orders", "a"});
  core::Server holder(core::Address::parse("redis://locker:" + place));
  eventually("the monitor has heard of the hold", [&] {
    return holder.command({"PUBLISH", core::Heartbeats::channel, "a lock:orders"}).integer() == 1;
  });
  eventually("it is freed", [this] { return !value("lock:orders"); });
}

TEST_F(MonitorProgram, BlamesNobodyForItsOwnSilence) {
  auto program = start(link().address().text());
  redis().direct().command({"SET", "orders", "a"});
  eventually("the monitor has heard of the hold", [this] {
    return redis().direct().command({"PUBLISH", core::Heartbeats::channel, "a orders"}).integer() ==
           1;
  });
  program.freeze();
  const auto frozen = Clock::now();
  eventually("it has stood still for long",
             [&] { return Clock::now() > frozen + 3 * patience.silence(); });
  const auto thawed = Clock::now();
  program.thaw();
  eventually("the lock is freed", [this] { return !value("orders"); });
  EXPECT_GE(Clock::now() - thawed, patience.silence());
}

}  // namespace
