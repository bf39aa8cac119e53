// The contracts: tests that every lock must pass, written once.
//
// A lock's test.cpp says how to make its lock and which commands it sends, and instantiates them:
//
//   INSTANTIATE_TEST_SUITE_P(Stage3, LockContract, testing::Values(stage3_lock));
//   INSTANTIATE_TEST_SUITE_P(Stage3, LeaseContract, testing::Values(stage3_lock));
//   INSTANTIATE_TEST_SUITE_P(Stage3, OwnerContract, testing::Values(stage3_lock));
//
// and ReentrantContract, if a thread can acquire it again. Scripts that compare a token have
// TokenContract (core/testing/token_contract.h).
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
#include "core/redis/server.h"
#include "core/testing/eventually.h"
#include "faults/testing/redis_test.h"

namespace core {

using AnyLock = std::unique_ptr<core::Lock>;

struct LockUnderTest {
  std::string name;
  std::function<AnyLock(core::Server&, std::string key, std::chrono::milliseconds lease)> make;

  // The commands it sends to a server that knows its scripts:
  std::vector<std::string> acquiring;  // to acquire a free lock
  std::vector<std::string> contended;  // to try a held one
  std::vector<std::string> releasing;
  std::vector<std::string> not_releasing;  // when its hold turns out to be over

  bool reentrant = false;   // the thread that holds it may acquire it again
  bool asks_twice = false;  // an acquire whose reply was lost is sent again
};

// Runs `task` on a new thread, and waits for its end.
template <typename Task>
void on_another_thread(Task task) {
  std::jthread(std::move(task)).join();
}

inline void PrintTo(const LockUnderTest& lock, std::ostream* out) {
  *out << lock.name;
}

// Every lock.
class LockContract : public faults::RedisTest, public testing::WithParamInterface<LockUnderTest> {
 protected:
  static constexpr std::chrono::milliseconds long_lease{2 * longest_wait};
  static constexpr std::chrono::milliseconds short_lease{800};

  // Loads the lock's scripts into the server.
  void SetUp() override;

  // A lock whose connection goes through the link, and another client's that does not.
  [[nodiscard]] AnyLock make(const std::string& key = "orders",
                             std::chrono::milliseconds lease = long_lease);
  [[nodiscard]] AnyLock make_other(const std::string& key = "orders",
                                   std::chrono::milliseconds lease = long_lease);

  // Loses `command`, or its reply, each time an acquire sends it.
  [[nodiscard]] std::vector<faults::Fault> lose(faults::Direction direction,
                                                const std::string& command);
};

// A lock with a lease.
class LeaseContract : public LockContract {};

// A lock with an owner token.
class OwnerContract : public LockContract {};

// A lock that a thread can acquire again, when replies are lost. Its other behaviour differs
// between one server and several, and is tested by each lock.
class ReentrantContract : public LockContract {};

}  // namespace core
