// First come, first served: the line around stage 6, on one server.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "core/testing/lock_contract.h"
#include "core/token.h"
#include "faults/testing/cpu_share.h"
#include "production/fair_queue/lock.h"
#include "production/fair_queue/scripts.h"
#include "stage6_reentrant/lock.h"

namespace {

using core::Acquire;
using core::eventually;
using core::LeaseContract;
using core::LockContract;
using core::on_another_thread;
using core::OwnerContract;
using core::ReentrantContract;
using core::Release;
using faults::Action;
using faults::Boundary;
using faults::Direction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::Each;
using testing::ElementsAre;

using FairLock = fair_queue::Around<stage6::Lock>;

constexpr milliseconds long_lease{2 * core::longest_wait};

core::LockUnderTest fair_lock(std::string name, bool renewed) {
  return {.name = std::move(name),
          .make =
              [renewed](auto& server, auto key, auto time) {
                const auto options = renewed ? stage6::Options{.default_lease = time}
                                             : stage6::Options{.lease = time};
                return std::make_unique<FairLock>(server, std::move(key), options);
              },
          .acquiring = {"EVALSHA"},
          .contended = {"EVALSHA"},
          .releasing = {"EVALSHA", "EVALSHA"},
          .not_releasing = {"EVALSHA", "EVALSHA"},
          .reentrant = true,
          .asks_twice = true};
}

const auto leased = fair_lock("leased", false);
const auto renewed = fair_lock("renewed", true);

INSTANTIATE_TEST_SUITE_P(FairQueue, LockContract, testing::Values(leased, renewed));
INSTANTIATE_TEST_SUITE_P(FairQueue, LeaseContract, testing::Values(leased));
INSTANTIATE_TEST_SUITE_P(FairQueue, OwnerContract, testing::Values(leased));
INSTANTIATE_TEST_SUITE_P(FairQueue, ReentrantContract, testing::Values(leased, renewed));

stage6::Options leased_for(milliseconds time) {
  return {.lease = time};
}

class FairQueue : public faults::RedisTest {
 protected:
  // A waiter of another process, whose commands the test sends itself.
  struct Stranger {
    std::string token = core::random_token();
    std::string channel = "nobody listens";
    [[nodiscard]] std::string text() const { return token + " " + channel + " a stranger"; }
  };

  core::Reply run_line(std::string_view action, const std::string& waiter) {
    return redis().direct().run(fair_queue::scripts::line, {"orders", "orders:line"},
                                {action, waiter, "0", "250000"});
  }
  [[nodiscard]] long long in_line() {
    return redis().direct().command({"ZCARD", "orders:line"}).integer();
  }
  void await_line(long long length) {
    eventually("they are in line", [&] { return in_line() == length; });
  }
  [[nodiscard]] bool was_sent(const std::string& command, long times) {
    const auto seen = link().commands_seen();
    return std::count(seen.begin(), seen.end(), command) >= times;
  }

  // A thread that waits for `lock`, and does `then` with it.
  std::jthread wait_for(core::Lock& lock, std::function<void()> then) {
    return std::jthread([&lock, then = std::move(then)] {
      ASSERT_TRUE(lock.try_lock_for(std::chrono::seconds(30)));
      then();
    });
  }
  std::jthread wait_for(core::Lock& lock) {
    return wait_for(lock, [&lock] { EXPECT_EQ(lock.release(), Release::released); });
  }

  // From now on all messages of a turn are lost, or delayed until `deliver_all`.
  void with_messages(Action action) {
    link().decide_by([action](const Boundary& boundary) {
      const bool is_message =
          boundary.direction == Direction::reply && boundary.text.starts_with("message ");
      return is_message ? action : Action::forward;
    });
  }
  void deliver_all() { link().decide_by({}); }

  // A client of another process: its connections do not go through the link.
  FairLock& holder() { return holder_; }

 private:
  FairLock holder_{redis().direct(), "orders", leased_for(long_lease)};
};

TEST_F(FairQueue, LetsTheFirstInFirst) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  std::mutex mutex;
  std::vector<int> order;
  std::deque<FairLock> locks;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 6; ++i) {
    auto& lock = locks.emplace_back(server(), "orders", leased_for(long_lease));
    waiters.push_back(wait_for(lock, [&, i] {
      const std::lock_guard guard(mutex);
      order.push_back(i);
      EXPECT_EQ(lock.release(), Release::released);
    }));
    await_line(i + 1);
  }
  ASSERT_EQ(holder().release(), Release::released);
  waiters.clear();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, TakesFourCommandsForEachTurn) {
  FairLock lock(server(), "orders", leased_for(long_lease));
  on_another_thread(
      [&] { wait_for(lock).join(); });  // it has subscribed, and the scripts are there
  const auto turn = [&] {
    ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
    auto waiter = wait_for(lock);
    await_line(1);
    EXPECT_EQ(holder().release(), Release::released);
  };
  EXPECT_THAT(names_during(turn), ElementsAre("EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA"));
  const auto alone = [&] { const std::lock_guard guard(lock); };
  EXPECT_THAT(names_during(alone), ElementsAre("EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA"));
}

