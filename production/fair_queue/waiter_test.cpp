#include "production/fair_queue/waiter.h"

#include <gtest/gtest.h>

#include <memory>

namespace fair_queue {
namespace {

// The one that is woken reads for its process: it must stay.
TEST(FairQueueWaiter, IsNotWokenToReadWithNews) {
  Waiter waiter(std::make_shared<LookTime>());
  EXPECT_FALSE(waiter.wake()) << "it does not wait";
  waiter.prepare_to_wait();
  EXPECT_TRUE(waiter.wake());
  waiter.prepare_to_wait();
  waiter.give_turn({.is_followed = false});
  EXPECT_FALSE(waiter.wake()) << "it is about to leave";
}

}  // namespace
}  // namespace fair_queue
