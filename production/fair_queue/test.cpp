// First come, first served: the release script hands the lock over.
#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "core/testing/lock_contract.h"
#include "core/token.h"
#include "faults/testing/cpu_share.h"
#include "production/fair_queue/lock.h"
#include "production/fair_queue/scripts.h"

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
using testing::HasSubstr;
using testing::IsEmpty;

constexpr milliseconds lease{150};
constexpr milliseconds long_lease{2 * core::longest_wait};

core::LockUnderTest fair_lock(std::string name, bool renewed) {
  return {.name = std::move(name),
          .make =
              [renewed](auto& server, auto key, auto time) {
                const auto options = renewed ? fair_queue::Options{.default_lease = time}
                                             : fair_queue::Options{.lease = time};
                return std::make_unique<fair_queue::Lock>(server, std::move(key), options);
              },
          .acquiring = {"EVALSHA"},
          .contended = {"EVALSHA"},
          .releasing = {"EVALSHA"},
          .not_releasing = {"EVALSHA"},
          .reentrant = true,
          .asks_twice = true};
}

const auto leased = fair_lock("leased", false);
const auto renewed = fair_lock("renewed", true);

INSTANTIATE_TEST_SUITE_P(FairQueue, LockContract, testing::Values(leased, renewed));
INSTANTIATE_TEST_SUITE_P(FairQueue, LeaseContract, testing::Values(leased));
INSTANTIATE_TEST_SUITE_P(FairQueue, OwnerContract, testing::Values(leased));
INSTANTIATE_TEST_SUITE_P(FairQueue, ReentrantContract, testing::Values(leased, renewed));

fair_queue::Options leased_for(milliseconds time) {
  return {.lease = time};
}

class FairQueue : public faults::RedisTest {
 protected:
  // A waiter of another process, whose commands the test sends itself.
  struct Stranger {
    std::string token = core::random_token();
    std::string channel;
  };

  long long run(std::string_view what, const Stranger& who, milliseconds time = long_lease,
                std::string_view stands = "last") {
    return redis()
        .direct()
        .run(fair_queue::scripts::queue, {"orders", "orders:queue"},
             {what, who.token, who.token + ":1", std::to_string(time.count()), "a stranger",
              who.channel, stands})
        .integer();
  }
  [[nodiscard]] long long in_the_queue() {
    return redis().direct().command({"LLEN", "orders:queue"}).integer();
  }
  void await_queue(long long length) {
    eventually("they are in the queue", [&] { return in_the_queue() == length; });
  }
  [[nodiscard]] long long subscribers() {
    const auto info = std::string(redis().direct().command({"INFO", "stats"}).text());
    const auto at = info.find("pubsub_channels:");
    return std::stoll(info.substr(at + 16));
  }

  // A thread that waits for the lock through the link, and does `then` with it.
  std::jthread wait_for(fair_queue::Lock& lock, std::function<void()> then) {
    return std::jthread([&lock, then = std::move(then)] {
      ASSERT_TRUE(lock.try_lock_for(std::chrono::seconds(30)));
      then();
    });
  }

  // Lets `lock` wait until it is in the queue, and give up.
  void queue_once(fair_queue::Lock& lock) {
    std::jthread waiter([&](const std::stop_token& stop) {
      EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop), Acquire::contended);
    });
    await_queue(1);
  }

  // From now on all messages that `fit` are delayed until `deliver_all`.
  void delay(std::function<bool(const Boundary&)> fits) {
    link().decide_by([fits = std::move(fits)](const Boundary& boundary) {
      return fits(boundary) ? Action::hold_back : Action::forward;
    });
  }
  static bool is_message(const Boundary& boundary) {
    return boundary.direction == Direction::reply && boundary.text.starts_with("message ");
  }
  void deliver_all() { link().decide_by({}); }

  // A waiter that waits for long enough sends a PING in any case.
  static std::vector<std::string> without_pings(std::vector<std::string> names) {
    std::erase(names, "PING");
    return names;
  }

  const Stranger nobody{.channel = "nobody listens"};
};