TEST_F(FairQueue, TellsAWaiterThatALockPastTheLineIsFree) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(1);
  const auto start = steady_clock::now();
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_LT(steady_clock::now() - start, fair_queue::look_every / 2);
}

// The commands for one acquisition do not grow with the waiters.
TEST_F(FairQueue, IsFlat) {
  const auto scripts_run = [&] {
    const auto info = std::string(redis().direct().command({"INFO", "commandstats"}).text());
    const auto at = info.find("cmdstat_evalsha:calls=");
    return at == std::string::npos ? 0 : std::stoll(info.substr(at + 22));
  };
  for (const int waiters : {10, 100, 300}) {
    FairLock lock(server(), "orders", leased_for(long_lease));
    ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
    std::vector<std::jthread> threads;
    for (int i = 0; i < waiters; ++i) threads.push_back(wait_for(lock));
    await_line(waiters);
    const auto before = scripts_run();
    ASSERT_EQ(holder().release(), Release::released);
    threads.clear();
    // They have entered already. A few look for themselves on a machine that stalls.
    EXPECT_LE(scripts_run() - before, 3 * waiters + 2 + waiters / 10) << waiters << " waiters";
  }
}

TEST_F(FairQueue, PassesOverTheDead) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  (void)run_line("enter", Stranger{}.text());
  (void)run_line("enter", Stranger{}.text());
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(3);
  const auto start = steady_clock::now();
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_LT(steady_clock::now() - start, fair_queue::look_every / 2);
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, IsFreeWhenAllInItAreDead) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  (void)run_line("enter", Stranger{}.text());
  ASSERT_EQ(holder().release(), Release::released);
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, PassesOverTheFrozen) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  core::Server frozen_process(redis().address());  // still subscribed
  (void)frozen_process.command({"SUBSCRIBE", "frozen"});
  (void)run_line("enter", Stranger{.channel = "frozen"}.text());
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(2);
  const auto start = steady_clock::now();
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

TEST_F(FairQueue, GoesOnWhenTheHolderIsDead) {
  // Time for both to join the line, however slow the machine is.
  stage6::Lock dead(redis().direct(), "orders", leased_for(milliseconds(2'000)));
  ASSERT_EQ(dead.try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto one = wait_for(lock);
  auto two = wait_for(lock);
  await_line(2);
  const auto start = steady_clock::now();
  one.join();
  two.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

TEST_F(FairQueue, GoesOnWhenAWaiterThatGotInIsDead) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock dead(server(), "orders", leased_for(milliseconds(500)));
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto one = wait_for(dead, [] {});
  await_line(1);
  auto two = wait_for(lock);
  await_line(2);
  ASSERT_EQ(holder().release(), Release::released);
  const auto start = steady_clock::now();
  two.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

TEST_F(FairQueue, SurvivesALostMessage) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(1);
  with_messages(Action::drop);
  ASSERT_EQ(holder().release(), Release::released);
  const auto start = steady_clock::now();
  waiter.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

TEST_F(FairQueue, AcceptsATurnBeforeTheAnswer) {
  FairLock lock(server(), "orders", leased_for(long_lease));
  wait_for(lock).join();  // from now on messages reach it
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  auto answer =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::hold_back);
  auto waiter = wait_for(lock);
  answer.await(milliseconds(10'000));
  ASSERT_EQ(holder().release(), Release::released);
  const auto start = steady_clock::now();
  answer.deliver();
  waiter.join();
  EXPECT_LT(steady_clock::now() - start, fair_queue::look_every / 2);
}

TEST_F(FairQueue, LetsANewcomerOvertakeOnPurpose) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock last(server(), "orders", leased_for(long_lease));
  FairLock first(fair_queue::Options{.position = fair_queue::Position::first}, server(), "orders",
                 leased_for(long_lease));
  std::vector<int> order;
  auto one = wait_for(last, [&] {
    order.push_back(1);
    last.unlock();
  });
  await_line(1);
  auto two = wait_for(first, [&] {
    order.push_back(2);
    first.unlock();
  });
  await_line(2);
  ASSERT_EQ(holder().release(), Release::released);
  two.join();
  one.join();
  EXPECT_THAT(order, ElementsAre(2, 1));
}

TEST_F(FairQueue, IsLeftByAWaiterThatGivesUp) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  {
    std::jthread waiter([&](const std::stop_token& stop) {
      EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop), Acquire::contended);
    });
    await_line(1);
  }
  EXPECT_EQ(in_line(), 0);
  EXPECT_FALSE(lock.try_lock_for(milliseconds(20)));
  EXPECT_EQ(in_line(), 0);
}

TEST_F(FairQueue, PassesOnTheTurnOfAWaiterThatGivesUp) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock fickle(server(), "orders", leased_for(long_lease));
  FairLock next(redis().direct(), "orders", leased_for(long_lease));
  std::jthread gives_up([&](const std::stop_token& stop) {
    EXPECT_EQ(fickle.acquire(fickle.usual_waiting(), stop), Acquire::contended);
  });
  await_line(1);
  auto waiter = wait_for(next);
  await_line(2);
  with_messages(Action::hold_back);  // it does not learn of its turn
  ASSERT_EQ(holder().release(), Release::released);
  const auto start = steady_clock::now();
  gives_up.request_stop();
  waiter.join();
  EXPECT_LT(steady_clock::now() - start, fair_queue::look_every / 2);
  deliver_all();
}

TEST_F(FairQueue, GivesNoTurnWhenAnotherGivesUp) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  core::Server listener(redis().address());
  (void)listener.command({"SUBSCRIBE", "a channel"});
  const Stranger first{.channel = "a channel"};
  const Stranger second{.channel = "a channel"};
  const Stranger third;
  for (const auto& waiter : {first, second, third}) (void)run_line("enter", waiter.text());
  EXPECT_EQ(run_line("quit", third.text()).integer(), 0);
  EXPECT_EQ(run_line("quit", first.text()).integer(), 0) << "the lock is held";
  EXPECT_EQ(in_line(), 1);
}

