#include "core/testing/lock_contract.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "core/error.h"
#include "faults/testing/eventually.h"

namespace faults {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::AnyOf;
using testing::ElementsAreArray;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LeaseContract);

void LockContract::SetUp() {
  const auto lock = make("warm up");
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock->release(), Release::released);
  ASSERT_EQ(keys(), 0);
}

AnyLock LockContract::make(const std::string& key, milliseconds lease) {
  return GetParam().make(server(), key, lease);
}

std::vector<Fault> LockContract::lose(Direction direction, const std::string& command) {
  std::vector<Fault> faults;
  // On a new connection a script may go by its text: if there is one command, it is that one.
  const auto name = GetParam().acquiring.size() == 1 ? std::string{} : command;
  for (int nth = 1; nth <= (GetParam().asks_twice ? 2 : 1); ++nth) {
    faults.push_back(
        link().arm({.direction = direction, .nth = nth, .command = name}, Action::reset));
  }
  return faults;
}

AnyLock LockContract::make_other(const std::string& key, milliseconds lease) {
  return GetParam().make(redis().direct(), key, lease);
}

namespace {

// A number that only a lock protects: threads that add to it at the same time lose some.
class Counter {
 public:
  void add_one() {
    const int seen = number_.load(std::memory_order_relaxed);
    std::this_thread::yield();
    number_.store(seen + 1, std::memory_order_relaxed);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  std::atomic<int> number_ = 0;
};

// Four threads, ten additions each. `lock_for` gives each thread the lock it is to use.
template <typename LockFor>
int count_to_forty(LockFor lock_for) {
  Counter counter;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      core::Lock& lock = lock_for();
      for (int round = 0; round < 10; ++round) {
        const std::lock_guard guard(lock);
        counter.add_one();
      }
    });
  }
  threads.clear();
  return counter.number();
}

}  // namespace

TEST_P(LockContract, ExcludesASecondHolder) {
  EXPECT_EQ(make()->try_acquire(), Acquire::acquired);
  EXPECT_EQ(make_other()->try_acquire(), Acquire::contended);
  EXPECT_EQ(keys(), 1);
}

TEST_P(LockContract, ComesFreeWhenItIsReleased) {
  const auto lock = make();
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
    EXPECT_EQ(lock->release(), Release::released);
    EXPECT_EQ(value("orders"), std::nullopt);
  }
  EXPECT_EQ(make_other()->try_acquire(), Acquire::acquired);
}

TEST_P(LockContract, KeepsKeysApart) {
  const auto orders = make("orders");
  const auto invoices = make_other("invoices");
  EXPECT_EQ(orders->try_acquire(), Acquire::acquired);
  EXPECT_EQ(invoices->try_acquire(), Acquire::acquired);
  EXPECT_EQ(orders->release(), Release::released);
  EXPECT_NE(value("invoices"), std::nullopt);
}

TEST_P(LockContract, TakesAKeyOfAnyBytes) {
  const std::string key("a\0b\r\n\xff $3 %s", 13);
  const auto lock = make(key);
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_NE(value(key), std::nullopt);
  EXPECT_EQ(lock->release(), Release::released);
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, LeavesTheHoldersLockAsItIsWhenContended) {
  const auto holder = make_other();
  ASSERT_EQ(holder->try_acquire(), Acquire::acquired);
  for (const auto lease : {long_lease / 10, long_lease * 10}) {
    const auto held = value("orders");
    const auto left = time_left("orders");
    EXPECT_EQ(make("orders", lease)->try_acquire(), Acquire::contended);
    EXPECT_EQ(value("orders"), held);
    EXPECT_LE(time_left("orders"), left);
    EXPECT_GT(time_left("orders"), left - long_lease / 2);
  }
}

TEST_P(LockContract, HasNothingToReleaseBeforeItIsAcquired) {
  const auto lock = make();
  EXPECT_EQ(lock->release(), Release::not_held);
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, IsReleasedOnce) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_EQ(lock->release(), Release::released);
  EXPECT_EQ(lock->release(), Release::not_held);
}

TEST_P(LockContract, LetsOneThreadInAtATime) {
  std::mutex mutex;
  std::vector<AnyLock> locks;
  const auto count = count_to_forty([&]() -> core::Lock& {
    const std::lock_guard guard(mutex);
    return *locks.emplace_back(make());
  });
  EXPECT_EQ(count, 40);
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, MayBeSharedByThreads) {
  const auto lock = make();
  EXPECT_EQ(count_to_forty([&]() -> core::Lock& { return *lock; }), 40);
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, WorksInALockGuard) {
  const auto lock = make();
  {
    const std::lock_guard guard(*lock);
    EXPECT_EQ(make_other()->try_acquire(), Acquire::contended);
  }
  EXPECT_EQ(make_other()->try_acquire(), Acquire::acquired);
}

