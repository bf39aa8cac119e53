#include <gmock/gmock.h>

#include <thread>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "core/testing/lock_contract.h"
#include "faults/testing/cpu_share.h"
#include "faults/testing/renewal.h"
#include "faults/world/tested_lock.h"
#include "faults/world/world.h"
#include "stage6_reentrant/scripts.h"
#include "stage6_reentrant/variants/polling/polling_lock.h"

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
using faults::Direction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr milliseconds lease{600};
constexpr milliseconds long_lease{2 * core::longest_wait};
// For tests in which no lease has to pass: nothing is lost, however slow the machine.
const stage6::Options never_late{.default_lease = long_lease, .renew_every = lease / 3};

core::LockUnderTest stage6_lock(std::string name, bool renewed) {
  return {.name = std::move(name),
          .make =
              [renewed](auto& server, auto key, auto time) {
                const auto options = renewed ? stage6::Options{.default_lease = time}
                                             : stage6::Options{.lease = time};
                return std::make_unique<stage6::Lock>(server, std::move(key), options);
              },
          .acquiring = {"EVALSHA"},
          .contended = {"EVALSHA"},
          .releasing = {"EVALSHA"},
          .not_releasing = {"EVALSHA"},
          .reentrant = true,
          .asks_twice = true};
}

core::LockUnderTest polling_lock() {
  auto lock = stage6_lock("polling", false);
  lock.make = [](auto& server, auto key, auto time) {
    return std::make_unique<stage6::PollingLock>(server, std::move(key),
                                                 core::Waiting::fixed(milliseconds(2)),
                                                 stage6::Options{.lease = time});
  };
  return lock;
}

const auto leased = stage6_lock("leased", false);
const auto renewed = stage6_lock("renewed", true);
const auto polling = polling_lock();

INSTANTIATE_TEST_SUITE_P(Stage6, LockContract, testing::Values(leased, renewed, polling));
INSTANTIATE_TEST_SUITE_P(Stage6, LeaseContract, testing::Values(leased, polling));
INSTANTIATE_TEST_SUITE_P(Stage6, OwnerContract, testing::Values(leased, polling));
INSTANTIATE_TEST_SUITE_P(Stage6, ReentrantContract, testing::Values(leased, renewed, polling));

class Stage6 : public faults::RedisTest {
 protected:
  // A field of the lock's hash.
  [[nodiscard]] std::string field(std::string_view name) {
    return std::string(redis().direct().command({"HGET", "orders", name}).text());
  }
  // How deep the only one inside is, by the server's books.
  [[nodiscard]] std::string depth() {
    const auto fields = redis().direct().command({"HGETALL", "orders"});
    for (std::size_t i = 0; i < fields.parts(); i += 2) {
      if (fields.text(i).find(':') != std::string_view::npos)
        return std::string(fields.text(i + 1));
    }
    return {};
  }
  // Without a message only the last try acquires the lock, at the end of the time.
  static void gets_in_soon(stage6::Lock& lock) {
    constexpr std::chrono::seconds limit{30};
    const auto start = steady_clock::now();
    EXPECT_TRUE(lock.try_lock_for(limit))
        << "waited " << limit.count() << " s for the lock, in vain";
    EXPECT_LT(steady_clock::now() - start, limit)
        << "nothing woke the waiter: only its last try acquired the lock";
  }
  // How often a subscription has begun here.
  auto subscriptions() {
    const auto asked = link().commands_seen();
    return std::count(asked.begin(), asked.end(), "SUBSCRIBE");
  }
  // Waits in vain, until it listens.
  void waits_in_vain(stage6::Lock& lock) {
    const auto before = subscriptions();
    std::stop_source enough;
    std::jthread waiter([&] {
      EXPECT_EQ(lock.acquire(lock.usual_waiting(), enough.get_token()), Acquire::contended);
    });
    eventually("it listens", [&] { return subscriptions() > before; });
    enough.request_stop();
  }
  void wait_for_commands(std::size_t count) {
    const auto wanted = link().commands_seen().size() + count;
    eventually("renewals have been sent", [&] { return link().commands_seen().size() >= wanted; });
  }
};

