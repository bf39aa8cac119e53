// The rights in rights.md are enough: a lock's life is run under each of them.
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "faults/testing/quorum_test.h"
#include "faults/testing/redis_test.h"
#include "faults/testing/renewal.h"
#include "production/fair_queue/lock.h"
#include "production/operating/lock_state.h"
#include "stage4_lua_release/lock.h"
#include "stage5_watchdog/lock.h"
#include "stage6_reentrant/lock.h"
#include "stage7_redlock/lock.h"
#include "stage8_fencing/lock.h"
#include "stage8_fencing/readmission.h"

namespace {

using core::Acquire;
using core::Release;
using std::chrono::milliseconds;

constexpr const char* key = "lock:orders";
constexpr milliseconds lock_lease{2'000};
constexpr milliseconds period{20};
const stage7::QuorumOptions patient{.node_timeout = milliseconds(10'000)};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The command in the document below a comment that begins with `whose`.
std::vector<std::string> documented(const std::string& whose) {
  std::ifstream document(LAB_SOURCE_DIR "/production/operating/rights.md");
  std::string line;
  while (std::getline(document, line) && !line.starts_with("# " + whose)) {
  }
  std::string command;
  while (std::getline(document, line) && !line.empty() && line != "```") command += line + ' ';
  return words_of(command);
}

std::shared_ptr<const core::Access> access_of(const std::vector<std::string>& words) {
  return std::make_shared<const core::Access>(
      core::Access{.user = words.at(2), .password = "secret"});
}

// The rights to commands among them, without the sign.
std::vector<std::string> commands_in(const std::vector<std::string>& words) {
  std::vector<std::string> commands;
  for (const auto& word : words) {
    if (word.starts_with('+')) commands.push_back(word.substr(1));
  }
  return commands;
}

// The last refusal of any client; nothing if all had the rights that they needed.
std::string refused(core::Server& server) {
  const auto log = server.command({"ACL", "LOG"});
  return log.parts() == 0 ? "" : std::string(log.text(0, 5));
}

// A waiter in the line has asked for a sign of life.
void await_ping(core::Server& server) {
  core::eventually("a waiter sends a PING", [&] {
    const auto clients = server.command({"CLIENT", "LIST", "TYPE", "pubsub"});
    return clients.text().find("cmd=ping user=locker") != std::string_view::npos;
  });
}

class DocumentedRights : public faults::RedisTest {
 protected:
  // The server, as the user meets it who may do what the document says.
  [[nodiscard]] core::Address as_user(const std::string& whose) {
    const auto words = documented(whose);
    EXPECT_THAT(words, testing::SizeIs(testing::Gt(6U))) << "no rights are named for " << whose;
    redis().direct().command(std::vector<std::string_view>(words.begin(), words.end()));
    auto address = redis().address();
    address.access = access_of(words);
    return address;
  }

  // Acquired, waited for, renewed if it renews itself, released; and no client was refused
  // anything.
  template <typename Lock>
  void live(Lock& holder, Lock& waiter, const char* channel = nullptr) {
    ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
    auto waiting = std::async(std::launch::async, [&] {
      return waiter.try_lock_for(std::chrono::seconds(10)) ? waiter.release() : Release::not_held;
    });
    if (channel != nullptr) {
      core::eventually("the waiter listens", [&] {
        return redis().direct().command({"PUBSUB", "NUMSUB", channel}).integer(1) > 0;
      });
    }
    if (holder.remaining()) faults::expect_renewal(holder, lock_lease);
    EXPECT_EQ(holder.release(), Release::released);
    EXPECT_EQ(waiting.get(), Release::released);
    EXPECT_EQ(refused(redis().direct()), "");
  }

  // The same as operators see it, of a lock that says who holds it.
  template <typename Lock>
  void live_and_be_seen(Lock& holder, Lock& waiter) {
    live(holder, waiter, "lock:orders:released");
    ASSERT_EQ(holder.try_acquire(), Acquire::acquired);
    EXPECT_TRUE(waiter.holder());
    EXPECT_TRUE(waiter.force_release());
    EXPECT_EQ(refused(redis().direct()), "");
  }
};

// A user that lacks any two of its rights leaves no lock that outlives its lease.
class MissingRights : public DocumentedRights {
 protected:
  // `make` makes a lock of the user's, with that lease.
  using Make = std::function<std::unique_ptr<core::Lock>(milliseconds)>;
  void expect_no_lock_left(const std::string& whose, const Make& make) {
    const auto words = documented(whose);
    const auto& user = words.at(2);
    const auto rights = commands_in(words);
    for (const auto& one : rights) {
      for (const auto& other : rights) {
        if (one > other) continue;
        redis().direct().command({"ACL", "SETUSER", user, "-" + one, "-" + other});
        use_without_rights(*make(milliseconds(20)));
        redis().direct().command({"ACL", "SETUSER", user, "+" + one, "+" + other});
        const auto next = make(lock_lease);
        ASSERT_TRUE(next->try_lock_for(core::condition_limit)) << one << ' ' << other;
        ASSERT_NE(next->release(), Release::unknown) << one << ' ' << other;
      }
    }
  }

 private:
  static void use_without_rights(core::Lock& lock) {
    try {
      if (lock.try_acquire() == Acquire::acquired) (void)lock.release();
    } catch (const core::ServerError&) {  // that is what the missing rights are for
    }
  }
};

TEST_F(MissingRights, LeaveNoLockOfStage4) {
  core::Server server(as_user("stages 4 and 5"));
  expect_no_lock_left("stages 4 and 5", [&](auto asked) {
    return std::make_unique<stage4::Lock>(server, key, asked);
  });
}

TEST_F(MissingRights, LeaveNoLockOfStage6) {
  core::Server server(as_user("stage 6"));
  expect_no_lock_left("stage 6", [&](auto asked) {
    return std::make_unique<stage6::Lock>(server, key, stage6::Options{.lease = asked});
  });
}

TEST_F(MissingRights, LeaveNoLockOfStage7) {
  stage7::Quorum({as_user("who calls provision")}, patient).provision();
  stage7::Quorum quorum({as_user("stage 7")}, patient);
  expect_no_lock_left("stage 7", [&](auto asked) {
    return std::make_unique<stage7::Lock>(quorum, key, stage7::Options{.lease = asked});
  });
}

TEST_F(MissingRights, LeaveNoLockOfStage8) {
  stage7::Quorum({as_user("who calls provision")}, patient).provision();
  stage7::Quorum quorum({as_user("stage 8")}, patient);
  expect_no_lock_left("stage 8", [&](auto asked) {
    return std::make_unique<stage8::Lock>(quorum, key, stage8::Options{.lease = asked});
  });
}

TEST_F(DocumentedRights, AreEnoughForStage4) {
  core::Server server(as_user("stages 4 and 5"));
  stage4::Lock holder(server, key, lock_lease);
  stage4::Lock waiter(server, key, lock_lease);
  live(holder, waiter);
}

TEST_F(DocumentedRights, AreEnoughForStage5) {
  core::Server server(as_user("stages 4 and 5"));
  stage5::Lock holder(server, key, {.default_lease = lock_lease, .renew_every = period});
  stage5::Lock waiter(server, key, {.default_lease = lock_lease, .renew_every = period});
  live(holder, waiter);
}

TEST_F(DocumentedRights, AreEnoughForStage6) {
  core::Server server(as_user("stage 6"));
  stage6::Lock holder(server, key, {.default_lease = lock_lease, .renew_every = period});
  stage6::Lock waiter(server, key, {.default_lease = lock_lease, .renew_every = period});
  live_and_be_seen(holder, waiter);
}

TEST_F(DocumentedRights, AreEnoughForTheFairQueue) {
  core::Server server(as_user("the fair queue around stage 6"));
  const stage6::Options renewed{.default_lease = lock_lease, .renew_every = period};
  fair_queue::Around<stage6::Lock> holder(server, key, renewed);
  fair_queue::Around<stage6::Lock> waiter(server, key, renewed);
  ASSERT_EQ(holder.try_lock_for(milliseconds(0)), true);
  auto waiting = std::async(std::launch::async, [&] {
    return waiter.try_lock_for(std::chrono::seconds(10)) ? waiter.release() : Release::not_held;
  });
  core::eventually("there is a line", [&] {
    return redis().direct().command({"EXISTS", "lock:orders:line"}).integer() == 1;
  });
  await_ping(redis().direct());
  faults::expect_renewal(holder, lock_lease);
  EXPECT_EQ(holder.release(), Release::released);
  EXPECT_EQ(waiting.get(), Release::released);
  EXPECT_EQ(refused(redis().direct()), "");
}

TEST_F(DocumentedRights, AreEnoughForStage7) {
  stage7::Quorum({as_user("who calls provision")}, patient).provision();
  stage7::Quorum quorum({as_user("stage 7")}, patient);
  stage7::Lock holder(quorum, key, {.default_lease = lock_lease, .renew_every = period});
  stage7::Lock waiter(quorum, key, {.default_lease = lock_lease, .renew_every = period});
  live_and_be_seen(holder, waiter);
}

TEST_F(DocumentedRights, AreEnoughForStage8) {
  stage7::Quorum({as_user("who calls provision")}, patient).provision();
  stage7::Quorum quorum({as_user("stage 8")}, patient);
  stage8::Lock holder(quorum, key, {.default_lease = lock_lease, .renew_every = period});
  stage8::Lock waiter(quorum, key, {.default_lease = lock_lease, .renew_every = period});
  live_and_be_seen(holder, waiter);
}

TEST_F(DocumentedRights, AreEnoughToWatchAndToFree) {
  stage4::Lock text(redis().direct(), "lock:invoices", lock_lease);
  stage6::Lock hash(redis().direct(), key, {.lease = lock_lease});
  ASSERT_EQ(text.try_acquire(), Acquire::acquired);
  ASSERT_EQ(hash.try_acquire(), Acquire::acquired);
  redis().direct().command({"ZADD", "lock:orders:line", "1", "token fair_queue:1 participant who"});
  core::Server watcher(as_user("./lab watch"));
  EXPECT_EQ(operating::look_at_all(watcher, "lock:*").held.size(), 2U);
  core::Server freer(as_user("./lab free"));
  for (const auto* name : {key, "lock:invoices"}) {
    EXPECT_EQ(operating::free_hold(freer, operating::look_at(freer, name)),
              operating::Freed::removed);
  }
  EXPECT_EQ(refused(redis().direct()), "");
}

using DocumentedQuorumRights = faults::QuorumTest;

TEST_F(DocumentedQuorumRights, AreEnoughForTheFairQueue) {
  const auto with_rights = [&](const std::string& whose) {
    const auto words = documented(whose);
    at_each(words);
    auto servers = past_the_links();
    for (auto& address : servers) address.access = access_of(words);
    return servers;
  };
  stage7::Quorum(with_rights("who calls provision"), patient).provision();
  stage7::Quorum quorum(with_rights("the fair queue around stage 7"), patient);
  const stage7::Options renewed{.default_lease = lock_lease, .renew_every = period};
  fair_queue::Around<stage7::Lock> holder(quorum, key, renewed);
  fair_queue::Around<stage7::Lock> waiter(quorum, key, renewed);
  ASSERT_TRUE(holder.try_lock_for(std::chrono::seconds(10)));
  auto waiting = std::async(std::launch::async, [&] {
    return waiter.try_lock_for(std::chrono::seconds(10)) ? waiter.release() : Release::not_held;
  });
  core::eventually("there is a line", [&] { return has(0, "lock:orders:line"); });
  await_ping(node(0).direct());
  faults::expect_renewal(holder, lock_lease);
  EXPECT_EQ(refused(node(0).direct()), "");
  node(0).kill();  // the line moves, and the others are told
  EXPECT_EQ(holder.release(), Release::released);
  EXPECT_EQ(waiting.get(), Release::released);
  for (std::size_t i = 1; i < count; ++i) EXPECT_EQ(refused(node(i).direct()), "");
}

TEST_F(DocumentedQuorumRights, AreEnoughToReadmit) {
  const auto words = documented("who calls provision");
  at_each(words);
  auto keepers = past_the_links();
  for (auto& address : keepers) address.access = access_of(words);
  stage7::Quorum quorum(keepers, patient);
  quorum.provision();
  at_each({"SET", "lock:orders:fencing", "7"});
  at_each({"DEL", "lock:orders:fencing", quorum.marker()}, 4);
  EXPECT_TRUE(stage8::readmit(quorum, keepers.back(), milliseconds(1)));
  EXPECT_EQ(node(4).direct().command({"GET", "lock:orders:fencing"}).text(), "7");
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(refused(node(i).direct()), "");
}

}  // namespace