TEST_P(LockContract, WorksInAUniqueLock) {
  const auto lock = make();
  std::unique_lock guard(*lock, milliseconds(1));
  EXPECT_TRUE(guard.owns_lock());
  guard.unlock();
  EXPECT_EQ(keys(), 0);
  EXPECT_TRUE(guard.try_lock());
  EXPECT_EQ(keys(), 1);
}

TEST_P(LockContract, WorksInAScopedLockWithAnother) {
  const auto orders = make("orders");
  const auto invoices = make("invoices");
  {
    const std::scoped_lock both(*orders, *invoices);
    EXPECT_EQ(keys(), 2);
  }
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, IsGivenBackWhenTheWorkThrows) {
  const auto lock = make();
  const auto work = [&] {
    const std::lock_guard guard(*lock);
    throw std::runtime_error("the work fails");
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, WaitsNoLongerThanItIsTold) {
  const auto holder = make_other();
  ASSERT_TRUE(holder->try_lock());
  const auto lock = make();
  const auto start = steady_clock::now();
  EXPECT_FALSE(lock->try_lock_for(milliseconds(30)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(30));
  EXPECT_FALSE(lock->try_lock_until(steady_clock::now() + milliseconds(5)));
}

TEST_P(LockContract, GetsInWhenTheHolderIsDone) {
  const auto holder = make_other();
  holder->lock();
  const auto tries = [&] { return link().commands_seen().size(); };
  const auto before = tries();
  std::jthread waiter([lock = make()] { EXPECT_TRUE(lock->try_lock_for(std::chrono::hours(1))); });
  eventually("it has tried some times", [&] { return tries() > before + 1; });
  holder->unlock();
  const auto free_since = steady_clock::now();
  waiter.join();
  EXPECT_LT(steady_clock::now() - free_since, long_lease / 2) << "only the lease let it in";
  EXPECT_EQ(keys(), 1);
}

TEST_P(LockContract, SendsNoMoreThanItMust) {
  const auto lock = make();
  const auto acquire = [&] { EXPECT_EQ(lock->try_acquire(), Acquire::acquired); };
  const auto in_vain = [&] {
    on_another_thread([&] { EXPECT_EQ(lock->try_acquire(), Acquire::contended); });
  };
  const auto release = [&] { EXPECT_EQ(lock->release(), Release::released); };
  EXPECT_THAT(names_during(acquire), ElementsAreArray(GetParam().acquiring));
  EXPECT_THAT(names_during(in_vain), ElementsAreArray(GetParam().contended));
  EXPECT_THAT(names_during(release), ElementsAreArray(GetParam().releasing));
}

TEST_P(LockContract, TellsThatNobodyIsThere) {
  core::Server nobody({.host = {}, .port = 0, .unix_path = "/nonexistent/redis.sock"});
  const auto lock = GetParam().make(nobody, "orders", long_lease);
  EXPECT_THROW((void)lock->try_acquire(), core::Unreachable);
  EXPECT_THROW((void)lock->try_lock_for(milliseconds(50)), core::Unreachable);
}

TEST_P(LockContract, TellsThatItCannotBeGivenBack) {
  const auto lock = make_other();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  redis().kill();
  lock->unlock();
  EXPECT_THROW((void)lock->release(), core::Unreachable);
  lock->unlock();
}

TEST_P(LockContract, TellsThatItsAcquireWasRefused) {
  const auto lock = make();
  refuse(GetParam().acquiring.front());
  EXPECT_THROW((void)lock->try_acquire(), core::ErrorReply);
  EXPECT_THROW(lock->lock(), core::ErrorReply);
  accept(GetParam().acquiring.front());
  EXPECT_EQ(lock->release(), Release::not_held);
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(LockContract, TellsThatItsReleaseWasRefusedAndMayBeAskedAgain) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  refuse("DEL");
  EXPECT_THROW((void)lock->release(), core::ErrorReply);
  lock->unlock();
  EXPECT_EQ(keys(), 1);
  accept("DEL");
  EXPECT_EQ(lock->release(), Release::released);
}

TEST_P(LockContract, DoesNotKnowWhenTheReplyToItsAcquireIsLost) {
  for (const auto& command : GetParam().acquiring) {
    for (const auto direction : {Direction::command, Direction::reply}) {
      redis().direct().command({"FLUSHDB"});
      const auto lock = make();
      const auto lost = lose(direction, command);
      EXPECT_EQ(lock->try_acquire(), Acquire::unknown) << command;
      EXPECT_TRUE(lost.back().fired());
    }
  }
}

TEST_P(LockContract, ThrowsThatItDoesNotKnowWhereAnAnswerHasNoRoomForIt) {
  const auto lock = make();
  link().decide_by([](const Boundary&) { return Action::reset; });
  ASSERT_THROW((void)lock->try_lock(), core::OutcomeUnknown);
  EXPECT_THROW(lock->lock(), core::OutcomeUnknown);
  EXPECT_THROW((void)lock->try_lock_for(milliseconds(5)), core::OutcomeUnknown);
}

TEST_P(LockContract, MayBeReleasedAgainWhenTheFirstTimeNeverArrived) {
  for (const auto& command : GetParam().releasing) {
    const auto lock = make();
    ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
    const auto lost =
        link().arm({.direction = Direction::command, .command = command}, Action::reset);
    EXPECT_EQ(lock->release(), Release::unknown) << command;
    EXPECT_EQ(keys(), 1);
    EXPECT_EQ(lock->release(), Release::released) << command;
  }
}

TEST_P(LockContract, MayBeReleasedAgainWhenTheFirstTimeWasApplied) {
  const auto lock = make();
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto lost = link().arm(
      {.direction = Direction::reply, .command = GetParam().releasing.back()}, Action::reset);
  EXPECT_EQ(lock->release(), Release::unknown);
  EXPECT_EQ(keys(), 0);
  EXPECT_THAT(lock->release(), AnyOf(Release::expired, Release::not_held));
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(LeaseContract, HasItsWholeLeaseAndNoMore) {
  const auto lock = make();
  const auto sent = sent_during([&] { ASSERT_EQ(lock->try_acquire(), Acquire::acquired); });
  EXPECT_THAT(sent.back(), testing::ContainsRegex(fmt::format(" {}\\b", long_lease.count())));
  EXPECT_LE(time_left("orders"), long_lease);
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_P(LeaseContract, ComesFreeWhenTheLeaseRunsOut) {
  ASSERT_EQ(make("orders", short_lease)->try_acquire(), Acquire::acquired);
  EXPECT_TRUE(make_other()->try_lock_for(std::chrono::seconds(10)));
  EXPECT_GT(time_left("orders"), long_lease / 2);
}

TEST_P(LeaseContract, IsNotHeldOnAfterTheLease) {
  const auto lock = make("orders", short_lease);
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  eventually("the lease runs out", [&] { return keys() == 0; });
  EXPECT_THAT(lock->release(), AnyOf(Release::expired, Release::not_held));
  EXPECT_EQ(lock->try_acquire(), Acquire::acquired);
}

TEST_P(LeaseContract, TellsOfNoLossOnceItIsGivenBack) {
  const auto lock = make("orders", short_lease);
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  const auto lost = lock->lost();
  ASSERT_EQ(lock->release(), Release::released);
  const bool was_lost = lost.stop_requested();  // by a machine that stood still
  if (lost.stop_possible()) {                   // else there is nobody to tell
    const auto later = make("invoices", short_lease);
    ASSERT_EQ(later->try_acquire(), Acquire::acquired);
    const auto told = later->lost();
    eventually("word comes of what is lost later", [&] { return told.stop_requested(); });
  }
  EXPECT_EQ(lost.stop_requested(), was_lost);
}

TEST_P(LeaseContract, CountsFromWhenItWasAskedFor) {
  const auto lock = make("orders", milliseconds(10'000));
  const auto late = link().arm({.direction = Direction::reply}, Action::delay, milliseconds(500));
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  EXPECT_TRUE(late.fired());
  const auto server_says = time_left("orders");
  EXPECT_LE(lock->remaining().value_or(milliseconds(0)), server_says);
}

TEST_P(LeaseContract, RefusesALeaseOfNothing) {
  for (const auto lease : {milliseconds(0), milliseconds(-1)}) {
    try {
      (void)make("orders", lease);
      FAIL() << "a lease of " << lease.count() << " ms was taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_STREQ(error.what(), "a lease must be longer than 0 ms");
    }
  }
  EXPECT_NO_THROW((void)make("orders", milliseconds(1)));
}

}  // namespace faults