TEST_F(FairQueue, KeepsAPlaceOnASecondRequest) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  const Stranger one;
  const Stranger two;
  (void)run_line("enter", one.text());
  (void)run_line("enter", two.text());
  (void)run_line("enter", one.text());
  EXPECT_EQ(redis().direct().command({"ZRANGE", "orders:line", "0", "-1"}).text(0), one.text());
  EXPECT_EQ(in_line(), 2);
}

TEST_F(FairQueue, ExpiresWhenNobodyAsksAnyMore) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  (void)run_line("enter", Stranger{}.text());
  EXPECT_GT(time_left("orders:line"), milliseconds(30'000));
  EXPECT_LE(time_left("orders:line"), milliseconds(60'000));
}

TEST_F(FairQueue, WaitsInLineAgainAfterALostLine) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(1);
  redis().direct().command({"DEL", "orders:line"});  // as on a replica that has not got it
  link().lead_to(redis().address());                 // breaks every connection
  await_line(1);
  ASSERT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, GoesOnAfterARestartOfTheServer) {
  FairLock lock(server(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  const auto wait = [&] {
    // If the server dies as it asks for a lock, it may not learn the outcome.
    while (lock.acquire(lock.usual_waiting()) != Acquire::acquired) {
    }
    EXPECT_EQ(lock.release(), Release::released);
  };
  std::jthread one(wait);
  std::jthread two(wait);
  await_line(2);
  redis().kill();
  redis().start();
  const auto start = steady_clock::now();
  one.join();
  two.join();
  EXPECT_LT(steady_clock::now() - start, long_lease / 2);
}

TEST_F(FairQueue, IsNotJoinedBeforeMessagesCanArrive) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto subscribing =
      link().arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back);
  auto waiter = wait_for(lock);
  subscribing.await(milliseconds(10'000));
  EXPECT_EQ(in_line(), 0);
  subscribing.deliver();
  await_line(1);
  ASSERT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, AsksAgainForASubscriptionThatIsRefused) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  redis().direct().command({"ACL", "SETUSER", "default", "-subscribe"});
  auto waiter = wait_for(lock);
  eventually("it asks again", [&] { return was_sent("SUBSCRIBE", 3); });
  redis().direct().command({"ACL", "SETUSER", "default", "+subscribe"});
  ASSERT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, DisconnectsFromASilentServer) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(1);
  {
    const auto silence =
        link().arm({.direction = Direction::reply, .command = "PING"}, Action::blackhole);
    eventually("it subscribes again", [&] { return was_sent("SUBSCRIBE", 2); });
  }
  eventually("it sends PINGs again", [&] { return was_sent("PING", 2); });
  ASSERT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, SleepsUntilItIsItsTurn) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto one = wait_for(lock);
  auto two = wait_for(lock);
  await_line(2);
  EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  const auto before = link().commands_seen().size();
  EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  EXPECT_LE(link().commands_seen().size() - before, 4);  // a look and a PING, each second
  ASSERT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, AsksSeldomWhenItIsRefusedForLong) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock);
  await_line(1);
  const auto scripts = [&] {
    const auto seen = link().commands_seen();
    return std::count(seen.begin(), seen.end(), "EVALSHA");
  };
  const auto before = scripts();
  (void)run_line("leave", Stranger{}.text());  // its turn, though the lock is held
  const auto start = steady_clock::now();
  eventually("time is over", [&] { return steady_clock::now() - start > milliseconds(2'500); });
  EXPECT_GT(scripts() - before, 4);
  EXPECT_LT(scripts() - before, 20);
  const auto asked = scripts();
  eventually("it asks again", [&] { return scripts() > asked && link().all_answered(); });
  link().lead_to(redis().address());  // breaks every connection: it has news, and is to sleep
  for (int i = 0; i < 2; ++i) EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  ASSERT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, TakesOnePlaceWhenTheAnswerIsLost) {
  FairLock lock(server(), "orders", leased_for(long_lease));
  wait_for(lock).join();
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  const auto lost =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::reset);
  auto waiter = wait_for(lock);
  eventually("it has asked twice", [&] { return lost.fired() && in_line() > 0; });
  eventually("all is answered", [&] { return link().all_answered(); });
  EXPECT_EQ(in_line(), 1);
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, LeavesTheLineIfTheLockDoesNotAnswer) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(long_lease));
  std::jthread waiter([&] { EXPECT_EQ(lock.acquire(lock.usual_waiting()), Acquire::unknown); });
  await_line(1);
  // The lock asks twice, and then rolls back.
  std::vector<faults::Fault> lost;
  for (const int nth : {1, 2, 3}) {
    lost.push_back(link().arm({.direction = Direction::reply, .nth = nth, .command = "EVALSHA"},
                              Action::reset));
  }
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, StaysHeldUntilTheLastJoinedHasLeft) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  const auto token = *holder().hold_token();
  FairLock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_NE(value("orders"), token); });
  await_line(1);
  on_another_thread([&] {
    EXPECT_EQ(holder().join(token), Acquire::acquired);
    on_another_thread([&] {
      EXPECT_EQ(holder().join(token), Acquire::acquired);
      EXPECT_EQ(holder().release(), Release::still_held);
    });
    EXPECT_EQ(holder().release(), Release::still_held);
  });
  EXPECT_EQ(value("orders"), token);
  EXPECT_EQ(holder().release(), Release::released);
}