TEST_F(FairQueue, LetsTheFirstInFirst) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::mutex mutex;
  std::vector<int> order;
  std::deque<fair_queue::Lock> locks;
  std::vector<std::jthread> waiters;
  for (int i = 0; i < 6; ++i) {
    auto& lock = locks.emplace_back(server(), "orders", leased_for(long_lease));
    waiters.push_back(wait_for(lock, [&, i] {
      const std::lock_guard guard(mutex);
      order.push_back(i);
      EXPECT_EQ(lock.release(), Release::released);
    }));
    await_queue(i + 1);
  }
  ASSERT_EQ(holder.release(), Release::released);
  waiters.clear();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, SleepsWhileItsSubscriptionIsUnanswered) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  delay([](const Boundary& boundary) {
    return boundary.direction == Direction::reply && boundary.command == "SUBSCRIBE";
  });
  const auto waiter = wait_for(lock, [] {});
  eventually("it subscribes", [&] {
    const auto seen = link().commands_seen();
    return std::find(seen.begin(), seen.end(), "SUBSCRIBE") != seen.end();
  });
  EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  deliver_all();
  EXPECT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, AsksAgainForASubscriptionThatIsRefused) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  fair_queue::Lock other(server(), "orders", leased_for(long_lease));
  const auto was_asked = [&](const std::string& command, long times) {
    const auto seen = link().commands_seen();
    return link().all_answered() && std::count(seen.begin(), seen.end(), command) >= times;
  };
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  redis().direct().command({"ACL", "SETUSER", "default", "-subscribe"});
  const auto first = wait_for(lock, [&] { EXPECT_EQ(lock.release(), Release::released); });
  eventually("it asks again", [&] { return was_asked("SUBSCRIBE", 2); });
  const auto second = wait_for(other, [&] { EXPECT_EQ(other.release(), Release::released); });
  eventually("so does the other", [&] { return was_asked("EVALSHA", 2); });
  EXPECT_EQ(in_the_queue(), 0);  // no message would reach them
  redis().direct().command({"ACL", "SETUSER", "default", "+subscribe"});
  EXPECT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, TakesTwoCommandsForEachTurn) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  queue_once(lock);  // from now on messages reach it
  const auto turn = [&] {
    auto waiter = wait_for(lock, [&] { EXPECT_EQ(lock.release(), Release::released); });
    await_queue(1);
    EXPECT_EQ(holder.release(), Release::released);
  };
  EXPECT_THAT(without_pings(names_during(turn)), ElementsAre("EVALSHA", "EVALSHA"));
  const auto alone = [&] {
    lock.lock();
    lock.unlock();
  };
  EXPECT_THAT(names_during(alone), ElementsAre("EVALSHA", "EVALSHA"));
}

TEST_F(FairQueue, GivesTheNextOwnerItsOwnLease) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(lease * 100));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] {
    EXPECT_EQ(value("orders"), lock.hold_token());
    EXPECT_GT(time_left("orders"), long_lease / 2);
    EXPECT_GT(lock.remaining(), long_lease / 2);
    EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
    EXPECT_EQ(lock.hold_count(), 2);
    EXPECT_THAT(lock.holder()->who, HasSubstr("process " + std::to_string(getpid())));
    EXPECT_EQ(lock.release(), Release::still_held);
    EXPECT_EQ(lock.release(), Release::released);
  });
  await_queue(1);
  ASSERT_EQ(holder.release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, RenewsWhatWasHandedOver) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  // Many renewals for each lease, so that a slow machine misses some and loses nothing.
  constexpr auto its_lease = 6 * lease;
  fair_queue::Lock lock(server(), "orders", {.default_lease = its_lease, .renew_every = lease / 2});
  auto waiter = wait_for(lock, [&] {
    const auto later = steady_clock::now() + 2 * its_lease;
    eventually("two leases are over", [&] { return steady_clock::now() > later; });
    EXPECT_FALSE(lock.lost().stop_requested());
    redis().direct().command({"DEL", "orders"});
    eventually("it is told of the loss", [&] { return lock.lost().stop_requested(); });
  });
  await_queue(1);
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, PassesOverTheDead) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  ASSERT_LT(run("wait", nobody), 0);
  ASSERT_LT(run("wait", {.channel = "nobody here either"}), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
  await_queue(3);
  EXPECT_EQ(run("release", holder), 1);
  waiter.join();
  EXPECT_EQ(in_the_queue(), 0);
}

