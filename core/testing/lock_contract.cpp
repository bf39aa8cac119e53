#include "core/testing/lock_contract.h"

#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "core/testing/eventually.h"

namespace core {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAreArray;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LockContract);

void LockContract::SetUp() {
  const auto lock = make("warm up");
  ASSERT_EQ(lock->try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock->release(), Release::released);
  ASSERT_EQ(keys(), 0);
}

AnyLock LockContract::make(const std::string& key, milliseconds lease) {
  return GetParam().make(server(), key, lease);
}

std::vector<faults::Fault> LockContract::lose(faults::Direction direction,
                                              const std::string& command) {
  std::vector<faults::Fault> faults;
  // On a new connection a script may be sent as text, under another name. With one command there is
  // no need for the name.
  const auto name = GetParam().acquiring.size() == 1 ? std::string{} : command;
  for (int nth = 1; nth <= (GetParam().asks_twice ? 2 : 1); ++nth) {
    faults.push_back(
        link().arm({.direction = direction, .nth = nth, .command = name}, faults::Action::reset));
  }
  return faults;
}

AnyLock LockContract::make_other(const std::string& key, milliseconds lease) {
  return GetParam().make(redis().direct(), key, lease);
}

namespace {

// A number without protection of its own: threads that add to it at the same time lose additions.
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

// Four threads add ten times each. `lock_for` returns the lock for the calling thread.
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

TEST_P(LockContract, IsFreeAfterItsRelease) {
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

TEST_P(LockContract, DoesNotChangeAHeldLock) {
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

TEST_P(LockContract, ReleasesNothingBeforeItIsAcquired) {
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

TEST_P(LockContract, IsReleasedWhenTheWorkThrows) {
  const auto lock = make();
  const auto work = [&] {
    const std::lock_guard guard(*lock);
    throw std::runtime_error("the work fails");
  };
  EXPECT_THROW(work(), std::runtime_error);
  EXPECT_EQ(keys(), 0);
}

TEST_P(LockContract, WaitsNoLongerThanItsLimit) {
  const auto holder = make_other();
  ASSERT_TRUE(holder->try_lock());
  const auto lock = make();
  const auto start = steady_clock::now();
  EXPECT_FALSE(lock->try_lock_for(milliseconds(30)));
  EXPECT_GE(steady_clock::now() - start, milliseconds(30));
  EXPECT_FALSE(lock->try_lock_until(steady_clock::now() + milliseconds(5)));
}

TEST_P(LockContract, AcquiresWhenTheHolderReleases) {
  const auto holder = make_other();
  holder->lock();
  const auto tries = [&] { return link().commands_seen().size(); };
  const auto before = tries();
  std::jthread waiter([lock = make()] {
    EXPECT_TRUE(lock->try_lock_for(longest_wait)) << "waited in vain for the holder's release";
  });
  eventually("the waiter has tried twice", [&] { return tries() > before + 1; });
  holder->unlock();
  const auto free_since = steady_clock::now();
  waiter.join();
  EXPECT_LT(steady_clock::now() - free_since, long_lease / 2)
      << "only the end of the lease let the waiter in";
  EXPECT_NE(value("orders"), std::nullopt);
}

TEST_P(LockContract, SendsOnlyItsDeclaredCommands) {
  const auto lock = make();
  const auto acquire = [&] { EXPECT_EQ(lock->try_acquire(), Acquire::acquired); };
  const auto contend = [&] {
    on_another_thread([&] { EXPECT_EQ(lock->try_acquire(), Acquire::contended); });
  };
  const auto release = [&] { EXPECT_EQ(lock->release(), Release::released); };
  EXPECT_THAT(names_during(acquire), ElementsAreArray(GetParam().acquiring));
  EXPECT_THAT(names_during(contend), ElementsAreArray(GetParam().contended));
  EXPECT_THAT(names_during(release), ElementsAreArray(GetParam().releasing));
}

}  // namespace core
