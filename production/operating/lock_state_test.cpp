// Locks on a real server, as an operator sees them; and the commands `lab watch` and `lab free`.
#include "production/operating/lock_state.h"

#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/redis/async_connection.h"
#include "core/testing/connection_kinds.h"
#include "core/testing/eventually.h"
#include "faults/testing/expectations.h"
#include "faults/testing/redis_test.h"
#include "production/fair_queue/lock.h"
#include "production/operating/lock_state_text.h"
#include "stage4_lua_release/lock.h"
#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/lock.h"
#include "stage7_redlock/testing/quorum_of_one.h"
#include "stage8_fencing/lock.h"

namespace {

using core::Acquire;
using core::eventually;
using core::Release;
using operating::Freed;
using operating::LockState;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr milliseconds lease{2 * core::longest_wait};
constexpr milliseconds none{0};

class Operating : public faults::RedisTest {
 protected:
  core::Server& direct() { return redis().direct(); }
  [[nodiscard]] LockState look(const std::string& key = "orders") {
    return operating::look_at(direct(), key);
  }
  [[nodiscard]] std::string address() { return redis().address().text(); }

  faults::ProgramResult call(std::vector<std::string> words) {
    words.insert(words.end(), {"--server", address()});
    return playground.call(LAB_PROGRAM, std::move(words));
  }
  void expect_one_sentence(const faults::ProgramResult& ended, const std::string& part) {
    faults::expect_one_sentence(playground, ended, part);
  }

  // 10,000 locks, each with a holder of its own.
  void fill() {
    direct().command({"EVAL",
                      "for i = 1, 10000 do local key = 'lock:' .. i "
                      "redis.call('HSET', key, 'token', string.format('%032d', i), 'who', 'host', "
                      "'since', '0', 'lease', '60000', 'p:1', '1') "
                      "redis.call('PEXPIRE', key, 60000) end",
                      "0"});
  }

