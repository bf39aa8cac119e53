#include "core/redis/wake_up.h"

#include <gtest/gtest.h>

namespace {

bool ends_a_poll(const core::WakeUp& wake_up) {
  auto source = wake_up.to_poll();
  return poll(&source, 1, 0) == 1;
}

TEST(WakeUp, EndsEveryPollUntilItIsCleared) {
  core::WakeUp wake_up;
  EXPECT_FALSE(ends_a_poll(wake_up));
  wake_up.wake();
  wake_up.wake();
  EXPECT_TRUE(ends_a_poll(wake_up));
  EXPECT_TRUE(ends_a_poll(wake_up));
  wake_up.clear();
  EXPECT_FALSE(ends_a_poll(wake_up));
  wake_up.wake();
  EXPECT_TRUE(ends_a_poll(wake_up));
}

}  // namespace
