// `core::Server` against a real redis-server, behind a link that can lose what is on its way.
#include "core/server.h"

#include <gmock/gmock.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <latch>
#include <thread>

#include "core/error.h"
#include "faults/testing/eventually.h"
#include "faults/testing/redis_test.h"

namespace {

using core::Script;
using core::Server;
using faults::Action;
using faults::Direction;
using faults::eventually;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_view_literals;

// Its SHA-1 as `printf '...' | sha1sum` says it.
constexpr Script join{.name = "join.lua",
                      .sha1 = "facee73595c1e83e3ea47cba8d250fc2710fd050",
                      .text = "return ARGV[1] .. KEYS[1]"};

class ServerTest : public faults::RedisTest {
 protected:
  // How many connections the server has taken so far.
  long long connections() {
    const auto reply = redis().direct().command({"INFO", "stats"});
    const auto at = reply.text().find("total_connections_received:");
    return std::stoll(std::string(reply.text().substr(at + 27, 20)));
  }

  // A connection that lies idle for longer than this is looked at before it is used again.
  static void let_connections_grow_old() { std::this_thread::sleep_for(milliseconds(120)); }
};

using ServerReply = ServerTest;
using ServerError = ServerTest;
using ServerPool = ServerTest;
using ServerScript = ServerTest;

// What `task` throws, as its sentence; fails the test if it throws something else, or nothing.
template <typename Error, typename Task>
std::string sentence_of(Task task) {
  try {
    task();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// What is under `key`, or nothing if the reply was lost.
std::string answer_of(Server& server, std::string_view key) {
  try {
    return std::string(server.command({"GET", key}).text());
  } catch (const core::LostReply&) {
    return {};
  }
}

TEST_F(ServerReply, TellsItsKindsApart) {
  EXPECT_TRUE(server().command({"SET", "key", "text"}).is_ok());
  EXPECT_EQ(server().command({"GET", "key"}).text(), "text");
  EXPECT_EQ(server().command({"STRLEN", "key"}).integer(), 4);
  EXPECT_TRUE(server().command({"GET", "other"}).is_nil());
  EXPECT_FALSE(server().command({"GET", "key"}).is_nil());
  EXPECT_FALSE(server().command({"PING"}).is_ok());
  EXPECT_EQ(server().command({"GET", "key"}).integer(), 0);
}

TEST_F(ServerReply, IsNotOkBecauseAStringSaysSo) {
  server().command({"SET", "key", "OK"});
  EXPECT_FALSE(server().command({"GET", "key"}).is_ok());
}

TEST_F(ServerReply, HoldsAnyByte) {
  const auto key = "a\0b\r\n$3\xff"sv;
  const auto text = "\r\n\0 \x80"sv;
  server().command({"SET", key, text});
  EXPECT_EQ(server().command({"GET", key}).text(), text);
  EXPECT_TRUE(server().command({"GET", "a"}).is_nil());
}

TEST_F(ServerReply, HoldsNothingAtAll) {
  server().command({"SET", "key", ""});
  const auto reply = server().command({"GET", "key"});
  EXPECT_FALSE(reply.is_nil());
  EXPECT_EQ(reply.text(), "");
}

TEST_F(ServerReply, ComesToACommandOfManyWords) {
  server().command({"RPUSH", "list", "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",
                    "10",    "11",   "12", "13", "14", "15", "16", "17", "18", "19", "20"});
  EXPECT_EQ(server().command({"LLEN", "list"}).integer(), 20);
  EXPECT_EQ(server().command({"LINDEX", "list", "-1"}).text(), "20");
}

TEST(ServerAddress, IsNotConnectedToBeforeTheFirstCommand) {
  const Server server({.host = {}, .port = 0, .unix_path = "/nonexistent/redis.sock"});
  EXPECT_EQ(server.address().text(), "unix:/nonexistent/redis.sock");
}

TEST(ServerAddress, WithNobodyThereIsUnreachable) {
  asio::io_context context;
  asio::ip::tcp::acceptor bound(context, asio::ip::tcp::v4());  // and not listening
  bound.bind({asio::ip::make_address("127.0.0.1"), 0});
  Server server({.host = "127.0.0.1", .port = bound.local_endpoint().port(), .unix_path = {}});
  const auto sentence = sentence_of<core::Unreachable>([&] { server.command({"PING"}); });
  EXPECT_THAT(sentence, HasSubstr("cannot connect to " + server.address().text()));
}

TEST_F(ServerError, IsUnreachableOnceTheServerIsGone) {
  redis().kill();
  Server fresh(redis().address());
  EXPECT_THROW(fresh.command({"PING"}), core::Unreachable);
}

TEST_F(ServerError, IsTheServersOwnWhenItRefuses) {
  server().command({"RPUSH", "list", "item"});
  const auto sentence = sentence_of<core::ErrorReply>([&] { server().command({"GET", "list"}); });
  EXPECT_THAT(sentence, HasSubstr("GET: WRONGTYPE"));
}

TEST_F(ServerError, IsALostReplyWhenTheServerIsSilent) {
  Server hasty(redis().address(), {.command = milliseconds(50)});
  redis().freeze();
  const auto start = std::chrono::steady_clock::now();
  const auto sentence = sentence_of<core::LostReply>([&] { hasty.command({"INCR", "number"}); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
  EXPECT_THAT(sentence, HasSubstr("to INCR: timed out"));
  redis().thaw();
  eventually("the command is applied after all", [&] { return value("number") == "1"; });
}

TEST_F(ServerError, IsALostReplyWhenTheConnectionBreaks) {
  const auto reset = link().arm({.direction = Direction::reply, .command = "INCR"}, Action::reset);
  EXPECT_THROW(server().command({"INCR", "number"}), core::LostReply);
  EXPECT_EQ(value("number"), "1");
}

TEST_F(ServerError, IsALostReplyAlsoWhenTheCommandNeverArrived) {
  const auto reset =
      link().arm({.direction = Direction::command, .command = "INCR"}, Action::reset);
  EXPECT_THROW(server().command({"INCR", "number"}), core::LostReply);
  EXPECT_EQ(value("number"), std::nullopt);
}

TEST_F(ServerError, IsALostReplyWhenTheServerDiesBeforeItAnswers) {
  std::jthread waiter([&] {
    EXPECT_THROW(server().command({"BLPOP", "list", "0"}), core::LostReply);
  });
  eventually("the server has the command", [&] {
    return redis().direct().command({"INFO", "clients"}).text().find("blocked_clients:1") !=
           std::string_view::npos;
  });
  redis().kill();
}

TEST_F(ServerError, DoesNotEndTheProcessBySigpipe) {
  Server straight(redis().address());
  straight.command({"PING"});
  redis().kill();
  EXPECT_THROW(straight.command({"PING"}), core::ServerError);
  EXPECT_THROW(straight.command({"PING"}), core::Unreachable);
}

// In a process of its own, where no earlier connection has seen to it.
TEST(ServerDeathTest, KeepsSigpipeFromEndingTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto connect_and_raise = [] {
    std::signal(SIGPIPE, SIG_DFL);
    Server server({.host = {}, .port = 0, .unix_path = "/nonexistent/redis.sock"});
    EXPECT_THROW(server.command({"PING"}), core::Unreachable);
    std::raise(SIGPIPE);
    std::exit(0);
  };
  EXPECT_EXIT(connect_and_raise(), testing::ExitedWithCode(0), "");
}

TEST_F(ServerError, LeavesTheServerUsable) {
  {
    const auto reset = link().arm({.direction = Direction::reply}, Action::reset);
    EXPECT_THROW(server().command({"PING"}), core::LostReply);
  }
  EXPECT_EQ(server().command({"PING"}).text(), "PONG");
}

TEST_F(ServerPool, UsesItsConnectionAgain) {
  server().command({"PING"});
  const auto before = connections();
  for (int i = 0; i < 20; ++i) server().command({"PING"});
  EXPECT_EQ(connections(), before);
}

TEST_F(ServerPool, KeepsAConnectionThatWasToldAnError) {
  server().command({"RPUSH", "list", "item"});
  const auto before = connections();
  for (int i = 0; i < 5; ++i) EXPECT_THROW(server().command({"GET", "list"}), core::ErrorReply);
  EXPECT_EQ(connections(), before);
}

TEST_F(ServerPool, KeepsAConnectionThatLayIdle) {
  server().command({"PING"});
  const auto before = connections();
  let_connections_grow_old();
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

TEST_F(ServerPool, LetsOneThreadAskWhileAnotherWaits) {
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

TEST_F(ServerPool, NeverTakesALateReplyForTheNextAnswer) {
  redis().direct().command({"MSET", "asked first", "late", "asked next", "right"});
  Server hasty(link().address(), {.command = milliseconds(100)});
  auto held = link().arm({.direction = Direction::reply, .command = "GET"}, Action::hold);
  EXPECT_THROW(hasty.command({"GET", "asked first"}), core::LostReply);
  held.await(milliseconds(10'000));
  held.deliver();
  std::string answer;
  eventually("the next question is answered in time", [&] {
    answer = answer_of(hasty, "asked next");
    return !answer.empty();
  });
  EXPECT_EQ(answer, "right");
}

TEST_F(ServerPool, DoesNotUseAConnectionWithSomethingUnread) {
  server().command({"PING"});
  const auto before = connections();
  server().command({"SUBSCRIBE", "news"});
  redis().direct().command({"PUBLISH", "news", "a push that nobody asked for"});
  let_connections_grow_old();
  EXPECT_EQ(server().command({"PING"}).text(), "PONG");
  EXPECT_EQ(connections(), before + 1);
}

TEST_F(ServerPool, IsNotMisledByARestartedServer) {
  Server straight(redis().address());
  straight.command({"PING"});
  redis().kill();
  redis().start();
  let_connections_grow_old();
  EXPECT_EQ(straight.command({"PING"}).text(), "PONG");
}

TEST_F(ServerPool, ForgetsEveryConnectionThatHasDied) {
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
  let_connections_grow_old();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(server().command({"PING"}).text(), "PONG");
}

TEST_F(ServerScript, IsSentAsTextOnlyToAServerThatDoesNotKnowIt) {
  const auto run = [&] {
    EXPECT_EQ(server().run(join, {"key"}, {"argument "}).text(), "argument key");
  };
  EXPECT_THAT(names_during(run), ElementsAre("EVALSHA", "EVAL"));
  EXPECT_THAT(names_during(run), ElementsAre("EVALSHA"));
  redis().direct().command({"SCRIPT", "FLUSH"});
  EXPECT_THAT(names_during(run), ElementsAre("EVALSHA", "EVAL"));
  EXPECT_THAT(names_during(run), ElementsAre("EVALSHA"));
}

TEST_F(ServerScript, TakesKeysAndArgumentsOfAnyBytes) {
  const auto key = "\0\r\n"sv;
  EXPECT_EQ(server().run(join, {key}, {"\xff\0"sv}).text(), "\xff\0\0\r\n"sv);
}

TEST_F(ServerScript, NamesItsFileWhenItFails) {
  constexpr Script wrong{.name = "wrong.lua",
                         .sha1 = "0000000000000000000000000000000000000000",
                         .text = "return redis.call('INCR', KEYS[1])"};
  server().command({"SET", "key", "text"});
  const auto sentence = sentence_of<core::ErrorReply>([&] { server().run(wrong, {"key"}, {}); });
  EXPECT_THAT(sentence, HasSubstr("wrong.lua: "));
}

TEST_F(ServerScript, IsALostReplyWhenItsAnswerIsLost) {
  const auto reset = link().arm({.direction = Direction::reply, .command = "EVAL"}, Action::reset);
  EXPECT_THROW(server().run(join, {"key"}, {"argument"}), core::LostReply);
}

}  // namespace