  stage6::Options options{.lease = lease};
  faults::Playground playground;
};

using LockOnServer = Operating;
using LockFreed = Operating;
using LabWatch = Operating;
using LabFree = Operating;

TEST_F(LockOnServer, IsFreeWithoutAKey) {
  EXPECT_EQ(look().kind, LockState::Kind::free);
}

TEST_F(LockOnServer, OfStage4HasATokenAndALease) {
  stage4::Lock lock(direct(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto state = look();
  EXPECT_EQ(state.kind, LockState::Kind::held);
  EXPECT_EQ(state.token, value("orders"));
  EXPECT_THAT(state.left.value_or(none), testing::AllOf(testing::Gt(none), testing::Le(lease)));
  EXPECT_EQ(state.who, "");
}

TEST_F(LockOnServer, OfStage6SaysWhoAndHowDeep) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto state = look();
  EXPECT_EQ(state.who, stage6::host_and_process());
  EXPECT_EQ(state.depth, 2);
  EXPECT_EQ(state.participants, 1U);
  EXPECT_EQ(state.lease, lease);
  EXPECT_LE(state.age.value_or(core::longest_wait), core::longest_wait);
  EXPECT_EQ(state.fencing, std::nullopt);
}

TEST_F(LockOnServer, CountsThoseWhoJoined) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  std::jthread([&, token = lock.hold_token().value()] {
    EXPECT_EQ(lock.join(token), Acquire::acquired);
  }).join();
  EXPECT_EQ(look().participants, 2U);
  EXPECT_EQ(look().depth, 1);
}

TEST_F(LockOnServer, OfStage8HasItsFencingToken) {
  stage8::Lock lock(stage7::quorum_of_one(server()), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(look().fencing, lock.fencing_token());
  EXPECT_EQ(look().depth, 1);
}

TEST_F(LockOnServer, NamesWaitersInTheFairQueue) {
  fair_queue::Around<stage6::Lock> lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  std::jthread waiter([&](const std::stop_token& stop) {
    EXPECT_EQ(lock.acquire(lock.usual_waiting(), stop), Acquire::contended);
  });
  eventually("it is in the queue", [&] { return look().waiting == 1; });
  EXPECT_THAT(look().waiters, testing::ElementsAre(stage6::host_and_process()));
}

// A holder of the lock "orders" that has waited in line, and keeps its place there.
class HolderFromTheLine {
 public:
  explicit HolderFromTheLine(core::Server& server)
      : lock_(server, "orders", stage6::Options{.lease = lease}) {
    stage6::Lock first(server, "orders", stage6::Options{.lease = lease});
    EXPECT_EQ(first.try_acquire(), Acquire::acquired);
    holder_ = std::jthread([this](const std::stop_token& stop) {
      EXPECT_EQ(lock_.acquire(lock_.usual_waiting()), Acquire::acquired);
      has_it_ = true;
      eventually("it is to end", [&] { return stop.stop_requested(); });
      (void)lock_.release();
    });
    eventually("it is in line", [&] {
      return server.command({"ZCARD", "orders:line"}).integer() == 1;
    });
    EXPECT_EQ(first.release(), Release::released);
    eventually("it has the lock", [&] { return has_it_.load(); });
  }

 private:
  fair_queue::Around<stage6::Lock> lock_;
  std::atomic<bool> has_it_ = false;
  std::jthread holder_;
};

TEST_F(LockOnServer, NamesNoHolderAsAWaiter) {
  const HolderFromTheLine holder(direct());
  EXPECT_EQ(look().waiting, 0U);
  EXPECT_THAT(look().waiters, testing::IsEmpty());
}

TEST_F(LockOnServer, IsNoneIfTheKeyIsSomethingElse) {
  direct().command({"RPUSH", "list", "item"});
  direct().command({"HSET", "hash", "name", "value"});
  direct().command({"SET", "text", "held"});
  EXPECT_EQ(look("list").kind, LockState::Kind::no_lock);
  EXPECT_EQ(look("hash").kind, LockState::Kind::no_lock);
  EXPECT_EQ(look("text").kind, LockState::Kind::nameless);
  EXPECT_THAT(operating::describe(look("text")), HasSubstr("for ever"));
}

TEST_F(LockOnServer, IsReadWithoutAWrite) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  // A user who may do nothing but read.
  direct().command({"ACL", "SETUSER", "reader", "on", "nopass", "~*", "&*", "-@all", "+@read",
                    "+evalsha", "+eval", "+type", "+time", "+pubsub|numsub"});
  core::Server reader(core::Address{.host = redis().address().host,
                                    .port = redis().address().port,
                                    .unix_path = redis().address().unix_path,
                                    .access = std::make_shared<const core::Access>(
                                        core::Access{.user = "reader", .password = "any"})});
  EXPECT_EQ(operating::look_at(reader, "orders").kind, LockState::Kind::held);
  EXPECT_EQ(operating::look_at_all(reader, "*").held.size(), 1U);
}

TEST_F(LockFreed, IsFree) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(operating::free_hold(direct(), look()), Freed::removed);
  EXPECT_EQ(value("orders"), std::nullopt);
  EXPECT_EQ(lock.release(), Release::expired);
}

TEST_F(LockFreed, IsAnnouncedToThoseWhoListen) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  core::AsyncConnection listener(direct().address());
  const auto heard = core::ask(listener, {"SUBSCRIBE", "orders:released"});
  ASSERT_TRUE(heard);
  EXPECT_EQ(operating::free_hold(direct(), look()), Freed::removed);
  std::optional<core::Reply> message;
  eventually("the release is announced", [&] {
    listener.advance();
    message = listener.next();
    return message.has_value();
  });
  EXPECT_EQ(message->text(0), "message");
}

