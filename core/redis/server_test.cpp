// `core::Server` against a real redis-server, through a link that can lose commands and replies.
#include "core/redis/server.h"

#include <gmock/gmock.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "core/waiting.h"
#include "faults/testing/redis_test.h"

namespace {

using core::eventually;
using core::Script;
using core::Server;
using faults::Action;
using faults::Direction;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_view_literals;

// The SHA-1 is from `printf '...' | sha1sum`.
constexpr Script join{.name = "join.lua",
                      .sha1 = "facee73595c1e83e3ea47cba8d250fc2710fd050",
                      .text = "return ARGV[1] .. KEYS[1]"};

using ServerReply = faults::RedisTest;
using ServerError = faults::RedisTest;
using ServerScript = faults::RedisTest;
using ServerStarted = faults::RedisTest;

// The sentence of the `Error` that `task` throws; fails the test if it throws none.
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

TEST_F(ServerReply, TellsItsKindsApart) {
  EXPECT_TRUE(server().command({"SET", "key", "text"}).is_ok());
  EXPECT_EQ(server().command({"GET", "key"}).text(), "text");
  EXPECT_EQ(server().command({"STRLEN", "key"}).integer(), 4);
  EXPECT_TRUE(server().command({"GET", "other"}).is_nil());
  EXPECT_FALSE(server().command({"GET", "key"}).is_nil());
  EXPECT_FALSE(server().command({"PING"}).is_ok());
  EXPECT_EQ(server().command({"GET", "key"}).integer(), 0);
}

TEST_F(ServerReply, IsNotOkForAStringThatSaysOk) {
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

TEST_F(ServerReply, HoldsAnEmptyString) {
  server().command({"SET", "key", ""});
  const auto reply = server().command({"GET", "key"});
  EXPECT_FALSE(reply.is_nil());
  EXPECT_EQ(reply.text(), "");
}

TEST_F(ServerReply, AnswersACommandOfManyWords) {
  server().command({"RPUSH", "list", "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",
                    "10",    "11",   "12", "13", "14", "15", "16", "17", "18", "19", "20"});
  EXPECT_EQ(server().command({"LLEN", "list"}).integer(), 20);
  EXPECT_EQ(server().command({"LINDEX", "list", "-1"}).text(), "20");
}

TEST(ServerAddress, IsNotConnectedToBeforeTheFirstCommand) {
  const Server server({.host = {}, .port = 0, .unix_path = "/nonexistent/redis.sock"});
  EXPECT_EQ(server.address().text(), "unix:/nonexistent/redis.sock");
}

TEST(ServerAddress, WithoutAListenerIsUnreachable) {
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

TEST_F(ServerError, HasTheServersReason) {
  server().command({"RPUSH", "list", "item"});
  const auto sentence = sentence_of<core::ErrorReply>([&] { server().command({"GET", "list"}); });
  EXPECT_THAT(sentence, HasSubstr("GET: WRONGTYPE"));
}

TEST_F(ServerError, IsALostReplyWhenTheServerIsSilent) {
  Server impatient(redis().address(), {.command = milliseconds(50)});
  redis().freeze();
  // A wait without a limit fails the test then, and does not hang it.
  const std::jthread thaw_in_the_end([&](const std::stop_token& stop) {
    if (core::pause_for(std::chrono::seconds(10), stop)) redis().thaw();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto sentence = sentence_of<core::LostReply>([&] {
    impatient.command({"INCR", "number"});
  });
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

TEST_F(ServerError, IsALostReplyIfTheCommandIsLost) {
  const auto reset =
      link().arm({.direction = Direction::command, .command = "INCR"}, Action::reset);
  EXPECT_THROW(server().command({"INCR", "number"}), core::LostReply);
  EXPECT_EQ(value("number"), std::nullopt);
}

TEST_F(ServerError, IsALostReplyWhenTheServerDies) {
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

// In a new process, where no earlier connection has changed the signal.
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

TEST_F(ServerScript, IsSentAsTextOnlyIfUnknown) {
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

TEST_F(ServerScript, IsSentOnceIfItFails) {
  constexpr Script fails{.name = "fails.lua",
                         .sha1 = "61636018f4e6b5817b89791bbed242f93fa089e3",
                         .text = "return redis.call('INCR', KEYS[1])"};
  server().command({"SET", "key", "text"});
  const auto run = [&] { EXPECT_THROW(server().run(fails, {"key"}, {}), core::ErrorReply); };
  run();
  EXPECT_THAT(names_during(run), ElementsAre("EVALSHA"));
}

TEST_F(ServerScript, IsALostReplyWhenItsAnswerIsLost) {
  const auto reset = link().arm({.direction = Direction::reply, .command = "EVAL"}, Action::reset);
  EXPECT_THROW(server().run(join, {"key"}, {"argument"}), core::LostReply);
}

TEST_F(ServerStarted, IsSentAtOnceAndAnsweredLater) {
  const auto before = link().commands_seen().size();
  const auto started = server().start(join, {"key"}, {"a "});
  eventually("it is sent", [&] { return link().commands_seen().size() > before; });
  EXPECT_EQ(server().command({"ECHO", "between"}).text(), "between");
  EXPECT_EQ(started->finish().text(), "a key");
}

TEST_F(ServerStarted, GoesRightAfterTheNextCommand) {
  (void)server().run(join, {"key"}, {"argument"});
  const auto started = server().start_with_next(join, {"key"}, {"b "});
  std::string reply;
  const auto next = [&] { reply = server().command({"ECHO", "first"}).text(); };
  EXPECT_THAT(names_during(next), ElementsAre("ECHO", "EVALSHA"));
  EXPECT_EQ(reply, "first");
  EXPECT_THAT(names_during([&] { EXPECT_EQ(started->finish().text(), "b key"); }), IsEmpty());
  EXPECT_THAT(names_during(next), ElementsAre("ECHO"));
}

TEST_F(ServerStarted, IsSentByItselfWithoutANextCommand) {
  const auto started = server().start_with_next(join, {"key"}, {"c "});
  EXPECT_EQ(redis().direct().command({"ECHO", "another server"}).text(), "another server");
  EXPECT_THAT(names_during([&] { EXPECT_EQ(started->finish().text(), "c key"); }),
              testing::Not(IsEmpty()));
}

TEST_F(ServerStarted, IsSentAsTextIfUnknown) {
  const auto started = server().start_with_next(join, {"key"}, {"d "});
  (void)server().command({"ECHO", "first"});
  EXPECT_THAT(names_during([&] { EXPECT_EQ(started->finish().text(), "d key"); }),
              ElementsAre("EVAL"));
}

TEST_F(ServerStarted, IsForgottenWithItsOwner) {
  const auto before = link().commands_seen().size();
  (void)server().start_with_next(join, {"key"}, {"e "});
  const auto later = server().start(join, {"key"}, {"f "});  // maybe in the same place in memory
  eventually("it is sent", [&] { return link().commands_seen().size() > before; });
  EXPECT_THAT(names_during([&] {
                (void)server().command({"ECHO", "alone"});
              }),
              ElementsAre("ECHO"));
}

TEST_F(ServerStarted, DoesNotTakeTheFirstReplyAlong) {
  (void)server().run(join, {"key"}, {"argument"});
  const auto started = server().start_with_next(join, {"key"}, {"f "});
  const auto reset =
      link().arm({.direction = Direction::reply, .command = "EVALSHA"}, Action::reset);
  EXPECT_EQ(server().command({"ECHO", "first"}).text(), "first");
  EXPECT_THROW((void)started->finish(), core::LostReply);
}

}  // namespace
