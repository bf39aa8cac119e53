// A Server in a real Cluster: it goes where its key is.
#include "faults/kit/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/redis/async_connection.h"
#include "core/redis/discovery.h"
#include "core/redis/key_slot.h"
#include "core/redis/script.h"
#include "core/redis/server.h"
#include "core/testing/connection_kinds.h"
#include "core/testing/eventually.h"
#include "faults/kit/temp_dir.h"

namespace {

using core::Access;
using core::Address;
using core::ConnectionKind;
using core::Discovery;
using core::patient;
using core::Server;
using core::slot_of;
using faults::Cluster;
using testing::HasSubstr;
using testing::Not;

struct Running {
  faults::Reaper reaper;
  faults::TempDir directory{reaper};
  faults::History history{directory.path() / "history.jsonl"};
  faults::Loop loop;
  Cluster cluster{faults::find_redis(),   loop, history, reaper, directory.path(),
                  Cluster::Replicas::none};
};

class ClusterTest : public testing::Test {
 protected:
  [[nodiscard]] virtual Cluster& cluster() = 0;

  // The Cluster, known by one of its nodes, or by several.
  [[nodiscard]] Address known_by(std::size_t node, std::shared_ptr<const Access> access = {}) {
    return known_by(std::vector{node}, std::move(access));
  }
  [[nodiscard]] Address known_by(const std::vector<std::size_t>& nodes,
                                 std::shared_ptr<const Access> access = {}) {
    Discovery discovery{.kind = Discovery::Kind::cluster, .asked = {}};
    for (const auto node : nodes) {
      discovery.asked.push_back(cluster().front(node).address());
      discovery.asked.back().access = access;
    }
    return {.host = {},
            .access = std::move(access),
            .discovery = std::make_shared<const Discovery>(std::move(discovery))};
  }

  // A key that no other test has, and which `master` has.
  [[nodiscard]] static std::string key_at(std::size_t master) {
    for (;;) {
      auto key = "key" + std::to_string(next_key_++);
      if (Cluster::first_master_of(slot_of(key)) == master) return key;
    }
  }
  [[nodiscard]] bool has(std::size_t node, const std::string& key) {
    const auto keys = cluster().node(node).direct().command({"KEYS", key});
    return keys.parts() == 1;
  }

  [[nodiscard]] std::string id_of(std::size_t node) {
    return std::string(cluster().node(node).direct().command({"CLUSTER", "MYID"}).text());
  }

  void move(int slot, std::size_t from, std::size_t to) {
    cluster().begin_move(slot, from, to);
    cluster().move_keys(slot, from, to);
    cluster().end_move(slot, to);
  }

  void move_key(const std::string& key, std::size_t from, std::size_t to) {
    const auto there = cluster().front(to).address();
    cluster().node(from).direct().command(
        {"MIGRATE", there.host, std::to_string(there.port), key, "0", "5000"});
  }

 private:
  static int next_key_;
};

int ClusterTest::next_key_ = 0;

// All of its tests share one, and leave it whole.
class InACluster : public ClusterTest {
 protected:
  static void SetUpTestSuite() { running_ = std::make_unique<Running>(); }
  static void TearDownTestSuite() { running_.reset(); }

  [[nodiscard]] Cluster& cluster() override { return running_->cluster; }

 private:
  static std::unique_ptr<Running> running_;
};

std::unique_ptr<Running> InACluster::running_;

// Each of its tests has one, and may break it.
class InAClusterOfItsOwn : public ClusterTest {
 protected:
  [[nodiscard]] Cluster& cluster() override { return running_.cluster; }

  // It listens to no other node for a minute, and soon finds out what that means.
  void cut_off_from_others(std::size_t node) {
    auto& direct = cluster().node(node).direct();
    for (std::size_t other = 0; other < Cluster::masters; ++other) {
      if (other != node) direct.command({"CLUSTER", "FORGET", id_of(other)});
    }
    core::eventually("it says that the Cluster is down", [&] {
      const auto info = direct.command({"CLUSTER", "INFO"});
      return info.text().find("cluster_state:fail") != std::string_view::npos;
    });
  }

