// A Server with real Sentinels sends commands to the master only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/redis/async_connection.h"
#include "core/redis/discovery.h"
#include "core/redis/server.h"
#include "core/testing/connection_kinds.h"
#include "core/testing/eventually.h"
#include "faults/kit/link.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/sentinels.h"
#include "faults/kit/temp_dir.h"

namespace {

using core::Access;
using core::Address;
using core::answer_to;
using core::ConnectionKind;
using core::Discovery;
using core::patient;
using core::refusal_of;
using core::Server;
using testing::HasSubstr;
using testing::Not;

constexpr core::Timeouts brisk{.connect = std::chrono::seconds(10),
                               .command = std::chrono::seconds(1)};

// A master and its replica, each with the address at which Sentinels know it.
class BehindSentinels : public testing::TestWithParam<ConnectionKind> {
 protected:
  BehindSentinels() {
    const auto own = to_replica_.address();
    replica_.direct().command({"CONFIG", "SET", "replica-announce-ip", own.host});
    replica_.direct().command({"CONFIG", "SET", "replica-announce-port", std::to_string(own.port)});
    follow(replica_, to_master_);
  }

  static void follow(faults::RedisServer& server, const faults::Link& master) {
    const auto address = master.address();
    server.direct().command({"REPLICAOF", address.host, std::to_string(address.port)});
    core::eventually("the replica follows", [&] {
      return server.direct().command({"INFO", "replication"}).text().find("link_status:up") !=
             std::string_view::npos;
    });
  }

  [[nodiscard]] faults::Sentinels sentinels_of(const faults::Link& master) {
    return {faults::find_redis(), loop_, history_, reaper_, directory_.path(), master.address()};
  }

  static Address known_by(std::vector<Address> asked, std::string master = "lock",
                          std::shared_ptr<const Access> access = {}) {
    return {
        .host = {},
        .access = std::move(access),
        .discovery = std::make_shared<const Discovery>(Discovery{.kind = Discovery::Kind::sentinel,
                                                                 .asked = std::move(asked),
                                                                 .master = std::move(master)})};
  }

  // The roles of both change, and the clients are not notified.
  void swap_roles() {
    replica_.direct().command({"REPLICAOF", "NO", "ONE"});
    follow(master_, to_replica_);
  }

