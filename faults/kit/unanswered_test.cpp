#include "faults/kit/unanswered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/kit/command_names.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;

// For each message of `stream`: the command of `sent` that it answers, or its kind, if it is a
// push.
std::vector<std::string> answered(const std::vector<std::vector<std::string>>& sent,
                                  const std::string& stream) {
  UnansweredCommands commands;
  RespReader reader;
  for (const auto& words : sent) {
    const Message command{.bytes = {}, .words = words};
    commands.add({.name = command_name(command), .label = {}}, command);
  }
  std::vector<std::string> names;
  reader.feed(stream);
  while (const auto message = reader.next()) {
    const auto command = commands.answered_by(*message);
    names.push_back(command ? command->name : push_name(*message));
  }
  names.push_back(commands.empty()        ? "all answered"
                  : commands.only_block() ? "none is due"
                                          : "some left");
  return names;
}

std::string as_push(const std::string& array) {
  return ">" + array.substr(1);
}

TEST(Unanswered, AreAnsweredInOrder) {
  EXPECT_THAT(answered({{"get", "a"}, {"DEL", "b"}}, "$-1\r\n:1\r\n"),
              ElementsAre("GET", "DEL", "all answered"));
}

TEST(Unanswered, OfWhichTheirClientWaitsAreNotDue) {
  EXPECT_THAT(answered({{"GET", "a"}, {"blpop", "b", "8"}}, "$-1\r\n"),
              ElementsAre("GET", "none is due"));
  EXPECT_THAT(answered({{"BLPOP", "b", "8"}, {"GET", "a"}}, ""), ElementsAre("some left"));
}

TEST(Unanswered, AreNotAnsweredByAPush) {
  const auto pushes = as_push(resp({"invalidate", "key"})) + as_push(resp({"message", "x", "y"}));
  EXPECT_THAT(answered({{"GET", "a"}}, pushes + "_\r\n"),
              ElementsAre("invalidate", "message", "GET", "all answered"));
}

TEST(Unanswered, ASubscriptionIsConfirmedByAPush) {
  const auto confirmed = as_push("*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n");
  const auto published = as_push(resp({"message", "x", "y"}));
  EXPECT_THAT(answered({{"SUBSCRIBE", "x"}, {"GET", "a"}}, confirmed + published + ":1\r\n"),
              ElementsAre("SUBSCRIBE", "message", "GET", "all answered"));
}

TEST(Unanswered, ASubscriptionIsConfirmedForEachChannel) {
  const std::string confirmed = "*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n";
  const auto published = resp({"message", "x", "y"});
  EXPECT_THAT(answered({{"SUBSCRIBE", "x", "y"}, {"PING"}},
                       confirmed + published + confirmed + "+PONG\r\n"),
              ElementsAre("SUBSCRIBE", "message", "SUBSCRIBE", "PING", "all answered"));
  EXPECT_THAT(answered({{"SUBSCRIBE", "x", "y"}}, "-NOPERM no\r\n"),
              ElementsAre("SUBSCRIBE", "all answered"));
}

TEST(Unanswered, WithoutASubscriptionAnArrayIsAnAnswer) {
  EXPECT_THAT(answered({{"LRANGE", "a", "0", "2"}}, resp({"message", "x", "y"})),
              ElementsAre("LRANGE", "all answered"));
}

TEST(Unanswered, TakesAPatternsMessageForAPush) {
  const auto published = resp({"pmessage", "*", "x", "y"});
  EXPECT_THAT(answered({{"PSUBSCRIBE", "*"}}, published), ElementsAre("message", "some left"));
}

}  // namespace
}  // namespace faults
