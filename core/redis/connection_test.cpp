// `core::Connection` and its socket: interrupted, and full.
#include "core/redis/connection.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "core/testing/process_state.h"
#include "faults/testing/redis_test.h"

namespace {

using core::Connection;
using core::eventually;
using std::chrono::seconds;

using ConnectionSocket = faults::RedisTest;

// Waits for an item of the list. 0: it came; 1: something else did; 2: no reply.
int wait_for_item(Connection& connection) {
  constexpr std::array<std::string_view, 3> words{"BLPOP", "list", "0"};
  try {
    return connection.command(words).text(1) == "item" ? 0 : 1;
  } catch (const core::LostReply&) {
    return 2;
  }
}

TEST_F(ConnectionSocket, ReadsAReplyThatCameWhileStopped) {
  Connection connection(redis().address(), {.command = seconds(60)});
  const auto child = fork();
  if (child == 0) _exit(wait_for_item(connection));
  auto& server = redis().direct();
  eventually("the child waits for its reply", [&] {
    return server.command({"INFO", "clients"}).text().find("blocked_clients:1") !=
               std::string_view::npos &&
           core::state_of(child) == 'S';
  });
  kill(child, SIGSTOP);
  eventually("the child is stopped", [&] { return core::state_of(child) == 'T'; });
  server.command({"RPUSH", "list", "item"});
  kill(child, SIGCONT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ConnectionSocket, CarriesMoreThanItTakesAtOnce) {
  Connection connection(redis().address(), {.command = seconds(60)});
  const std::string text(16'000'000, 'x');
  const std::array<std::string_view, 3> set{"SET", "key", text};
  EXPECT_TRUE(connection.command(set).is_ok());
  constexpr std::array<std::string_view, 2> get{"GET", "key"};
  EXPECT_EQ(connection.command(get).text(), text);
}

}  // namespace
