// The addresses that a client is given in its environment.
#include "faults/client/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SettingsTest : public testing::Test {
 protected:
  // Each with its password, if it has one.
  [[nodiscard]] static std::vector<std::string> nodes_in(const std::string& list) {
    setenv("LOCK_CLIENT", "A", 1);
    setenv("LOCK_STORAGE", "127.0.0.1:1", 1);
    setenv("LOCK_NODES", list.c_str(), 1);
    std::vector<std::string> nodes;
    for (const auto& node : client::settings_from_environment().nodes) {
      nodes.push_back((node.access ? node.access->password.reveal() + " at " : "") + node.text());
    }
    return nodes;
  }
};

TEST_F(SettingsTest, SeparatesAddressesAtCommas) {
  EXPECT_THAT(nodes_in("a:1,unix:/b,redis://c:2,d:3"), ElementsAre("a:1", "unix:/b", "c:2", "d:3"));
}

TEST_F(SettingsTest, KeepsTheHostsOfADeploymentTogether) {
  EXPECT_THAT(nodes_in("redis-sentinel://a:1,b:2/lock,c:3"),
              ElementsAre("redis-sentinel://a:1,b:2/lock", "c:3"));
}

TEST_F(SettingsTest, LeavesCommasAndSlashesToPasswords) {
  EXPECT_THAT(
      nodes_in("redis://:a,b/c@d:1,e:2,redis-sentinel://:f/,g@h:3,i:4/lock,redis://:j,k@l:5"),
      ElementsAre("a,b/c at d:1", "e:2", "f/,g at redis-sentinel://h:3,i:4/lock", "j,k at l:5"));
}

TEST_F(SettingsTest, QuotesNoPartOfAPassword) {
  try {
    (void)nodes_in("redis://:open,sesame@d:nowhere");
    ADD_FAILURE() << "it is an address";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("LOCK_NODES"));
    EXPECT_THAT(error.what(), Not(HasSubstr("open")));
  }
}

}  // namespace
