// The questions and answers on the connections to the nodes.
#include "stage7_redlock/quorum_connections.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <thread>

#include "faults/testing/quorum_test.h"
#include "stage6_reentrant/scripts.h"
#include "stage7_redlock/lock.h"
#include "stage7_redlock/scripts.h"

namespace {

using core::Acquire;
using core::eventually;
using core::Release;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;

constexpr milliseconds long_lease{2 * core::longest_wait};

class Stage7Connections : public faults::QuorumTest {
 protected:
  // Long: what has to come comes, however slow everything is.
  stage7::Quorum quorum{addresses(), {.node_timeout = milliseconds(10'000)}};

  void SetUp() override { at_each({"SET", quorum.marker(), "1"}); }
};

// A full listener: connections to it stay pending until it is closed.
class FullHouse {
 public:
  FullHouse() : door_(socket(AF_INET, SOCK_STREAM, 0)), guest_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    auto* name = reinterpret_cast<sockaddr*>(&here);
    if (bind(door_, name, size) != 0 || listen(door_, 0) != 0 ||
        getsockname(door_, name, &size) != 0 || connect(guest_, name, size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(here.sin_port);
  }
  ~FullHouse() {
    close(guest_);
    close(door_);
  }
  FullHouse(const FullHouse&) = delete;
  FullHouse& operator=(const FullHouse&) = delete;
  [[nodiscard]] core::Address address() const { return {.host = "127.0.0.1", .port = port_}; }

 private:
  const int door_;
  const int guest_;
  int port_ = 0;
};

TEST_F(Stage7Connections, KnowAScriptAgainThatTheNodesForgot) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  // Now the text of both has gone over every connection, and it goes by SHA-1.
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.release(), Release::released);
  for (std::size_t i = 0; i < count; ++i) {
    eventually("both have been answered",
               [&] { return commands(i) == 2 && link(i).all_answered(); });
  }
  at_each({"SCRIPT", "FLUSH"});
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
  at_each({"SCRIPT", "FLUSH"});
  EXPECT_EQ(lock.release(), Release::released);
  EXPECT_THAT(link(0).commands_seen(), testing::Contains("EVALSHA"));
}

TEST_F(Stage7Connections, SendEveryScriptAgainAfterAFlush) {
  stage7::Quorum one({link(0).address()}, {.node_timeout = milliseconds(10'000)});
  stage7::Lock lock(one, "orders", {.lease = long_lease});
  for (int round = 0; round < 2; ++round) {
    at_each({"SCRIPT", "FLUSH"});
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    ASSERT_EQ(lock.release(), Release::released);
  }
  EXPECT_THAT(link(0).commands_seen(), ElementsAre("EVAL", "EVAL", "EVALSHA", "EVAL", "EVAL"));
}

// One that says so after the majority has released has to run it as well.
TEST_F(Stage7Connections, AreAllHeardIfTheNodesForgot) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.release(), Release::released);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  eventually("all has been answered", [&] { return commands(4) == 3 && link(4).all_answered(); });
  at_each({"SCRIPT", "FLUSH"});
  node(4).freeze();
  const std::jthread answers_late([&] {
    for (std::size_t i = 0; i < 4; ++i) {
      eventually("the others have released", [&] { return !has(i, "orders"); });
    }
    node(4).thaw();
  });
  EXPECT_EQ(lock.release(), Release::released);
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
}

TEST_F(Stage7Connections, KeepTheirAnswersApartWhenSomeComeLate) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  node(4).freeze();
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    ASSERT_EQ(lock.release(), Release::released);
  }
  node(4).thaw();
  node(0).freeze();
  node(1).freeze();
  for (int round = 0; round < 3; ++round) {  // now the late one's answers decide
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    ASSERT_EQ(lock.release(), Release::released);
  }
  node(0).thaw();
  node(1).thaw();
  eventually("nobody has it", [&] { return nodes_with("orders") == 0; });
}

// The text of both scripts has to go over the new connection, too.
TEST_F(Stage7Connections, AreGivenUpIfManyAnswersAreMissing) {
  stage7::Lock lock(quorum, "orders", {.lease = long_lease});
  node(4).freeze();
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    ASSERT_EQ(lock.release(), Release::released);
  }
  node(4).thaw();
  const auto seen = link(4).commands_seen();
  EXPECT_GT(std::count(seen.begin(), seen.end(), "EVAL"), 2);
}

TEST_F(Stage7Connections, AreNotMisledByNodesThatWereRestarted) {
  stage7::Quorum direct(past_the_links(), {.node_timeout = milliseconds(10'000)});
  stage7::Lock lock(direct, "orders", {.lease = long_lease});
  EXPECT_FALSE(lock.force_release());  // all have answered that
  for (std::size_t i = 0; i < 3; ++i) {
    node(i).kill();
    node(i).start();
  }
  direct.provision();
  const auto later = steady_clock::now() + milliseconds(120);
  eventually("the connections have grown old", [&] { return steady_clock::now() > later; });
  EXPECT_EQ(lock.try_acquire(), Acquire::acquired);
}

TEST_F(Stage7Connections, SendTheTextAgainOverANewConnection) {
  stage7::Quorum one({link(0).address()}, {.node_timeout = milliseconds(10'000)});
  stage7::Lock lock(one, "orders", {.lease = long_lease});
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  ASSERT_EQ(lock.release(), Release::released);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  // Sent by SHA-1 alone it would not run at a node that came back without it.
  const auto broken = link(0).arm({.direction = Direction::command}, Action::reset);
  EXPECT_EQ(lock.release(), Release::unknown);
  ASSERT_EQ(lock.release(), Release::released);
  EXPECT_THAT(link(0).commands_seen(), ElementsAre("EVAL", "EVAL", "EVALSHA", "EVALSHA", "EVAL"));
}

// To several nodes, and to one, which is not waited for in the same way.
TEST_F(Stage7Connections, SendTheRestOfWhatNoSocketTakesAtOnce) {
  const std::string much(8 << 20, 'x');
  for (const std::size_t nodes : {count, std::size_t{1}}) {
    auto some = past_the_links();
    some.resize(nodes);
    stage7::QuorumConnections connections(some, core::longest_wait);
    const auto votes =
        connections.ask(stage6::scripts::holder, {"orders"}, {much}, [](const auto&) {
          return false;  // everybody is to answer
        });
    EXPECT_EQ(count_if(votes.begin(), votes.end(), [](const auto& vote) { return !vote.reply; }), 0)
        << "of " << nodes;
  }
}

TEST(Stage7ConnectionsToOne, AreRefusedAlsoWhereThatTakesAWhile) {
  std::optional<FullHouse> house(std::in_place);
  stage7::QuorumConnections connections({house->address()}, std::chrono::seconds(60));
  const auto votes = connections.ask(
      stage6::scripts::holder, {"orders"}, {}, [&house](const stage7::Votes& heard) {
        EXPECT_FALSE(house && !heard[0].is_open()) << "it was refused at once";
        house.reset();
        return false;
      });
  EXPECT_TRUE(votes[0].unreachable);
  EXPECT_FALSE(votes[0].lost) << "it cannot have been asked";
}

}  // namespace