using Stage6Entering = Stage6;
using Stage6Leaving = Stage6;
using Stage6HandingOn = Stage6;
using Stage6Listening = Stage6;
using Stage6Renewing = Stage6;
using Stage6Operator = Stage6;
using Stage6Script = Stage6;

TEST_F(Stage6Entering, GoesDeeperWithTheSameHold) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = value("orders");
  EXPECT_EQ(lock.hold_count(), 1);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(value("orders"), token);
  EXPECT_EQ(lock.hold_token(), token);
  EXPECT_EQ(lock.hold_count(), 2);
  EXPECT_EQ(depth(), "2");
}

TEST_F(Stage6Entering, IsOneLockForAllObjectsOfItsKey) {
  stage6::Lock outer(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  {
    stage6::Lock inner(server(), "orders", {.lease = long_lease});
    EXPECT_TRUE(inner.held_by_this_thread());
    EXPECT_EQ(inner.try_acquire(), Acquire::acquired);
    EXPECT_EQ(inner.release(), Release::still_held);
  }
  EXPECT_EQ(outer.release(), Release::released);
}

TEST_F(Stage6Entering, IsForTheThreadThatHoldsIt) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  on_another_thread([&] {
    EXPECT_FALSE(lock.held_by_this_thread());
    EXPECT_EQ(lock.hold_count(), 0);
    EXPECT_EQ(lock.try_acquire(), Acquire::contended);
  });
}

TEST_F(Stage6Entering, NeverMakesTheLeaseShorter) {
  stage6::Lock outer(server(), "orders", {.lease = long_lease});
  stage6::Lock inner(server(), "orders", {.lease = lease});
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  ASSERT_EQ(inner.try_acquire(), Acquire::acquired);
  EXPECT_GT(time_left("orders"), long_lease / 2);
  EXPECT_GT(inner.remaining(), long_lease / 2);
  EXPECT_EQ(field("lease"), std::to_string(long_lease.count()));
}

TEST_F(Stage6Entering, MakesTheLeaseLonger) {
  stage6::Lock outer(server(), "orders", {.lease = lease});
  stage6::Lock inner(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  const auto lost = outer.lost();
  ASSERT_EQ(inner.try_acquire(), Acquire::acquired);
  EXPECT_GT(time_left("orders"), long_lease / 2);
  const auto later = steady_clock::now() + 2 * lease;
  eventually("the first lease is over", [&] { return steady_clock::now() > later; });
  EXPECT_FALSE(lost.stop_requested());
  EXPECT_GT(outer.remaining(), long_lease / 2);
}

TEST_F(Stage6Entering, IsTheSameWhenTheCommandComesTwice) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  {
    const auto lost = link().arm({.direction = Direction::reply}, Action::reset);
    EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
  }
  EXPECT_EQ(depth(), "2");
  EXPECT_EQ(lock.release(), Release::still_held);
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_EQ(keys(), 0);
}

TEST_F(Stage6Entering, KeepsTheOuterLevelWhenTheInnerIsUnknown) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  for (const auto direction : {Direction::command, Direction::reply}) {
    const auto first = link().arm({.direction = direction}, Action::reset);
    const auto second = link().arm({.direction = direction, .nth = 2}, Action::reset);
    EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
    EXPECT_EQ(lock.hold_count(), 1);
    EXPECT_EQ(depth(), "1");
  }
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage6Entering, BeginsAnotherHoldWhenItsOwnIsOver) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto lost = lock.lost();
  redis().direct().command({"DEL", "orders"});
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_TRUE(lost.stop_requested());
  EXPECT_EQ(lock.hold_count(), 1);
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_EQ(lock.release(), Release::expired);
}

TEST_F(Stage6Entering, GivesBackWhatCameTooLate) {
  stage6::Lock lock(server(), "orders", {.lease = lease});
  const auto late = link().arm({}, Action::delay, lease);
  EXPECT_EQ(lock.try_acquire(), Acquire::unknown);
  EXPECT_EQ(keys(), 0);
}