TEST_F(LockFreed, LeavesTheNextHolderAlone) {
  stage4::Lock lock(direct(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto seen = look();
  ASSERT_EQ(lock.release(), Release::released);
  EXPECT_EQ(operating::free_hold(direct(), seen), Freed::gone);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_EQ(operating::free_hold(direct(), seen), Freed::changed);
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(LockFreed, RefusesAHolderWithoutAToken) {
  direct().command({"SET", "orders", "held"});
  EXPECT_THROW((void)operating::free_hold(direct(), look()), std::invalid_argument);
  EXPECT_EQ(value("orders"), "held");
}

// Frees `lock`, which has a waiter: the waiter gets it long before the lease ends.
template <typename Lock, typename Look>
void expect_waiter_gets(Lock& lock, core::Server& server, Look look) {
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto start = std::chrono::steady_clock::now();
  std::jthread waiter([&] {
    EXPECT_EQ(lock.acquire(lock.usual_waiting().at_most(lease)), Acquire::acquired);
    EXPECT_EQ(lock.release(), Release::released);
  });
  eventually("it waits", [&] { return look().waiting + look().listening > 0; });
  EXPECT_EQ(operating::free_hold(server, look()), Freed::removed);
  waiter.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, lease / 2);
}

TEST_F(LockFreed, OfStage6GoesToAWaiter) {
  stage6::Lock lock(direct(), "orders", options);
  expect_waiter_gets(lock, direct(), [&] { return look(); });
}

TEST_F(LockFreed, OfStage8GoesToAWaiter) {
  stage8::Lock lock(stage7::quorum_of_one(server()), "orders", options);
  expect_waiter_gets(lock, direct(), [&] { return look(); });
}

TEST_F(LockFreed, OfTheFairQueueGoesToAWaiter) {
  fair_queue::Around<stage6::Lock> lock(direct(), "orders", options);
  expect_waiter_gets(lock, direct(), [&] { return look(); });
}

TEST_F(LockFreed, OfAHolderFromTheLineGoesToAWaiter) {
  const HolderFromTheLine holder(direct());
  fair_queue::Around<stage6::Lock> lock(direct(), "orders", options);
  std::jthread waiter([&] {
    EXPECT_EQ(lock.acquire(lock.usual_waiting()), Acquire::acquired);
    EXPECT_EQ(lock.release(), Release::released);
  });
  eventually("it is in line", [&] { return look().waiting == 1; });
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(operating::free_hold(direct(), look()), Freed::removed);
  waiter.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, fair_queue::look_every / 2);
}

TEST_F(LabWatch, SaysWhoHoldsALock) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto ended = call({"watch", "orders"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("orders is held"),
                                  HasSubstr(stage6::host_and_process()), HasSubstr("of 120.0 s")));
  EXPECT_THAT(ended.output, Not(HasSubstr(*value("orders"))));
}

TEST_F(LabWatch, ShowsControlCharactersAsText) {
  direct().command({"SET", "a\x1b[2J", "held"});
  EXPECT_THAT(call({"watch", "a\x1b[2J"}).output, HasSubstr("a\\x1b[2J is held"));
}