 private:
  Running running_;
};

constexpr core::Script set_script{
    .name = "set", .sha1 = "0", .text = "return redis.call('SET', KEYS[1], ARGV[1])"};

TEST_F(InACluster, KeysAreInTheSlotsThatTheServerSays) {
  for (const std::string key : {"", "lock", "a{b}c", "{}a", "{a", "a}b{c}", "\xff\x01"}) {
    EXPECT_EQ(cluster().node(0).direct().command({"CLUSTER", "KEYSLOT", key}).integer(),
              slot_of(key))
        << key;
  }
}

TEST_F(InACluster, ACommandGoesToTheNodeOfItsKey) {
  Server server(known_by(0), patient);
  for (std::size_t master = 0; master < Cluster::masters; ++master) {
    const auto key = key_at(master);
    EXPECT_TRUE(server.command({"SET", key, "1"}).is_ok());
    EXPECT_TRUE(has(master, key));
  }
}

TEST_F(InACluster, AScriptGoesToTheNodeOfItsFirstKey) {
  Server server(known_by(0), patient);
  const auto key = key_at(2);
  EXPECT_TRUE(server.run(set_script, {key}, {"1"}).is_ok());
  EXPECT_TRUE(has(2, key));
}

TEST_F(InACluster, ACommandFollowsItsSlot) {
  Server server(known_by(0), patient);
  const auto key = key_at(0);
  server.command({"SET", key, "1"});
  move(slot_of(key), 0, 1);
  EXPECT_EQ(server.command({"GET", key}).text(), "1");
  server.command({"SET", key, "2"});
  EXPECT_TRUE(has(1, key));
}

TEST_F(InACluster, ACommandFollowsAKeyThatIsAheadOfItsSlot) {
  Server server(known_by(0), patient);
  const auto key = key_at(1);
  server.command({"SET", key, "1"});
  cluster().begin_move(slot_of(key), 1, 2);
  cluster().move_keys(slot_of(key), 1, 2);
  EXPECT_EQ(server.command({"GET", key}).text(), "1");
  EXPECT_TRUE(server.run(set_script, {key}, {"2"}).is_ok());
  EXPECT_TRUE(has(2, key));
  EXPECT_FALSE(has(1, key));
  cluster().end_move(slot_of(key), 2);
}

// A slot that is moving has keys at both nodes, and ASK speaks of one key.
TEST_F(InACluster, AnAskIsNotRememberedForItsSlot) {
  Server server(known_by(0), patient);
  const auto tag = "{" + key_at(1) + "}";
  server.command({"SET", tag + "moved", "1"});
  server.command({"SET", tag + "stays", "2"});
  cluster().begin_move(slot_of(tag), 1, 2);
  move_key(tag + "moved", 1, 2);
  EXPECT_EQ(server.command({"GET", tag + "moved"}).text(), "1");
  const auto asked = cluster().front(2).commands_seen().size();
  EXPECT_EQ(server.command({"GET", tag + "stays"}).text(), "2");
  EXPECT_EQ(cluster().front(2).commands_seen().size(), asked);
  cluster().move_keys(slot_of(tag), 1, 2);
  cluster().end_move(slot_of(tag), 2);
}

// One connection finds out for all of them.
TEST_F(InACluster, ALostReplyDropsTheIdleConnections) {
  Server server(known_by(0), patient);
  const auto key = key_at(1);
  auto& direct = cluster().node(1).direct();
  {
    const std::jthread waiter([&] { server.command({"BLPOP", key, "0"}); });
    core::eventually("the server has the command", [&] {
      return direct.command({"INFO", "clients"}).text().find("blocked_clients:1") !=
             std::string_view::npos;
    });
    server.command({"RPUSH", key, "1"});
  }
  direct.command({"CLIENT", "KILL", "TYPE", "normal"});
  try {
    server.command({"GET", key});
  } catch (const core::LostReply&) {  // unless it was seen before
  }
  EXPECT_TRUE(server.command({"SET", key, "2"}).is_ok());
}

TEST_F(InACluster, NodesThatPointAtEachOtherAreOneSentence) {
  const auto key = key_at(2);
  const auto slot = std::to_string(slot_of(key));
  const auto point = [&](std::size_t node, std::size_t at) {
    cluster().node(node).direct().command({"CLUSTER", "SETSLOT", slot, "NODE", id_of(at)});
  };
  point(2, 0);
  point(0, 2);
  Server server(known_by(0), patient);
  try {
    server.command({"SET", key, "1"});
    ADD_FAILURE() << "it ended";
  } catch (const core::ErrorReply& error) {
    EXPECT_THAT(error.what(), HasSubstr("SET: the Cluster sent it on 6 times"));
  }
  point(0, 2);
  point(2, 2);
}

TEST_F(InACluster, WithoutBlockingItGoesToTheSlotsNode) {
  const auto key = key_at(2);
  EXPECT_EQ(core::answer_to(known_by(0).for_key(key), {"SET", key, "1"},
                            ConnectionKind::without_blocking),
            "OK");
  EXPECT_TRUE(has(2, key));
}

TEST_F(InACluster, AWrongPasswordIsSaidWithoutIt) {
  auto& direct = cluster().node(0).direct();
  direct.command({"ACL", "SETUSER", "locker", "on", ">opensesame", "~*", "+@all"});
  const auto access =
      std::make_shared<const Access>(Access{.user = "locker", .password = "openbarley"});
  for (const auto way : {ConnectionKind::blocking, ConnectionKind::without_blocking}) {
    const auto sentence = core::refusal_of(known_by(0, access).for_key("a"), way);
    EXPECT_THAT(sentence, HasSubstr("does not let us in: WRONGPASS"));
    EXPECT_THAT(sentence, Not(HasSubstr("barley")));
  }
}

TEST_F(InACluster, AnotherNodeIsAskedIfTheFirstIsAway) {
  auto known = known_by(0);
  auto discovery = *known.discovery;
  discovery.asked.insert(discovery.asked.begin(), Address{.host = "127.0.0.1", .port = 1});
  known.discovery = std::make_shared<const Discovery>(discovery);
  EXPECT_EQ(core::answer_to(known, {"SET", key_at(1), "1"}, ConnectionKind::blocking), "OK");
}

TEST_F(InACluster, NobodyToAskIsOneSentence) {
  const Address nowhere = Address::parse("redis-cluster://127.0.0.1:1,127.0.0.1:2");
  EXPECT_THAT(core::refusal_of(nowhere, ConnectionKind::blocking),
              HasSubstr("no way to redis-cluster://127.0.0.1:1,127.0.0.1:2: cannot connect to "
                        "127.0.0.1:2: "));
}

// A node that has lost the others says CLUSTERDOWN, and still names itself.
TEST_F(InAClusterOfItsOwn, ANodeThatIsCutOffIsLeft) {
  const auto key = key_at(0);
  Server server(known_by({0, 1}), patient);
  server.command({"SET", key, "1"});
  cut_off_from_others(0);
  const auto slot = std::to_string(slot_of(key));
  for (const std::size_t node : {1U, 2U}) {
    cluster().node(node).direct().command({"CLUSTER", "SETSLOT", slot, "NODE", id_of(1)});
  }
  server.command({"SET", key, "2"});
  EXPECT_EQ(cluster().node(1).direct().command({"GET", key}).text(), "2");
}

TEST_F(InAClusterOfItsOwn, ARefusalByAllNodesIsReturned) {
  const auto key = key_at(0);
  cut_off_from_others(0);
  Server server(known_by(0), patient);
  EXPECT_THROW(server.command({"SET", key, "1"}), core::ErrorReply);
  const auto seen = cluster().front(0).commands_seen();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "SET"), 2);  // once more after looking again
}

TEST_F(InAClusterOfItsOwn, AnAskThatLeadsNowhereIsUnreachable) {
  const auto key = key_at(1);
  cluster().begin_move(slot_of(key), 1, 2);
  cluster().node(2).kill();
  cluster().front(2).shut();
  Server server(known_by(0), patient);
  EXPECT_THROW(server.command({"GET", key}), core::Unreachable);
}

}  // namespace
