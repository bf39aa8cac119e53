// What every stage's lock must do, written once.
//
// A stage's tests say how to make its lock and what it sends, and get these tests for it:
//
//   INSTANTIATE_TEST_SUITE_P(Stage3, LockContract, testing::Values(stage3_lock));
//   INSTANTIATE_TEST_SUITE_P(Stage3, LeaseContract, testing::Values(stage3_lock));
//   INSTANTIATE_TEST_SUITE_P(Stage3, OwnerContract, testing::Values(stage3_lock));
//
// and from stage 6 on ReentrantContract.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/lock.h"
#include "core/server.h"
#include "faults/testing/eventually.h"
#include "faults/testing/redis_test.h"

namespace faults {

using AnyLock = std::unique_ptr<core::Lock>;

struct LockUnderTest {
  std::string name;
  std::function<AnyLock(core::Server&, std::string key, std::chrono::milliseconds lease)> make;

  // The commands it sends to a server that knows its scripts.
  std::vector<std::string> acquiring;  // when it gets the lock
  std::vector<std::string> contended;  // when it does not
  std::vector<std::string> releasing;
  std::vector<std::string> not_releasing;  // when the lock turns out not to be its own any more

  bool reentrant = false;   // the thread that holds it may take it again
  bool asks_twice = false;  // an acquire whose reply was lost is sent once more
};

// Runs `task` on a thread of its own, from beginning to end.
template <typename Task>
void on_another_thread(Task task) {
  std::jthread(std::move(task)).join();
}

inline void PrintTo(const LockUnderTest& lock, std::ostream* out) {
  *out << lock.name;
}

// Any lock at all.
class LockContract : public RedisTest, public testing::WithParamInterface<LockUnderTest> {
 protected:
  static constexpr std::chrono::milliseconds long_lease{2 * longest_wait};
  static constexpr std::chrono::milliseconds short_lease{800};

  // Has the server learn the lock's scripts.
  void SetUp() override;

  // A lock that goes through the link, and one of somebody else that goes straight to the server.
  [[nodiscard]] AnyLock make(const std::string& key = "orders",
                             std::chrono::milliseconds lease = long_lease);
  [[nodiscard]] AnyLock make_other(const std::string& key = "orders",
                                   std::chrono::milliseconds lease = long_lease);

  // Loses `command`, or its reply, as often as an acquire sends it.
  [[nodiscard]] std::vector<Fault> lose(Direction direction, const std::string& command);
};

// A lock that comes free by itself.
class LeaseContract : public LockContract {};

// A lock that knows whose it is.
class OwnerContract : public LockContract {};

// A lock that a thread can take again. What it does when answers are lost: the rest is different
// for one server and for several, and stands in the stages' own tests.
class ReentrantContract : public LockContract {};

}  // namespace faults