  // It becomes the other one's replica, reads what that one has, and is at it for 20 s.
  void begin_to_load_from_replica() {
    replica_.direct().command(
        {"EVAL", "for i = 1, 1000 do redis.call('SET', i, ('x'):rep(1100)) end", "0"});
    replica_.direct().command(
        {"CONFIG", "SET", "repl-diskless-sync-delay", "0", "rdbcompression", "no"});
    master_.direct().command({"CONFIG", "SET", "key-load-delay", "20000",
                              "loading-process-events-interval-bytes", "1024"});
    const auto source = to_replica_.address();
    master_.direct().command({"REPLICAOF", source.host, std::to_string(source.port)});
    core::eventually("it loads", [&] {
      const auto info = master_.direct().command({"INFO", "persistence"});
      return info.text().find("loading:1") != std::string_view::npos;
    });
  }

  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
  faults::History history_{directory_.path() / "history.jsonl"};
  faults::Loop loop_;
  faults::RedisServer master_{
      faults::find_redis(), loop_, history_, reaper_, "master", directory_.path() / "master.log"};
  faults::RedisServer replica_{
      faults::find_redis(), loop_, history_, reaper_, "replica", directory_.path() / "replica.log"};
  faults::Link to_master_{loop_,    history_,          "sentinels",
                          "master", master_.address(), faults::Link::Notes::none};
  faults::Link to_replica_{loop_,     history_,           "sentinels",
                           "replica", replica_.address(), faults::Link::Notes::none};
};

INSTANTIATE_TEST_SUITE_P(, BehindSentinels,
                         testing::Values(ConnectionKind::blocking,
                                         ConnectionKind::without_blocking),
                         [](const auto& way) { return core::name_of(way.param); });

TEST_P(BehindSentinels, TheMasterIsFound) {
  const auto sentinels = sentinels_of(to_master_);
  EXPECT_EQ(answer_to(known_by(sentinels.addresses()), {"SET", "key", "1"}, GetParam()), "OK");
  EXPECT_EQ(master_.direct().command({"GET", "key"}).text(), "1");
}

TEST_P(BehindSentinels, AnotherIsAskedIfTheFirstIsAway) {
  const auto sentinels = sentinels_of(to_master_);
  auto asked = sentinels.addresses();
  asked.front().port = 1;
  EXPECT_EQ(answer_to(known_by(asked), {"PING"}, GetParam()), "PONG");
}

TEST_P(BehindSentinels, ASilentOneIsAskedOnce) {
  const auto sentinels = sentinels_of(to_master_);
  auto asked = sentinels.addresses();
  std::atomic<int> questions = 0;
  faults::Link silent(loop_, history_, "client", "sentinel1", asked.front(),
                      faults::Link::Notes::none);
  silent.decide_by([&](const faults::Boundary&) {
    ++questions;
    return faults::Action::blackhole;
  });
  asked.front() = silent.address();
  const auto known = known_by(asked);
  EXPECT_EQ(answer_to(known, {"PING"}, GetParam(), brisk), "PONG");
  EXPECT_EQ(answer_to(known, {"PING"}, GetParam(), brisk), "PONG");
  EXPECT_EQ(questions, 1);
}

TEST_P(BehindSentinels, AMasterThatTheyDoNotKnow) {
  const auto sentinels = sentinels_of(to_master_);
  EXPECT_THAT(refusal_of(known_by(sentinels.addresses(), "orders"), GetParam()),
              HasSubstr("knows no master \"orders\""));
}

TEST_P(BehindSentinels, AReplicaIsNotTakenForTheMaster) {
  const auto sentinels = sentinels_of(to_replica_);
  const auto sentence = refusal_of(known_by(sentinels.addresses()), GetParam());
  EXPECT_THAT(sentence, HasSubstr("is a replica and not the master, which "));
  EXPECT_THAT(sentence, HasSubstr(" names"));
}

TEST_P(BehindSentinels, OneThatLiesIsPassedOver) {
  const auto liars = sentinels_of(to_replica_);
  const auto sentinels = sentinels_of(to_master_);
  EXPECT_EQ(answer_to(known_by({liars.addresses().front(), sentinels.addresses().front()}),
                      {"SET", "key", "1"}, GetParam()),
            "OK");
}

TEST_P(BehindSentinels, AWrongPasswordIsSaidWithoutIt) {
  const auto sentinels = sentinels_of(to_master_);
  master_.direct().command({"ACL", "SETUSER", "locker", "on", ">opensesame", "~*", "+@all"});
  const auto access =
      std::make_shared<const Access>(Access{.user = "locker", .password = "openbarley"});
  const auto sentence = refusal_of(known_by(sentinels.addresses(), "lock", access), GetParam());
  EXPECT_THAT(sentence, HasSubstr("does not let us in: WRONGPASS"));
  EXPECT_THAT(sentence, Not(HasSubstr("barley")));
}

TEST_P(BehindSentinels, AConnectionToAMasterIsNotMadeToAReplica) {
  follow(replica_, to_master_);
  auto address = to_replica_.address();
  address.must_be_master = true;
  EXPECT_THAT(refusal_of(address, GetParam()), HasSubstr("is a replica and not the master"));
  address = to_master_.address();
  address.must_be_master = true;
  EXPECT_EQ(answer_to(address, {"PING"}, GetParam()), "PONG");
}

TEST_P(BehindSentinels, ADemotedMasterIsNotTrusted) {
  const auto before = sentinels_of(to_master_);
  const auto after = sentinels_of(to_replica_);
  const auto known = known_by({before.addresses().front(), after.addresses().front()});
  swap_roles();
  EXPECT_EQ(answer_to(known, {"GET", "key"}, GetParam()), "");
  EXPECT_EQ(answer_to(known, {"SET", "key", "1"}, GetParam()), "OK");
  EXPECT_EQ(replica_.direct().command({"GET", "key"}).text(), "1");
}

TEST_P(BehindSentinels, AConnectionSaysWhoNamedItsServer) {
  const auto liars = sentinels_of(to_replica_);
  const auto sentinels = sentinels_of(to_master_);
  const auto known = known_by({liars.addresses().front(), sentinels.addresses().front()});
  if (GetParam() == ConnectionKind::blocking) {
    EXPECT_EQ(core::locate(known, patient).named_by, 1);
    return;
  }
  core::AsyncConnection connection(known);
  core::eventually("it is open", [&] {
    connection.advance();
    return connection.named_by().has_value() || connection.broken();
  });
  EXPECT_EQ(connection.named_by(), 1);
}

class DeniedBySentinels : public BehindSentinels {};

INSTANTIATE_TEST_SUITE_P(, DeniedBySentinels, testing::Values(ConnectionKind::blocking),
                         [](const auto& way) { return core::name_of(way.param); });

TEST_P(DeniedBySentinels, AWrongPasswordIsNoAbsence) {
  const auto sentinels = sentinels_of(to_master_);
  master_.direct().command({"CONFIG", "SET", "requirepass", "opensesame"});
  Server server(known_by(sentinels.addresses(), "lock",
                         std::make_shared<const Access>(Access{.user = {}, .password = "barley"})),
                patient);
  EXPECT_THROW(server.command({"PING"}), core::AccessDenied);
}

class FollowsSentinels : public BehindSentinels {};

INSTANTIATE_TEST_SUITE_P(, FollowsSentinels, testing::Values(ConnectionKind::blocking),
                         [](const auto& way) { return core::name_of(way.param); });

TEST_P(FollowsSentinels, ToTheNewMasterFromOneThatIsDead) {
  auto sentinels = sentinels_of(to_master_);
  sentinels.await_each_other();
  Server server(known_by(sentinels.addresses()), patient);
  server.command({"SET", "key", "1"});
  master_.kill();
  to_master_.shut();
  sentinels.await_master(to_replica_.address());
  core::eventually("the new master is found", [&] {
    try {
      return server.command({"SET", "key", "2"}).is_ok();
    } catch (const core::LostReply&) {  // the command that found the old one gone
      return false;
    }
  });
  EXPECT_EQ(replica_.direct().command({"GET", "key"}).text(), "2");
}

TEST_P(FollowsSentinels, FromADemotedMasterThatStillAnswers) {
  const auto before = sentinels_of(to_master_);
  const auto after = sentinels_of(to_replica_);
  Server server(known_by({before.addresses().front(), after.addresses().front()}), patient);
  server.command({"SET", "key", "1"});
  swap_roles();
  EXPECT_TRUE(server.command({"SET", "key", "2"}).is_ok());
  EXPECT_EQ(replica_.direct().command({"GET", "key"}).text(), "2");
}

// Two threads are refused by a server that the same Sentinel has named to both.
TEST_P(FollowsSentinels, ToTheNextIfTwoDistrustTheFirst) {
  const auto before = sentinels_of(to_master_);
  const auto after = sentinels_of(to_replica_);
  replica_.direct().command({"REPLICAOF", "NO", "ONE"});
  const auto known = known_by({before.addresses().front(), after.addresses().front()});
  const auto one = core::locate(known, patient);
  const auto two = core::locate(known, patient);
  ASSERT_EQ(one.server.text(), to_master_.address().text());
  known.discovery->distrust(one.named_by);
  known.discovery->distrust(two.named_by);
  EXPECT_EQ(core::locate(known, patient).server.text(), to_replica_.address().text());
}

TEST_P(FollowsSentinels, FromAReplicaThatHasLostItsMaster) {
  const auto before = sentinels_of(to_master_);
  const auto after = sentinels_of(to_replica_);
  Server server(known_by({before.addresses().front(), after.addresses().front()}), patient);
  server.command({"SET", "key", "1"});
  replica_.direct().command({"REPLICAOF", "NO", "ONE"});
  replica_.direct().command({"SET", "key", "2"});
  master_.direct().command({"CONFIG", "SET", "replica-serve-stale-data", "no"});
  master_.direct().command({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(server.command({"GET", "key"}).text(), "2");
}

TEST_P(FollowsSentinels, FromADemotedMasterThatLoads) {
  const auto before = sentinels_of(to_master_);
  const auto after = sentinels_of(to_replica_);
  Server server(known_by({before.addresses().front(), after.addresses().front()}), patient);
  server.command({"SET", "key", "1"});
  replica_.direct().command({"REPLICAOF", "NO", "ONE"});
  replica_.direct().command({"SET", "key", "2"});
  begin_to_load_from_replica();
  EXPECT_EQ(server.command({"GET", "key"}).text(), "2");
}

}  // namespace