TEST_F(FairQueue, IsFreeWhenAllInItAreDead) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  ASSERT_LT(run("wait", nobody), 0);
  EXPECT_EQ(run("release", holder), 1);
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, ExpiresWhenNobodyAsksAnyMore) {
  constexpr milliseconds its_lease{5'000};
  ASSERT_GT(run("try", {}, its_lease), 0);
  ASSERT_LT(run("wait", nobody, its_lease), 0);
  EXPECT_GT(time_left("orders:queue"), its_lease);
  EXPECT_LE(time_left("orders:queue"), its_lease + std::chrono::seconds(10));
}

TEST_F(FairQueue, IsNotOvertakenWhenTheHolderIsDead) {
  // The waiter's own time limit is longer than this test: only a newcomer can hand the lock on.
  ASSERT_GT(run("try", {}), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
  await_queue(1);
  redis().direct().command({"DEL", "orders"});
  EXPECT_LT(run("try", {}), 0);
  waiter.join();
}

TEST_F(FairQueue, LetsANewcomerOvertakeOnPurpose) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  fair_queue::Lock first(server(), "orders", leased_for(long_lease));
  fair_queue::Lock second(server(), "orders", leased_for(long_lease), fair_queue::Position::first);
  std::vector<int> order;
  auto one = wait_for(first, [&] {
    order.push_back(1);
    first.unlock();
  });
  await_queue(1);
  auto two = wait_for(second, [&] {
    order.push_back(2);
    second.unlock();
  });
  await_queue(2);
  EXPECT_EQ(run("release", holder), 1);
  two.join();
  one.join();
  EXPECT_THAT(order, ElementsAre(2, 1));
}

TEST_F(FairQueue, GoesOnByItselfWhenTheHolderIsDead) {
  // Time for the first to join the queue, however slow the machine is.
  ASSERT_GT(run("try", {}, milliseconds(2'000)), 0);
  fair_queue::Lock first(server(), "orders", leased_for(long_lease));
  fair_queue::Lock second(server(), "orders", leased_for(long_lease));
  std::vector<int> order;
  auto one = wait_for(first, [&] {
    order.push_back(1);
    first.unlock();
  });
  await_queue(1);
  auto two = wait_for(second, [&] {
    order.push_back(2);
    second.unlock();
  });
  one.join();
  two.join();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST_F(FairQueue, GoesOnWhenADeadNextHasAShorterLease) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  core::Server frozen_process(redis().address());  // still subscribed
  const Stranger frozen{.channel = "frozen"};
  (void)frozen_process.command({"SUBSCRIBE", frozen.channel});
  ASSERT_LT(run("wait", frozen, lease), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(4 * lease));
  std::jthread waiter([&] {
    const auto start = steady_clock::now();
    EXPECT_TRUE(lock.try_lock_for(long_lease));
    EXPECT_LT(steady_clock::now() - start, long_lease / 2);
  });
  await_queue(2);
  EXPECT_EQ(run("release", holder), 1);
}

TEST_F(FairQueue, HandsOnWhatIsReleasedTooLate) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
  await_queue(1);
  redis().direct().command({"DEL", "orders"});  // its lease has run out
  EXPECT_EQ(run("release", holder), 0);
  EXPECT_EQ(in_the_queue(), 0);
}

TEST_F(FairQueue, CountsTheLeaseFromWhenItWasAskedFor) {
  fair_queue::Lock lock(server(), "orders", leased_for(milliseconds(10'000)));
  ASSERT_TRUE(lock.try_lock_for(long_lease));  // the script is there now
  ASSERT_EQ(lock.release(), Release::released);
  const auto late = link().arm({.direction = Direction::reply}, Action::delay, milliseconds(500));
  ASSERT_TRUE(lock.try_lock_for(long_lease));
  EXPECT_TRUE(late.fired());
  const auto server_says = time_left("orders");
  EXPECT_LE(lock.remaining(), server_says);
}

TEST_F(FairQueue, CountsTheLeaseAnewOnASecondRequest) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  redis().direct().command({"PEXPIRE", "orders", "5000"});
  EXPECT_EQ(run("wait", holder), long_lease.count());
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_F(FairQueue, KeepsThePositionOnASecondRequest) {
  const auto first = [&] {
    return std::string(redis().direct().command({"LINDEX", "orders:queue", "0"}).text());
  };
  ASSERT_GT(run("try", {}), 0);
  ASSERT_LT(run("wait", nobody), 0);
  const auto before = first();
  ASSERT_LT(run("wait", {.channel = "nobody here either"}), 0);
  ASSERT_LT(run("wait", nobody), 0);
  EXPECT_EQ(first(), before);
}

TEST_F(FairQueue, IsLeftByAWaiterThatGotIn) {
  const Stranger other{.channel = "nobody listens"};
  ASSERT_GT(run("try", {}), 0);
  ASSERT_LT(run("wait", other, long_lease, "first"), 0);
  redis().direct().command({"DEL", "orders"});
  ASSERT_GT(run("wait", other, long_lease, "first"), 0);
  EXPECT_EQ(in_the_queue(), 0);
}

TEST_F(FairQueue, LivesAsLongAsItsWaiters) {
  ASSERT_GT(run("try", {}), 0);
  ASSERT_LT(run("wait", nobody), 0);
  redis().direct().command({"PEXPIRE", "orders:queue", "5000"});
  ASSERT_LT(run("wait", {.channel = "nobody here either"}), 0);
  EXPECT_GT(time_left("orders:queue"), time_left("orders"));
}

TEST_F(FairQueue, NamesEachHoldAfresh) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  std::vector<std::string> tokens;
  std::jthread waiter([&] {
    for (int round = 0; round < 2; ++round) {
      ASSERT_TRUE(lock.try_lock_for(std::chrono::seconds(30)));
      tokens.push_back(*lock.hold_token());
      EXPECT_EQ(lock.release(), Release::released);
    }
  });
  waiter.join();
  EXPECT_NE(tokens.at(0), tokens.at(1));
}

TEST_F(FairQueue, IsLeftByAWaiterThatGivesUp) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  EXPECT_FALSE(lock.try_lock_for(milliseconds(100)));
  EXPECT_EQ(in_the_queue(), 0);
  std::stop_source stop;
  std::jthread waiter(
      [&] { EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop.get_token()), Acquire::contended); });
  await_queue(1);
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(in_the_queue(), 0);
  EXPECT_EQ(holder.release(), Release::released);
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, PassesOnWhatAWaiterGaveUpGets) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  std::stop_source stop;
  std::jthread waiter(
      [&] { EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop.get_token()), Acquire::contended); });
  await_queue(1);
  delay(is_message);
  ASSERT_EQ(holder.release(), Release::released);
  EXPECT_NE(value("orders"), std::nullopt);
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, PassesOnWhatIsHandedToNobody) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  const auto hand_it_to_nobody = [&] {
    ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
    core::Server server(link().address());
    fair_queue::Lock lock(server, "orders", leased_for(long_lease));
    std::stop_source stop;
    std::jthread waiter([&] {
      EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop.get_token()), Acquire::contended);
    });
    await_queue(1);
    const auto lost =
        link().arm({.direction = Direction::command, .command = "EVALSHA"}, Action::reset);
    stop.request_stop();
    waiter.join();
    ASSERT_TRUE(lost.fired());
    ASSERT_EQ(in_the_queue(), 1);
    ASSERT_EQ(holder.release(), Release::released);
    eventually("it is passed on", [&] { return keys() == 0; });
  };
  const fair_queue::Lock keeps_the_subscription(server(), "orders", leased_for(long_lease));
  hand_it_to_nobody();
  redis().direct().command({"CLIENT", "KILL", "TYPE", "normal"});  // ends the subscription
  hand_it_to_nobody();
}