TEST_F(Stage6Entering, CountsAnInnerLeaseFromWhenItWasAskedFor) {
  stage6::Lock outer(server(), "orders", {.lease = milliseconds(5'000)});
  stage6::Lock inner(server(), "orders", {.lease = milliseconds(10'000)});
  ASSERT_EQ(inner.try_acquire(), Acquire::acquired);  // the script is there now
  ASSERT_EQ(inner.release(), Release::released);
  ASSERT_EQ(outer.try_acquire(), Acquire::acquired);
  const auto late = link().arm({.direction = Direction::reply}, Action::delay, milliseconds(500));
  ASSERT_EQ(inner.try_acquire(), Acquire::acquired);
  EXPECT_TRUE(late.fired());
  const auto server_says = time_left("orders");
  EXPECT_LE(inner.remaining(), server_says);
}

TEST_F(Stage6Leaving, SaysHowDeepTheHoldStillIs) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock.release(), Release::still_held);
  EXPECT_EQ(lock.hold_count(), 2);
  EXPECT_EQ(depth(), "2");
  EXPECT_EQ(lock.release(), Release::still_held);
  EXPECT_EQ(lock.hold_count(), 1);
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_EQ(keys(), 0);
  EXPECT_EQ(lock.release(), Release::not_held);
}

TEST_F(Stage6Leaving, IsRefusedToOtherThreadsAndProcesses) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  on_another_thread([&] { EXPECT_EQ(lock.release(), Release::not_held); });
  const auto there = server().run(stage6::scripts::release, {"orders"},
                                  {"another token", "another process:1", "0", "channel"});
  EXPECT_EQ(there.integer(), -1);
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage6Leaving, TellsTheOuterLevelsWhatBecameOfIt) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  redis().direct().command({"DEL", "orders"});
  EXPECT_EQ(lock.release(), Release::expired);
  redis().direct().command({"HSET", "orders", "token", "somebody else"});
  EXPECT_EQ(lock.release(), Release::stolen);
  EXPECT_EQ(lock.release(), Release::not_held);
}

TEST_F(Stage6Leaving, StaysHeldIfItCannotBeAnnounced) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  refuse("PUBLISH");
  EXPECT_THROW((void)lock.release(), core::ErrorReply);
  EXPECT_EQ(keys(), 1);
  accept("PUBLISH");
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_EQ(keys(), 0);
}

TEST_F(Stage6Leaving, IsNotHeldAfterAnUnansweredRelease) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto lost = link().arm({.direction = Direction::reply}, Action::reset);
  lock.unlock();
  EXPECT_FALSE(lock.held_by_this_thread());
}

TEST_F(Stage6HandingOn, LetsAThreadJoinThatPresentsTheToken) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = lock.hold_token();
  on_another_thread([&] {
    EXPECT_EQ(lock.join(*token), Acquire::acquired);
    EXPECT_TRUE(lock.held_by_this_thread());
    EXPECT_EQ(lock.release(), Release::still_held);
    EXPECT_EQ(lock.release(), Release::not_held);
  });
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(Stage6HandingOn, FreesTheLockWhenTheLastOneLeaves) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = lock.hold_token();
  std::jthread([&] {
    ASSERT_EQ(lock.join(*token), Acquire::acquired);
    EXPECT_EQ(keys(), 1);
  }).join();
  EXPECT_EQ(lock.release(), Release::still_held);
  EXPECT_EQ(keys(), 1);
}

