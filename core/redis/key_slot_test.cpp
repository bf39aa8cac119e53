#include "core/redis/key_slot.h"

#include <gtest/gtest.h>

namespace {

using core::slot_of;

TEST(KeySlot, IsTheOneOfTheSpecification) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3);
}

TEST(KeySlot, LooksOnlyAtTheHashTag) {
  EXPECT_EQ(slot_of("{orders}:1"), slot_of("orders"));
  EXPECT_EQ(slot_of("a{orders}{other}"), slot_of("orders"));
  EXPECT_NE(slot_of("{}orders"), slot_of(""));
  EXPECT_NE(slot_of("{orders"), slot_of("orders"));
}

}  // namespace
