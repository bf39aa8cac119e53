// A test with five real servers, as fresh, and a link on the way to each.
//
//   TEST_F(QuorumTest, ...) {
//     stage7::Quorum quorum(addresses());      // goes through link(0) ... link(4)
//     node(4).kill();
//     EXPECT_EQ(nodes_with("orders"), 4);      // asks the servers themselves
//   }
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/lock.h"
#include "core/redis/address.h"
#include "core/testing/eventually.h"
#include "core/testing/print_outcome.h"
#include "faults/kit/history.h"
#include "faults/kit/link.h"
#include "faults/kit/loop.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/temp_dir.h"

namespace faults {

class QuorumTest : public testing::Test {
 protected:
  static constexpr std::size_t count = 5;

  QuorumTest();

  [[nodiscard]] RedisServer& node(std::size_t i) { return *nodes_.at(i); }
  [[nodiscard]] Link& link(std::size_t i) { return *links_.at(i); }
  // The nodes, through the links and past them.
  [[nodiscard]] std::vector<core::Address> addresses() const;
  [[nodiscard]] std::vector<core::Address> past_the_links() const;

  // One command to each node from `first` on, past the links.
  void at_each(std::vector<std::string> words, std::size_t first = 0, std::size_t last = count);

  // On how many of the nodes that live the key exists; which ones; a field of it, if it is a hash.
  [[nodiscard]] std::size_t nodes_with(const std::string& key);
  [[nodiscard]] bool has(std::size_t i, const std::string& key);
  [[nodiscard]] std::string field(std::size_t i, const std::string& key, const std::string& name);

  // How deep the only one is who is inside `key`, by the books of a node.
  [[nodiscard]] std::string depth(std::size_t i, const std::string& key = "orders");

  // How many commands have come to node `i` so far.
  [[nodiscard]] std::size_t commands(std::size_t i) { return link(i).commands_seen().size(); }

  // The next answers of three nodes are lost, once they have answered what was the first command.
  [[nodiscard]] std::vector<Fault> lose_second_answers();

  // `lock`, on "orders", is taken, and nothing is sent until its lease has ended everywhere.
  void ends_with_its_lease(core::Lock& lock);

  // `lock`, on "orders", is taken for `lease`, and no renewal counts once three nodes have lost
  // their `marker`, though it is asked for.
  void needs_members(core::Lock& lock, std::chrono::milliseconds lease, const std::string& marker);

 private:
  Reaper& reaper_;
  TempDir directory_;
  History history_;
  Loop loop_;
  std::vector<std::unique_ptr<RedisServer>> nodes_;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace faults