TEST(Stage6HandingOnToAProcess, LetsItJoinAndIsFreeWhenTheLastOneHasLeft) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  faults::History history(directory.path() / "history.jsonl");
  const auto stage = faults::load_tested_lock(STAGE_DIRECTORY, {STAGE_CLIENT});
  faults::World world(stage, faults::find_redis(), reaper, history, directory.path());
  auto& a = world.client("A");
  auto& b = world.client("B");
  auto& c = world.client("C");
  ASSERT_EQ(a.acquire({.lease = long_lease}), "acquired");
  const auto token = a.last_acquire()["token"].get<std::string>();
  ASSERT_EQ(b.acquire({.lease = long_lease, .join = token}), "acquired");
  EXPECT_EQ(a.release(), "still_held");
  EXPECT_EQ(b.work(), "done");
  EXPECT_EQ(c.acquire({.lease = long_lease}), "contended");
  EXPECT_EQ(b.release(), "released");
  EXPECT_EQ(c.acquire({.lease = long_lease, .join = token}), "contended") << "that hold is over";
  EXPECT_EQ(c.acquire({.lease = long_lease}), "acquired");
}

TEST_F(Stage6HandingOn, IsOverWithTheHold) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto token = lock.hold_token();
  ASSERT_EQ(lock.release(), Release::released);
  EXPECT_EQ(lock.join(*token), Acquire::contended);
  EXPECT_EQ(keys(), 0);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  on_another_thread([&] { EXPECT_EQ(lock.join(*token), Acquire::contended); });
}

TEST_F(Stage6Listening, IsToldOfTheReleaseAndDoesNotAskMeanwhile) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::jthread waiter([this] {
    stage6::Lock lock(server(), "orders", {.lease = long_lease});
    gets_in_soon(lock);
    EXPECT_EQ(lock.release(), Release::released);
  });
  const auto asked = [&] { return link().commands_seen(); };
  eventually("it waits", [&] { return asked().size() == 3; });  // ask, subscribe, ask again
  EXPECT_THAT(asked(), ElementsAre("EVALSHA", "SUBSCRIBE", "EVALSHA"));
  ASSERT_EQ(holder.release(), Release::released);
  waiter.join();
  EXPECT_THAT(asked(),
              ElementsAre("EVALSHA", "SUBSCRIBE", "EVALSHA", "EVALSHA", "EVALSHA", "UNSUBSCRIBE"));
}

TEST_F(Stage6Listening, KeepsItsSubscription) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
    const auto before = link().commands_seen().size();
    std::jthread waiter([&] {
      gets_in_soon(lock);
      EXPECT_EQ(lock.release(), Release::released);
    });
    eventually("it listens",
               [&] { return link().commands_seen().size() > before && subscriptions() == 1; });
    ASSERT_EQ(holder.release(), Release::released);
  }
  EXPECT_EQ(subscriptions(), 1);
}

