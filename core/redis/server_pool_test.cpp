// The connection pool of `core::Server`, against a real redis-server.
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/redis/server.h"
#include "core/testing/eventually.h"
#include "faults/testing/redis_test.h"

namespace {

using core::eventually;
using core::Server;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;

class ServerPool : public faults::RedisTest {
 protected:
  // The number of connections that the server has accepted so far.
  long long connections() {
    const auto reply = redis().direct().command({"INFO", "stats"});
    const auto at = reply.text().find("total_connections_received:");
    return std::stoll(std::string(reply.text().substr(at + 27, 20)));
  }

  // A connection that was idle for longer than 100 ms is checked before it is used again.
  static void outwait_fresh_connections() { std::this_thread::sleep_for(milliseconds(120)); }
};

// The value of `key`, or an empty text if the reply was lost.
std::string value_of(Server& server, std::string_view key) {
  try {
    return std::string(server.command({"GET", key}).text());
  } catch (const core::LostReply&) {
    return {};
  }
}

TEST_F(ServerPool, UsesItsConnectionAgain) {
  server().command({"PING"});
  const auto before = connections();
  for (int i = 0; i < 20; ++i) server().command({"PING"});
  EXPECT_EQ(connections(), before);
}

TEST_F(ServerPool, KeepsAConnectionAfterAnErrorReply) {
  server().command({"RPUSH", "list", "item"});
  const auto before = connections();
  for (int i = 0; i < 5; ++i) EXPECT_THROW(server().command({"GET", "list"}), core::ErrorReply);
  EXPECT_EQ(connections(), before);
}

TEST_F(ServerPool, KeepsAnIdleConnection) {
  server().command({"PING"});
  const auto before = connections();
  outwait_fresh_connections();
  server().command({"PING"});
  EXPECT_EQ(connections(), before);
}

TEST_F(ServerPool, GivesEachThreadItsOwnAnswers) {
  server().command({"PING"});
  const auto before = connections();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([this, mine = std::to_string(i)] {
        for (int round = 0; round < 100; ++round) {
          EXPECT_EQ(server().command({"ECHO", mine}).text(), mine);
        }
      });
    }
  }
  EXPECT_LE(connections() - before, 6);
}

TEST_F(ServerPool, SendsForOneThreadWhileAnotherWaits) {
  std::jthread waiter([&] {
    EXPECT_THROW(server().command({"BLPOP", "list", "0"}), core::LostReply);
  });
  eventually("the first thread waits for its reply", [&] {
    const auto seen = link().commands_seen();
    return !seen.empty() && seen.back() == "BLPOP";
  });
  EXPECT_EQ(server().command({"PING"}).text(), "PONG");
  redis().kill();
}

TEST_F(ServerPool, DropsALateReply) {
  redis().direct().command({"MSET", "asked first", "late", "asked next", "right"});
  Server impatient(link().address(), {.command = milliseconds(100)});
  auto held = link().arm({.direction = Direction::reply, .command = "GET"}, Action::hold_back);
  EXPECT_THROW(impatient.command({"GET", "asked first"}), core::LostReply);
  held.await(milliseconds(10'000));
  held.deliver();
  std::string answer;
  eventually("the next command is answered in time", [&] {
    answer = value_of(impatient, "asked next");
    return !answer.empty();
  });
  EXPECT_EQ(answer, "right");
}

TEST_F(ServerPool, DoesNotReuseUnreadBytes) {
  server().command({"PING"});
  const auto before = connections();
  server().command({"SUBSCRIBE", "news"});
  redis().direct().command({"PUBLISH", "news", "a push that nobody asked for"});
  outwait_fresh_connections();
  EXPECT_EQ(server().command({"PING"}).text(), "PONG");
  EXPECT_EQ(connections(), before + 1);
}

TEST_F(ServerPool, ReconnectsToARestartedServer) {
  Server straight(redis().address());
  straight.command({"PING"});
  redis().kill();
  redis().start();
  outwait_fresh_connections();
  EXPECT_EQ(straight.command({"PING"}).text(), "PONG");
}

TEST_F(ServerPool, DropsEveryDeadConnection) {
  {
    std::latch all_there(3);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        all_there.arrive_and_wait();
        server().command({"BLPOP", "list", "0.05"});
      });
    }
  }
  redis().kill();
  redis().start();
  outwait_fresh_connections();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(server().command({"PING"}).text(), "PONG");
}

}  // namespace