TEST_F(LabWatch, SaysWhatItDoesNotShow) {
  direct().command({"SET", "lock:1", std::string(32, 'a')});
  direct().command({"SET", "lock:2", "held"});
  direct().command({"SET", "lock:3", "17"});
  const auto ended = call({"watch", "--all", "lock:*"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("for ever: no lease"));
  EXPECT_THAT(ended.output, HasSubstr("1 held lock fits lock:*\n1 of them without a lease\n"));
  EXPECT_THAT(ended.output, HasSubstr("not shown: 2 texts, too short for a token"));
}

TEST_F(LabWatch, SpeaksChinese) {
  stage6::Lock lock(direct(), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  direct().command({"SET", "lock:2", std::string(32, 'a')});
  EXPECT_THAT(call({"watch", "orders", "--lang", "zh"}).output,
              AllOf(HasSubstr("orders 已被持有\n  持有者       "), HasSubstr(" s，共 120.0 s\n"),
                    HasSubstr("  等待者       这台服务器不知道有谁在等\n")));
  EXPECT_THAT(
      call({"watch", "--all", "lock:*", "--lang", "zh"}).output,
      HasSubstr("锁      持有者      已持有    剩余                重入   等待     围栏令牌\n"
                "lock:2  持有 aaaa…  –         永久：没有租约      1      0        –\n"));
}

TEST_F(LabWatch, GoesThroughManyLocksInSmallSteps) {
  fill();
  direct().command({"CONFIG", "SET", "slowlog-log-slower-than", "20000"});  // µs
  // A machine that stalls makes any command slow now and then; a big step would always be.
  long long slow_commands = 1;
  for (int tries = 0; tries < 3 && slow_commands > 0; ++tries) {
    direct().command({"SLOWLOG", "RESET"});
    const auto ended = call({"watch", "--all", "lock:*", "--json"});
    ASSERT_EQ(ended.code, 0) << ended.errors;
    EXPECT_EQ(nlohmann::json::parse(ended.output).size(), 10'000U);
    slow_commands = direct().command({"SLOWLOG", "LEN"}).integer();
  }
  EXPECT_EQ(slow_commands, 0);
  EXPECT_THAT(std::string(direct().command({"INFO", "commandstats"}).text()),
              Not(HasSubstr("cmdstat_keys")));
}

TEST_F(LabWatch, SaysWhatIsWrongInOneSentence) {
  expect_one_sentence(call({"watch"}), "name one lock");
  expect_one_sentence(call({"watch", "orders", "--all", "*"}), "name one lock");
  expect_one_sentence(playground.call(LAB_PROGRAM, {"watch", "a", "--server", "nonsense"}),
                      "\"nonsense\" is not an address");
  redis().kill();
  expect_one_sentence(call({"watch", "orders"}), "cannot connect to");
}

TEST_F(LabFree, FreesWhatItShows) {
  stage8::Lock lock(stage7::quorum_of_one(server()), "orders", options);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto ended = call({"free", "orders", "--yes"});
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("does not stop its holder"),
                                  HasSubstr("refuses its late writes"), HasSubstr("\nfreed\n")));
  EXPECT_EQ(look().kind, LockState::Kind::free);
}

TEST_F(LabFree, AsksFirst) {
  if (!faults::Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  stage4::Lock lock(direct(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  const auto command = std::string(LAB_PROGRAM) + " free orders --server " + address();
  {
    faults::Terminal refused(playground, command);
    refused.await("Free orders?");
    refused.press("no\n");
    EXPECT_THAT(refused.await_end(), HasSubstr("left as it is"));
  }
  EXPECT_EQ(look().kind, LockState::Kind::held);
  faults::Terminal meant(playground, command);
  meant.await("Free orders?");
  meant.press("yes\n");
  EXPECT_THAT(meant.await_end(), HasSubstr("freed"));
  EXPECT_EQ(look().kind, LockState::Kind::free);
}

TEST_F(LabFree, LeavesAHolderThatCameMeanwhile) {
  if (!faults::Terminal::is_there()) GTEST_SKIP() << "there is no script(1)";
  stage4::Lock lock(direct(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  faults::Terminal person(playground,
                          std::string(LAB_PROGRAM) + " free orders --server " + address());
  person.await("Free orders?");
  ASSERT_EQ(lock.release(), Release::released);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  person.press("yes\n");
  EXPECT_THAT(person.await_end(), HasSubstr("another client holds it by now"));
  EXPECT_EQ(lock.release(), Release::released);
}

TEST_F(LabFree, SpeaksChinese) {
  stage4::Lock lock(direct(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  EXPECT_THAT(call({"free", "orders", "--yes", "--lang", "zh"}).output,
              AllOf(HasSubstr("没有围栏令牌：它迟到的写入会盖掉"), HasSubstr("\n已释放\n")));
  expect_one_sentence(call({"free", "orders", "--yes", "--lang", "zh"}), "orders 空着");
}

TEST_F(LabFree, SaysWhatIsWrongInOneSentence) {
  expect_one_sentence(call({"free"}), "which lock?");
  expect_one_sentence(call({"free", "orders"}), "nobody is there to be asked");
  expect_one_sentence(call({"free", "orders", "--yes"}), "orders is free");
  direct().command({"SET", "orders", "held"});
  expect_one_sentence(call({"free", "orders", "--yes"}), "without a token");
  direct().command({"RPUSH", "list", "item"});
  expect_one_sentence(call({"free", "list", "--yes"}), "list is no lock: a list");
}

}  // namespace
