// How the waiters of a process are notified, and who of them reads.
#include "production/fair_queue/listener.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <system_error>
#include <thread>
#include <vector>

#include "core/testing/eventually.h"
#include "faults/testing/redis_test.h"
#include "production/fair_queue/lock.h"
#include "stage6_reentrant/lock.h"

namespace fair_queue {
namespace {

#ifdef LAB_IS_SANITIZED
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

using core::Acquire;
using core::eventually;
using core::Release;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;

constexpr milliseconds lease{2 * core::longest_wait};
const core::Address no_server{.host = "127.0.0.1", .port = 1};  // refuses connections

// From `run_out` on this process can open no file. (poll(2) still takes as many as are open.)
class Descriptors {
 public:
  Descriptors() {
    while (taken_.empty() || taken_.back() < limit) taken_.push_back(dup(STDERR_FILENO));
    getrlimit(RLIMIT_NOFILE, &before_);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;
  ~Descriptors() {
    setrlimit(RLIMIT_NOFILE, &before_);
    for (const int one : taken_) close(one);
  }

  void run_out() const {
    const rlimit now{.rlim_cur = limit, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }

 private:
  static constexpr int limit = 128;
  std::vector<int> taken_;
  rlimit before_{};
};

class FairQueueListener : public faults::RedisTest {
 protected:
  // The server by a name that has to be looked up, which needs a descriptor.
  [[nodiscard]] core::Address by_name() {
    auto address = link().address();
    address.host = "localhost";
    return address;
  }

  // Two waiters of this process; the second one is about to sleep until the first stops reading.
  std::shared_ptr<Waiter> first(Listener& listener) { return listener.add(looks_at_); }
  std::shared_ptr<Waiter> second(Listener& listener) {
    auto waiter = listener.add(looks_at_);
    waiter->prepare_to_wait();
    return waiter;
  }
  static bool was_woken(Waiter& waiter) { return !waiter.has_news() && !waiter.wake(); }

  static Clock::duration time_of_subscribing(Listener& listener) {
    const auto start = Clock::now();
    listener.subscribe();
    return Clock::now() - start;
  }

 private:
  const std::shared_ptr<LookTime> looks_at_ = std::make_shared<LookTime>(Clock::time_point::max());
};

TEST_F(FairQueueListener, LetsAnotherReadWhenOneIsDone) {
  Listener listener({no_server});
  const auto reader = first(listener);
  const auto next = second(listener);
  listener.wait(*reader, Clock::now() + milliseconds(1), {});
  EXPECT_TRUE(was_woken(*next));
}

TEST_F(FairQueueListener, LetsAnotherReadWhenTheWokenOneLeaves) {
  Listener listener({no_server});
  const auto woken = first(listener);  // to read, and then it got its turn
  const auto next = second(listener);
  woken->give_turn({.is_followed = false});
  listener.wait(*woken, Clock::time_point::max(), {});
  EXPECT_TRUE(was_woken(*next));
}

TEST_F(FairQueueListener, LetsAnotherReadAfterSubscribing) {
  Listener listener({no_server});
  const auto next = second(listener);
  listener.subscribe();
  EXPECT_TRUE(was_woken(*next));
}

TEST_F(FairQueueListener, LetsAnotherReadAfterAnError) {
  if (is_sanitized) GTEST_SKIP() << "a sanitizer needs descriptors of its own";
  Listener listener({by_name()});
  const auto reader = first(listener);
  const auto next = second(listener);
  const Descriptors descriptors;
  descriptors.run_out();
  EXPECT_THROW(listener.wait(*reader, Clock::time_point::max(), {}), std::system_error);
  EXPECT_TRUE(was_woken(*next));
  next->prepare_to_wait();
  EXPECT_THROW(listener.subscribe(), std::system_error);
  EXPECT_TRUE(was_woken(*next));
}

TEST_F(FairQueueListener, LeavesTheLineAfterAnError) {
  if (is_sanitized) GTEST_SKIP() << "a sanitizer needs descriptors of its own";
  const Descriptors descriptors;
  stage6::Lock holder(redis().direct(), "orders", {.lease = lease});
  ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
  core::Server named(by_name());
  Around<stage6::Lock> lock(named, "orders", stage6::Options{.lease = lease});
  const auto in_line = [&] { return redis().direct().command({"ZCARD", "orders:line"}).integer(); };
  std::jthread waiter([&] { EXPECT_THROW(lock.lock(), std::system_error); });
  eventually("it is in line", [&] { return in_line() == 1; });
  descriptors.run_out();
  const auto broken =
      link().arm({.direction = Direction::command, .command = "PING"}, Action::reset);
  waiter.join();
  EXPECT_EQ(in_line(), 0);
}

TEST_F(FairQueueListener, WaitsForASilentServerOnce) {
  constexpr milliseconds patience{100};
  Listener listener({redis().address(), link().address()});
  const auto waiter = first(listener);
  {
    auto silence =
        link().arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back);
    EXPECT_GE(time_of_subscribing(listener), patience);
    const auto start = Clock::now();
    for (int i = 0; i < 20; ++i) listener.subscribe();
    EXPECT_LT(Clock::now() - start, 10 * patience);
    (void)waiter->look_time();  // what it had to look for until now
    silence.deliver();
  }
  eventually("it has answered", [&] {
    listener.subscribe();
    return waiter->has_news();
  });
  const auto silence =
      link().arm({.direction = Direction::command, .command = "SUBSCRIBE"}, Action::hold_back);
  link().lead_to(redis().address());  // breaks every connection
  eventually("it waits again", [&] { return time_of_subscribing(listener) >= patience; });
}

}  // namespace
}  // namespace fair_queue
