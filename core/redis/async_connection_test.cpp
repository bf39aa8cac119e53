#include "core/redis/async_connection.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/testing/eventually.h"
#include "core/testing/process_state.h"

namespace {

using core::AsyncConnection;

// A server whose replies the test writes.
class Listener {
 public:
  Listener() : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path_.copy(name.sun_path, sizeof name.sun_path - 1);
    unlink(path_.c_str());
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        listen(socket_, 1) != 0) {
      throw std::runtime_error(std::strerror(errno));
    }
  }
  ~Listener() {
    close(socket_);
    unlink(path_.c_str());
  }
  [[nodiscard]] core::Address address() const { return {.unix_path = path_}; }
  [[nodiscard]] int accept() const { return ::accept(socket_, nullptr, nullptr); }

 private:
  const std::string path_ = testing::TempDir() + "connection-" + std::to_string(getpid());
  const int socket_;
};

constexpr std::array<std::string_view, 1> ping{"PING"};

TEST(AsyncConnection, ReadsRepliesInTheirOrder) {
  const Listener listener;
  AsyncConnection connection(listener.address());
  const int peer = listener.accept();
  ASSERT_EQ(write(peer, ":1\r\n:2\r\n", 8), 8);
  core::eventually("both replies have come", [&] {
    connection.advance();
    return connection.next().has_value();
  });
  EXPECT_EQ(connection.next().value().integer(), 2);
  EXPECT_FALSE(connection.broken());
  close(peer);
}

TEST(AsyncConnection, IsBrokenByBytesThatAreNoReply) {
  const Listener listener;
  AsyncConnection connection(listener.address());
  const int peer = listener.accept();
  ASSERT_EQ(write(peer, "HTTP/1.1 400\r\n", 14), 14);
  core::eventually("the connection is broken", [&] {
    connection.advance();
    EXPECT_FALSE(connection.next().has_value());
    return connection.broken();
  });
  close(peer);
}

TEST(AsyncConnection, KeepsBytesTheSocketDoesNotTakeYet) {
  const Listener listener;
  AsyncConnection connection(listener.address());
  const int peer = listener.accept();
  const std::string much(8 << 20, 'x');  // more than any socket takes at once
  connection.send(std::array<std::string_view, 2>{"ECHO", much});
  connection.flush();
  EXPECT_TRUE(connection.has_unsent());
  EXPECT_TRUE(connection.wants() & POLLOUT);
  std::size_t arrived = 0;
  std::string bytes(1 << 16, '\0');
  core::eventually("the server has all of it", [&] {
    const auto count = read(peer, bytes.data(), bytes.size());
    arrived += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    connection.flush();
    return arrived > much.size() && !connection.has_unsent();
  });
  EXPECT_FALSE(connection.wants() & POLLOUT);
  close(peer);
}

TEST(AsyncConnection, WaitsForAReplyButNotForLonger) {
  constexpr std::chrono::milliseconds little{20};
  const Listener listener;
  AsyncConnection connection(listener.address());
  const int peer = listener.accept();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(connection.receive_within(little));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, little);
  EXPECT_FALSE(connection.broken());
  ASSERT_EQ(write(peer, ":1\r\n", 4), 4);
  EXPECT_TRUE(connection.receive_within(core::longest_wait));
  EXPECT_EQ(connection.next().value().integer(), 1);
  // A later `receive()` does not wait.
  EXPECT_FALSE(connection.receive());
  close(peer);
  EXPECT_FALSE(connection.receive_within(core::longest_wait));
  EXPECT_TRUE(connection.broken());
}

TEST(AsyncConnection, ReadsAReplyThatCameWhileStopped) {
  const Listener listener;
  AsyncConnection connection(listener.address());
  const int peer = listener.accept();
  const auto child = fork();
  if (child == 0) _exit(connection.receive_within(core::longest_wait) ? 0 : 1);
  core::eventually("the child waits", [&] { return core::state_of(child) == 'S'; });
  kill(child, SIGSTOP);
  core::eventually("the child is stopped", [&] { return core::state_of(child) == 'T'; });
  EXPECT_EQ(write(peer, ":1\r\n", 4), 4);
  kill(child, SIGCONT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  close(peer);
}

TEST(AsyncConnection, DoesNotWaitForTheReplyBefore) {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ASSERT_EQ(bind(server, reinterpret_cast<const sockaddr*>(&name), size), 0);
  ASSERT_EQ(listen(server, 1), 0);
  ASSERT_EQ(getsockname(server, reinterpret_cast<sockaddr*>(&name), &size), 0);
  const AsyncConnection connection(
      {.host = "127.0.0.1", .port = ntohs(name.sin_port), .unix_path = {}});
  int no_delay = 0;
  socklen_t bytes = sizeof no_delay;
  ASSERT_EQ(getsockopt(connection.descriptor(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &bytes), 0);
  EXPECT_NE(no_delay, 0);
  close(server);
}

TEST(AsyncConnection, OutlivesAServerThatHangsUp) {
  const auto write_to_the_dead = [] {
    std::signal(SIGPIPE, SIG_DFL);
    const Listener listener;
    AsyncConnection connection(listener.address());
    close(listener.accept());
    for (int i = 0; i < 3; ++i) {
      connection.send(ping);
      connection.flush();
    }
    return connection.broken();
  };
  // exit() is outside: the listener must remove its socket first.
  EXPECT_EXIT(std::exit(write_to_the_dead() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