TEST_F(FairQueue, PassesOnWhatIsHandedToARefusedWaiter) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  std::jthread waiter([&] { EXPECT_THROW(lock.lock(), core::ErrorReply); });
  await_queue(1);
  refuse("EVALSHA");
  redis().direct().command({"CLIENT", "KILL", "TYPE", "pubsub"});  // then the waiter asks again
  waiter.join();
  accept("EVALSHA");
  ASSERT_EQ(in_the_queue(), 1);
  ASSERT_EQ(run("release", holder), 1);
  eventually("it is passed on", [&] { return keys() == 0; });
}

TEST_F(FairQueue, ReadsItsNewConnectionWhileNobodyWaits) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  queue_once(lock);
  const auto channels = redis().direct().command({"PUBSUB", "CHANNELS", "waiters:*"});
  redis().direct().command({"PUBLISH", channels.text(0), "a-token a-participant a-key"});
  eventually("its own thread reads, and passes it on", [&] {
    const auto seen = link().commands_seen();
    return std::find(seen.begin(), seen.end(), "EVAL") != seen.end() && link().all_answered();
  });
  // The thread reads again 100 ms after it left the connection to the waiters.
  std::this_thread::sleep_for(milliseconds(300));
  std::jthread waiter([&] { EXPECT_THROW(lock.lock(), core::ErrorReply); });
  await_queue(1);
  refuse("EVALSHA");
  // No message arrives on it any more, not even its end.
  const auto silence =
      link().arm({.direction = Direction::reply, .command = "PING"}, Action::hold_back);
  waiter.join();
  ASSERT_TRUE(silence.fired());
  accept("EVALSHA");
  ASSERT_EQ(in_the_queue(), 1);
  ASSERT_EQ(run("release", holder), 1);
  eventually("it is passed on", [&] { return keys() == 0; });
}