TEST_F(Stage6Listening, MissesNoReleaseBeforeItsSubscription) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  auto subscribing =
      link().arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back);
  std::jthread waiter([this] {
    stage6::Lock lock(server(), "orders", {.lease = long_lease});
    gets_in_soon(lock);
  });
  subscribing.await(milliseconds(10'000));
  ASSERT_EQ(holder.release(), Release::released);
  subscribing.deliver();
  waiter.join();
}

TEST_F(Stage6Listening, MissesNoReleaseThatOvertakesItsAnswer) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  stage6::Lock other(redis().direct(), "invoices", {.lease = long_lease});
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  stage6::Lock witness(server(), "invoices", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  waits_in_vain(lock);
  waits_in_vain(witness);  // on the same connection
  const auto before = link().commands_seen().size();
  std::jthread sleeper([&] { gets_in_soon(witness); });
  eventually("the other one waits",
             [&] { return link().commands_seen().size() > before && link().all_answered(); });
  auto answer =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::hold_back);
  std::jthread waiter([&] { gets_in_soon(lock); });
  answer.await(milliseconds(10'000));
  ASSERT_EQ(holder.release(), Release::released);
  ASSERT_EQ(other.release(), Release::released);
  sleeper.join();
  answer.deliver();
}

TEST_F(Stage6Listening, EndsItsSubscriptionWithTheLastWhoWaited) {
  stage6::Lock orders(redis().direct(), "orders", {.lease = long_lease});
  stage6::Lock invoices(redis().direct(), "invoices", {.lease = long_lease});
  ASSERT_EQ(orders.try_acquire(), Acquire::acquired);
  ASSERT_EQ(invoices.try_acquire(), Acquire::acquired);
  stage6::Lock stays(server(), "invoices", {.lease = long_lease});
  waits_in_vain(stays);
  for (int round = 0; round < 2; ++round) {
    stage6::Lock goes(server(), "orders", {.lease = long_lease});
    waits_in_vain(goes);
  }
  stage6::Lock comes(redis().direct(), "receipts", {.lease = long_lease});
  ASSERT_EQ(comes.try_acquire(), Acquire::acquired);
  stage6::Lock last(server(), "receipts", {.lease = long_lease});
  waits_in_vain(last);  // the thread that listens looks around
  eventually("nobody listens for it any more", [&] {
    return redis().direct().command({"PUBSUB", "CHANNELS", "orders:*"}).parts() == 0;
  });
}

TEST_F(Stage6Listening, TriesWhenTheHoldersLeaseIsOver) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  gets_in_soon(lock);
}

TEST_F(Stage6Listening, GoesOnAfterTheConnectionWasLost) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  std::jthread waiter([this] {
    stage6::Lock lock(server(), "orders", {.lease = long_lease});
    gets_in_soon(lock);
  });
  eventually("it waits", [&] { return link().commands_seen().size() == 3; });
  link().lead_to(redis().address());  // breaks every connection
  eventually("it listens again", [&] { return subscriptions() == 2; });
  ASSERT_EQ(holder.release(), Release::released);
  waiter.join();
}

TEST_F(Stage6Listening, SleepsUntilItIsTold) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  std::jthread waiter([&] { gets_in_soon(lock); });
  eventually("it waits", [&] { return link().commands_seen().size() == 3; });
  EXPECT_LT(faults::cpu_share(), faults::hardly_any_cpu);
  ASSERT_EQ(holder.release(), Release::released);
}

TEST_F(Stage6Listening, CanBeCalledOff) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  std::stop_source stop;
  std::jthread caller([&] {
    eventually("it waits", [&] { return link().commands_seen().size() == 3; });
    stop.request_stop();
  });
  EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop.get_token()), Acquire::contended);
}

TEST_F(Stage6Renewing, GoesOnUntilTheOutermostLevelIsLeft) {
  stage6::Lock lock(server(), "orders", never_late);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.release(), Release::still_held);
  faults::expect_renewal(lock, long_lease);
  EXPECT_EQ(lock.release(), Release::released);
  stage6::Lock other(server(), "invoices", never_late);
  ASSERT_EQ(other.try_acquire(), Acquire::acquired);
  const auto sent = sent_during([&] { wait_for_commands(6); });
  EXPECT_THAT(sent, Each(Not(HasSubstr("orders"))));
}

TEST_F(Stage6Renewing, LeavesALeaseAloneThatTheCallerNamed) {
  stage6::Lock lock(server(), "orders", {.lease = lease, .renew_every = lease / 3});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto sent =
      sent_during([&] { eventually("the lease has ended", [&] { return keys() == 0; }); });
  EXPECT_THAT(sent, IsEmpty());
}