TEST_F(FairQueue, IsEnteredAgainByItsHolder) {
  FairLock lock(server(), "orders", leased_for(long_lease));
  FairLock same(server(), "orders", leased_for(long_lease));
  const auto inside = [&] {
    const std::lock_guard outer(lock);
    const std::lock_guard inner(lock);
    const std::lock_guard other(same);
    EXPECT_GT(lock.remaining(), long_lease / 2);
  };
  inside();
  EXPECT_EQ(keys(), 0);
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  std::jthread waiter(inside);
  await_line(1);
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, TakesANewPlaceAfterItsHoldIsLost) {
  ASSERT_EQ(holder().try_acquire(), Acquire::acquired);
  FairLock lock(server(), "orders", leased_for(milliseconds(800)));
  std::jthread waiter([&] {
    ASSERT_TRUE(lock.try_lock_for(long_lease));
    eventually("the lease ends", [&] { return lock.remaining() == milliseconds(0); });
    ASSERT_TRUE(lock.try_lock_for(long_lease));
    EXPECT_EQ(lock.release(), Release::released);
  });
  await_line(1);
  ASSERT_EQ(holder().release(), Release::released);
  waiter.join();
  EXPECT_EQ(in_line(), 0);
}

TEST_F(FairQueue, WaitsForAKeyOfAnyBytes) {
  const std::string key("a\0b\r\n\xff $3 %s", 13);
  FairLock other(redis().direct(), key, leased_for(long_lease));
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  FairLock lock(server(), key, leased_for(long_lease));
  auto waiter = wait_for(lock);
  eventually("it waits", [&] { return keys() == 2; });
  ASSERT_EQ(other.release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, IsKnownToTheServerByTheShaOfTheBuild) {
  const auto& script = fair_queue::scripts::line;
  EXPECT_EQ(redis().direct().command({"SCRIPT", "LOAD", script.text}).text(), script.sha1);
}

}  // namespace