TEST_F(FairQueue, AcceptsAMessageBeforeTheAnswer) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  queue_once(lock);  // from now on messages reach it
  auto answer =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::hold_back);
  const auto sent = sent_during([&] {
    auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
    answer.await(milliseconds(10'000));
    auto message = link().arm({.direction = Direction::reply}, Action::forward);
    ASSERT_EQ(holder.release(), Release::released);
    message.await(milliseconds(10'000));
    answer.deliver();
  });
  EXPECT_EQ(sent.size(), 1);
}

TEST_F(FairQueue, MissesNoMessageThatOvertakesTheAnswer) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock other(redis().direct(), "invoices", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  fair_queue::Lock witness(server(), "invoices", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  queue_once(lock);                        // from now on messages reach it
  auto reader = wait_for(witness, [] {});  // and its message is read at once
  eventually("that one waits", [&] { return keys() == 3 && link().all_answered(); });
  auto answer =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::hold_back);
  std::jthread waiter([&] {
    const auto start = steady_clock::now();
    EXPECT_TRUE(lock.try_lock_for(long_lease));
    EXPECT_LT(steady_clock::now() - start, long_lease / 2);
  });
  answer.await(milliseconds(10'000));
  ASSERT_EQ(holder.release(), Release::released);
  ASSERT_EQ(other.release(), Release::released);
  reader.join();
  answer.deliver();
}

TEST_F(FairQueue, KeepsAHoldWhoseMessageComesLate) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(milliseconds(1'000)));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] {
    deliver_all();
    const auto answered = [&] { return lock.holder().has_value(); };
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(answered());
  });
  await_queue(1);
  delay(is_message);
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, TrustsNoLongerThanTheServerLateMessage) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(milliseconds(2'000)));
  const auto beats = [&] {
    const auto sent = link().commands_seen();
    return std::count(sent.begin(), sent.end(), "PING");
  };
  auto waiter = wait_for(lock, [&] {
    EXPECT_LE(*lock.remaining(), time_left("orders"));
    EXPECT_LE(*lock.remaining(), milliseconds(1'500));
  });
  await_queue(1);
  eventually("it sends PINGs", [&] { return beats() >= 3; });
  delay(is_message);
  ASSERT_EQ(holder.release(), Release::released);
  eventually("a part of the lease is over",
             [&] { return time_left("orders") < milliseconds(1'500); });
  deliver_all();
}

TEST_F(FairQueue, TrustsNoLongerThanTheServerLatePong) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(milliseconds(2'000)));
  auto pong = link().arm({.direction = Direction::reply, .command = "PING"}, Action::hold_back);
  auto waiter = wait_for(lock, [&] {
    const auto server_says = time_left("orders");
    EXPECT_LE(lock.remaining(), server_says);
  });
  await_queue(1);
  pong.await(milliseconds(10'000));
  ASSERT_EQ(holder.release(), Release::released);
  eventually("a part of the lease is over",
             [&] { return time_left("orders") < milliseconds(1'600); });
  pong.deliver();
}

TEST(FairQueueWaiter, TakesOverOnceFromTheLastPing) {
  const auto before = steady_clock::now();
  fair_queue::Waiter waiter(long_lease);
  EXPECT_EQ(waiter.take_over(), std::nullopt);
  const auto beat = steady_clock::now() + std::chrono::seconds(1);
  waiter.hand_over(beat);
  EXPECT_EQ(waiter.take_over(), beat);
  EXPECT_EQ(waiter.take_over(), std::nullopt);
  waiter.hand_over(before - std::chrono::seconds(1));
  EXPECT_GE(waiter.take_over(), before) << "it cannot be older than the waiter";
}

TEST_F(FairQueue, HasMostOfItsLeaseHoweverLongItWaited) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(milliseconds(2'000)));
  auto waiter = wait_for(lock, [&] { EXPECT_GT(lock.remaining(), milliseconds(1'000)); });
  await_queue(1);
  const auto later = steady_clock::now() + milliseconds(2'500);
  eventually("it has waited longer than its lease", [&] { return steady_clock::now() > later; });
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, RejectsAMessageOlderThanItsLease) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock other(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(milliseconds(600)));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
  await_queue(1);
  // Its own next request is delayed as long as the message.
  delay([](const Boundary& boundary) {
    return is_message(boundary) || boundary.command == "EVALSHA";
  });
  ASSERT_EQ(holder.release(), Release::released);
  eventually("its lease is over", [&] { return keys() == 0; });
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  deliver_all();
  await_queue(1);
  EXPECT_EQ(value("orders"), other.hold_token());
  ASSERT_EQ(other.release(), Release::released);
}

TEST_F(FairQueue, QueuesAgainAfterALostConnection) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
  await_queue(1);
  redis().direct().command({"DEL", "orders:queue"});  // as on a replica that has not got it
  link().lead_to(redis().address());                  // breaks every connection
  await_queue(1);
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, IsNotJoinedBeforeMessagesCanArrive) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock early(server(), "orders", leased_for(long_lease));
  auto one = wait_for(early, [&] { early.unlock(); });
  await_queue(1);
  eventually("it knows that it is queued", [&] { return link().all_answered(); });
  redis().direct().command({"DEL", "orders:queue"});
  auto subscribing =
      link().arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back);
  link().lead_to(redis().address());  // breaks every connection
  subscribing.await(milliseconds(10'000));
  core::Server another(link().address());
  fair_queue::Lock late(another, "orders", leased_for(long_lease));
  auto answer =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::hold_back);
  auto two = wait_for(late, [&] { late.unlock(); });
  answer.await(milliseconds(10'000));
  EXPECT_EQ(in_the_queue(), 0);
  answer.deliver();
  subscribing.deliver();
  await_queue(2);
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, DisconnectsFromASilentServer) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(lease));
  auto waiter = wait_for(lock, [&] { lock.unlock(); });
  const auto sent = [&](std::string_view name) {
    const auto seen = link().commands_seen();
    return std::count(seen.begin(), seen.end(), name);
  };
  await_queue(1);
  {
    const auto silence =
        link().arm({.direction = Direction::reply, .command = "PING"}, Action::blackhole);
    eventually("it subscribes again", [&] { return sent("SUBSCRIBE") == 2; });
  }
  const auto beats = sent("PING");
  eventually("it sends PINGs again", [&] { return sent("PING") > beats; });
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, PingsForTheShortestLeaseOfAllWaiters) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock brief(server(), "orders", leased_for(lease));
  fair_queue::Lock lasting(server(), "orders", leased_for(long_lease));
  auto one = wait_for(brief, [&] { brief.unlock(); });
  await_queue(1);
  auto two = wait_for(lasting, [&] { lasting.unlock(); });
  await_queue(2);
  const auto beats = [&] {
    const auto sent = link().commands_seen();
    return std::count(sent.begin(), sent.end(), "PING");
  };
  const auto start = steady_clock::now();
  eventually("it sends PINGs", [&, before = beats()] { return beats() >= before + 20; });
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(18));  // for the other one: 20
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, SleepsUntilItIsItsTurn) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  std::jthread gives_up([&](const std::stop_token& stop) {
    EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop), Acquire::contended);
  });
  eventually("it reads what comes", [&] {
    const auto sent = link().commands_seen();
    return std::count(sent.begin(), sent.end(), "PING") > 0;
  });
  gives_up.request_stop();
  gives_up.join();
  auto waiter = wait_for(lock, [&] { lock.unlock(); });
  await_queue(1);
  EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(FairQueue, StaysTheSameWhenACommandComesTwice) {
  const Stranger holder;
  ASSERT_GT(run("try", holder), 0);
  ASSERT_GT(run("wait", holder), 0);
  EXPECT_EQ(in_the_queue(), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] {
    EXPECT_EQ(run("release", holder), 1);  // it was released, and handed on
    EXPECT_EQ(run("give up", holder), 1);
    EXPECT_EQ(run("release", nobody), -1);
    EXPECT_EQ(lock.release(), Release::released);
  });
  await_queue(1);
  for (int i = 0; i < 2; ++i) ASSERT_LT(run("wait", nobody), 0);
  EXPECT_EQ(in_the_queue(), 2);
  EXPECT_EQ(run("release", holder), 1);
  waiter.join();
  EXPECT_EQ(run("release", holder), 0);
}

TEST_F(FairQueue, QueuesOnceWhenTheAnswerIsLost) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  queue_once(lock);  // from now on messages reach it
  const auto lost =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::reset);
  auto waiter = wait_for(lock, [&] { lock.unlock(); });
  eventually("it has asked twice", [&] { return lost.fired() && in_the_queue() > 0; });
  eventually("all is answered", [&] { return link().all_answered(); });
  EXPECT_EQ(in_the_queue(), 1);
  ASSERT_EQ(holder.release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, RollsBackWhatALostReplyMayHaveGiven) {
  redis().direct().command({"SCRIPT", "LOAD", fair_queue::scripts::queue.text});
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  const auto first = link().arm({.direction = Direction::reply}, Action::reset);
  const auto second = link().arm({.direction = Direction::reply, .nth = 2}, Action::reset);
  EXPECT_EQ(lock.acquire(lock.usual_waiting()), Acquire::unknown);
  EXPECT_TRUE(second.fired());
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, FreesAndHandsOnByForce) {
  fair_queue::Lock hand(redis().direct(), "orders", leased_for(long_lease));
  EXPECT_FALSE(hand.force_release());
  ASSERT_GT(run("try", {}), 0);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(value("orders"), lock.hold_token()); });
  await_queue(1);
  EXPECT_TRUE(hand.force_release());
}

TEST_F(FairQueue, TellsTheHolderOfAForcedRelease) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(holder.release(), Release::not_held); });
  await_queue(1);
  EXPECT_TRUE(holder.force_release());
  waiter.join();
  EXPECT_EQ(holder.release(), Release::stolen);
}

TEST_F(FairQueue, StaysHeldUntilTheLastJoinedHasLeft) {
  fair_queue::Lock holder(redis().direct(), "orders", leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  const auto token = *holder.hold_token();
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_NE(value("orders"), token); });
  await_queue(1);
  on_another_thread([&] {
    EXPECT_EQ(holder.join(token), Acquire::acquired);
    on_another_thread([] {});
  });
  EXPECT_EQ(holder.release(), Release::still_held);
  EXPECT_EQ(in_the_queue(), 1);
  EXPECT_TRUE(holder.force_release());
}

TEST_F(FairQueue, TakesAKeyOfAnyBytes) {
  const std::string key("a\0b\r\n\xff $3 %s", 13);
  fair_queue::Lock holder(redis().direct(), key, leased_for(long_lease));
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  fair_queue::Lock lock(server(), key, leased_for(long_lease));
  auto waiter = wait_for(lock, [&] { EXPECT_EQ(lock.release(), Release::released); });
  eventually("it waits", [&] { return keys() == 2; });
  ASSERT_EQ(holder.release(), Release::released);
  waiter.join();
  EXPECT_EQ(keys(), 0);
}

TEST_F(FairQueue, LetsNobodyInWhereTheLeaseWasRemoved) {
  fair_queue::Lock lock(server(), "orders", leased_for(long_lease));
  redis().direct().command({"HSET", "orders", "token", "somebody else"});
  EXPECT_EQ(lock.try_acquire(), Acquire::contended);
  EXPECT_EQ(value("orders"), "somebody else");
}

TEST_F(FairQueue, IsKnownToTheServerByTheShaOfTheBuild) {
  const auto& script = fair_queue::scripts::queue;
  EXPECT_EQ(redis().direct().command({"SCRIPT", "LOAD", script.text}).text(), script.sha1);
}

}  // namespace
