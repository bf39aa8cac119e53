// Rules about a lock that is removed by who does not own it.
#include <gtest/gtest.h>

#include "learning/rules_test.h"

namespace learning {
namespace {

TEST(RuleOfTheft, IsNotToBlameForWhatAnAcquireRemoves) {
  const auto by = [](const std::string& operation) {
    return Wire()
        .takes("B", "fc39…")
        .asks_to("A", operation)
        .sends("A", "EVALSHA 22bb… 1 lock 787b…", {"del"}, "1")
        .is_told("A", operation, operation == "release" ? "released" : "acquired");
  };
  EXPECT_TRUE(is_said("script_does_not_compare", by("release")));
  EXPECT_FALSE(is_said("script_does_not_compare", by("acquire")));
}

}  // namespace
}  // namespace learning