TEST_F(Stage6Renewing, EndsWithAReleaseWhoseOutcomeIsUnknown) {
  stage6::Lock lock(server(), "orders", {.default_lease = 5 * lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  // Renewals go by SHA-1 then, the first release by its text.
  redis().direct().command({"SCRIPT", "LOAD", stage6::scripts::renew.text});
  const auto lost = link().arm({.command = "EVAL"}, Action::reset);
  ASSERT_EQ(lock.release(), Release::unknown);
  EXPECT_TRUE(lost.fired());
  eventually("the lease has ended", [&] { return keys() == 0; });
}

TEST_F(Stage6Renewing, EndsWithTheLockObject) {
  const stage6::Lock other(server(), "invoices");  // the watchdog goes on
  {
    stage6::Lock lock(server(), "orders", {.default_lease = lease});
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  }
  eventually("the lease has ended", [&] { return keys() == 0; });
}

TEST_F(Stage6Renewing, RefusesALeaseThatIsTooShortForIt) {
  EXPECT_THROW(stage6::Lock(server(), "orders", {.default_lease = milliseconds(29)}),
               std::invalid_argument);
  EXPECT_THROW(stage6::Lock(server(), "orders",
                            {.default_lease = milliseconds(100), .renew_every = milliseconds(51)}),
               std::invalid_argument);
}

TEST_F(Stage6Operator, SeesWhoHoldsItSinceWhen) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  EXPECT_EQ(lock.holder(), std::nullopt);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto holder = lock.holder();
  ASSERT_TRUE(holder.has_value());
  EXPECT_THAT(holder->who, HasSubstr("process " + std::to_string(getpid())));
  EXPECT_LE(std::chrono::system_clock::now() - holder->since, std::chrono::minutes(1));
  EXPECT_GT(holder->lease_left, long_lease / 2);
}

TEST_F(Stage6Operator, FreesALockByForce) {
  stage6::Lock lock(server(), "orders", {.default_lease = lease});
  EXPECT_FALSE(lock.force_release());
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto lost = lock.lost();
  stage6::Lock hand(redis().direct(), "orders");
  EXPECT_TRUE(hand.force_release());
  eventually("word of the loss has come", [&] { return lost.stop_requested(); });
  EXPECT_EQ(lock.release(), Release::expired);
}

TEST_F(Stage6Operator, TellsThoseWhoWaitThatItIsFree) {
  stage6::Lock holder(redis().direct(), "orders", {.lease = long_lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  std::jthread waiter([&] { gets_in_soon(lock); });
  eventually("it waits", [&] { return link().commands_seen().size() == 3; });
  EXPECT_TRUE(holder.force_release());
}

TEST_F(Stage6Script, LeavesNoLockWithoutALease) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  refuse("PEXPIRE");
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  EXPECT_EQ(keys(), 0);
  refuse("DEL");
  EXPECT_THROW((void)lock.try_acquire(), core::ErrorReply);
  accept("PEXPIRE");
  accept("DEL");
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
}

TEST_F(Stage6Script, LetsNobodyInWhereTheLeaseWasRemoved) {
  stage6::Lock lock(server(), "orders", {.lease = long_lease});
  redis().direct().command({"HSET", "orders", "token", "somebody else"});
  EXPECT_EQ(lock.try_acquire(), Acquire::contended);
  EXPECT_EQ(value("orders"), "somebody else");
}

TEST_F(Stage6Script, IsKnownToTheServerByTheShaOfTheBuild) {
  for (const auto& script : {stage6::scripts::acquire, stage6::scripts::release,
                             stage6::scripts::renew, stage6::scripts::remove}) {
    EXPECT_EQ(redis().direct().command({"SCRIPT", "LOAD", script.text}).text(), script.sha1);
  }
}

TEST_F(Stage6Script, RenewsOnlyItsHoldAndNeverShortensIt) {
  using stage6::scripts::renew;
  redis().direct().command({"HSET", "orders", "token", "mine", "lease", "5000"});
  redis().direct().command({"PEXPIRE", "orders", "5000"});
  EXPECT_EQ(server().run(renew, {"orders"}, {"yours", "90000"}).integer(), 0);
  EXPECT_LE(time_left("orders"), milliseconds(5'000));
  EXPECT_EQ(server().run(renew, {"orders"}, {"mine", "90000"}).integer(), 1);
  EXPECT_GT(time_left("orders"), milliseconds(80'000));
  EXPECT_EQ(server().run(renew, {"orders"}, {"mine", "100"}).integer(), 1);
  EXPECT_GT(time_left("orders"), milliseconds(4'000));
  EXPECT_EQ(server().run(renew, {"invoices"}, {"mine", "90000"}).integer(), 0);
  EXPECT_EQ(keys(), 1);
}

}  // namespace
