#include "core/outcome.h"

#include <gtest/gtest.h>

namespace {

TEST(Outcome, HasTheWordsOfTheProtocol) {
  EXPECT_EQ(to_string(core::Acquire::acquired), "acquired");
  EXPECT_EQ(to_string(core::Acquire::contended), "contended");
  EXPECT_EQ(to_string(core::Acquire::unknown), "unknown");
  EXPECT_EQ(to_string(core::Release::released), "released");
  EXPECT_EQ(to_string(core::Release::expired), "expired");
  EXPECT_EQ(to_string(core::Release::stolen), "stolen");
  EXPECT_EQ(to_string(core::Release::not_held), "not_held");
  EXPECT_EQ(to_string(core::Release::unknown), "unknown");
}

}  // namespace
