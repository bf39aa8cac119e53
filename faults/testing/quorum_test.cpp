#include "faults/testing/quorum_test.h"

#include <fmt/format.h>

#include "faults/kit/redis_binary.h"
#include "faults/testing/renewal.h"
#include "faults/testing/shared_servers.h"

namespace faults {

QuorumTest::QuorumTest()
    : reaper_(shared_servers().reaper),
      directory_(reaper_),
      history_(directory_.path() / "history.jsonl") {
  const auto binary = find_redis();
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = fmt::format("node{}", i + 1);
    nodes_.push_back(std::make_unique<RedisServer>(
        binary, loop_, history_, reaper_, name, directory_.path() / (name + ".log"),
        Durability::forgets, std::vector<std::string>{}, &shared_servers().pool));
    links_.push_back(std::make_unique<Link>(loop_, history_, "A", name, nodes_.back()->address()));
  }
}

std::vector<core::Address> QuorumTest::addresses() const {
  std::vector<core::Address> addresses;
  for (const auto& link : links_) addresses.push_back(link->address());
  return addresses;
}

std::vector<core::Address> QuorumTest::past_the_links() const {
  std::vector<core::Address> addresses;
  for (const auto& node : nodes_) addresses.push_back(node->address());
  return addresses;
}

void QuorumTest::at_each(std::vector<std::string> words, std::size_t first, std::size_t last) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  for (std::size_t i = first; i < last; ++i) (void)node(i).direct().command(views);
}

std::size_t QuorumTest::nodes_with(const std::string& key) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (node(i).process().running() && has(i, key)) ++found;
  }
  return found;
}

bool QuorumTest::has(std::size_t i, const std::string& key) {
  return node(i).direct().command({"EXISTS", key}).integer() == 1;
}

std::string QuorumTest::field(std::size_t i, const std::string& key, const std::string& name) {
  return std::string(node(i).direct().command({"HGET", key, name}).text());
}

std::string QuorumTest::depth(std::size_t i, const std::string& key) {
  const auto fields = node(i).direct().command({"HGETALL", key});
  for (std::size_t f = 0; f < fields.parts(); f += 2) {
    if (fields.text(f).find(':') != std::string_view::npos) return std::string(fields.text(f + 1));
  }
  return {};
}

std::vector<Fault> QuorumTest::lose_second_answers() {
  std::vector<Fault> lost;
  for (std::size_t i = 0; i < 3; ++i) {
    core::eventually("it has heard of it",
                     [&] { return commands(i) == 1 && link(i).all_answered(); });
    lost.push_back(link(i).arm({.direction = Direction::reply}, Action::reset));
  }
  return lost;
}

void QuorumTest::ends_with_its_lease(core::Lock& lock) {
  ASSERT_EQ(lock.try_acquire(), core::Acquire::acquired);
  core::eventually("all have heard of it", [&] { return commands(4) == 1; });
  core::eventually("the lease has ended", [&] { return nodes_with("orders") == 0; });
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(commands(i), 1);
}

void QuorumTest::needs_members(core::Lock& lock, std::chrono::milliseconds lease,
                               const std::string& marker) {
  ASSERT_EQ(lock.try_acquire(), core::Acquire::acquired);
  core::eventually("all have it", [&] { return nodes_with("orders") == 5; });
  expect_renewal(lock, lease);
  at_each({"DEL", marker}, 0, 3);
  const auto wait_for_a_round = [this] {
    core::eventually("it has asked once more",
                     [this, before = commands(0)] { return commands(0) > before; });
  };
  wait_for_a_round();  // what was on its way may still count
  const auto start = std::chrono::steady_clock::now();
  wait_for_a_round();
  wait_for_a_round();  // now the one before is over
  EXPECT_FALSE(counts_from_later_than(start, lock, lease));
}

}  // namespace faults
