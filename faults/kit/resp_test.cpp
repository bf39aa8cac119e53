#include "faults/kit/resp.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<Message> everything_in(RespReader& reader) {
  std::vector<Message> messages;
  while (auto message = reader.next()) messages.push_back(std::move(*message));
  return messages;
}

std::vector<Message> read_at_once(std::string_view bytes) {
  RespReader reader;
  reader.feed(bytes);
  return everything_in(reader);
}

std::vector<Message> read_in_pieces(std::string_view bytes,
                                    const std::function<std::size_t()>& piece) {
  RespReader reader;
  std::vector<Message> messages;
  while (!bytes.empty()) {
    const auto size = std::min(piece(), bytes.size());
    reader.feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
    for (auto& message : everything_in(reader)) messages.push_back(std::move(message));
  }
  return messages;
}

std::vector<std::string> bytes_of(const std::vector<Message>& messages) {
  std::vector<std::string> bytes;
  for (const auto& message : messages) bytes.push_back(message.bytes);
  return bytes;
}

std::string bulk(const std::string& text) {
  return fmt::format("${}\r\n{}\r\n", text.size(), text);
}

// One message of any kind, nested up to `depth`.
std::string random_message(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 7U : 6U)) {
    case 0: return "+OK\r\n";
    case 1: return "-ERR no\r\n";
    case 2: return fmt::format(":{}\r\n", static_cast<int>(random() % 2'000) - 1'000);
    case 3: return "$-1\r\n";
    case 4: return "*-1\r\n";
    case 5: return bulk(noise(random() % 200, static_cast<unsigned>(random())));
    default: break;
  }
  const auto parts = random() % 4;
  auto text = fmt::format("*{}\r\n", parts);
  for (std::size_t i = 0; i < parts; ++i) text += random_message(random, depth - 1);
  return text;
}

TEST(Resp, FindsTheSameMessagesInSingleBytes) {
  const std::vector<std::string> sent{resp({"SET", "key", "value"}), "+OK\r\n", ":7\r\n"};
  const auto got = read_in_pieces(sent[0] + sent[1] + sent[2], [] { return 1U; });
  EXPECT_EQ(bytes_of(got), sent);
}

TEST(Resp, FindsTheSameMessagesGluedTogether) {
  const std::vector<std::string> sent{resp({"GET", "key"}), "$-1\r\n", "-ERR no\r\n"};
  EXPECT_EQ(bytes_of(read_at_once(sent[0] + sent[1] + sent[2])), sent);
}

TEST(Resp, FindsTheSameMessagesInAnyPieces) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> sent;
    std::string stream;
    for (int i = 0; i < 10; ++i) stream += sent.emplace_back(random_message(random, 3));
    const auto longest = 1 + random() % 300;
    const auto got = read_in_pieces(stream, [&] { return 1 + random() % longest; });
    ASSERT_EQ(bytes_of(got), sent) << "round " << round;
  }
}

TEST(Resp, SaysNothingBeforeAMessageIsWhole) {
  const auto command = resp({"GET", "key"});
  EXPECT_THAT(read_at_once(command.substr(0, command.size() - 1)), SizeIs(0));
}

TEST(Resp, GivesTheWordsOfACommand) {
  const std::string odd("a\r\n\0b", 5);
  const auto got = read_at_once(resp({"SET", "", odd}));
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_THAT(got[0].words, ElementsAre("SET", "", odd));
}

TEST(Resp, GivesTheOneWordOfEveryOtherReply) {
  const auto got = read_at_once("+OK\r\n-ERR no\r\n:-3\r\n$-1\r\n$0\r\n\r\n");
  ASSERT_THAT(got, SizeIs(5));
  EXPECT_THAT(got[0].words, ElementsAre("OK"));
  EXPECT_THAT(got[1].words, ElementsAre("error ERR no"));
  EXPECT_THAT(got[2].words, ElementsAre("-3"));
  EXPECT_THAT(got[3].words, ElementsAre("nil"));
  EXPECT_THAT(got[4].words, ElementsAre(""));
}

TEST(Resp, ShowsHowALongNameEndsUnlessItIsByChance) {
  const std::string token = "0123456789abcdef0123456789abcdef";
  const auto got =
      read_at_once(bulk(token) + bulk("client-" + token) + bulk("return 'a script'") +
                   bulk("1234-a98765") + bulk("1234-abcd-98765432") + bulk("1234567890123"));
  ASSERT_THAT(got, SizeIs(6));
  EXPECT_EQ(got[0].text(), "0123…");
  EXPECT_EQ(got[1].text(), "clie…cdef");
  EXPECT_EQ(got[2].text(), "retu…");
  EXPECT_EQ(got[3].text(), "1234-a98765");
  EXPECT_EQ(got[4].text(), "1234…-98765432");  // no number, and it shows
  EXPECT_EQ(got[5].text(), "1234…0123");
}

TEST(Resp, ShowsPeopleEnoughOfAnErrorToKnowIt) {
  const auto got =
      read_at_once("-ERR value is not an integer or out of range\r\n" + bulk("0123456789abcdef"));
  ASSERT_THAT(got, SizeIs(2));
  EXPECT_EQ(got[0].text(), "error ERR value is not an integ…");
  EXPECT_EQ(got[1].text(), "0123…cdef");
}

TEST(Resp, ShowsNoPassword) {
  const auto got = read_at_once(resp({"auth", "locker", "opensesame"}) +
                                resp({"HELLO", "3", "AUTH", "locker", "opensesame"}) +
                                resp({"SET", "AUTH", "text"}) + resp({"AUTH", "opensesame"}));
  ASSERT_THAT(got, SizeIs(4));
  EXPECT_EQ(got[0].text(), "auth …");
  EXPECT_EQ(got[1].text(), "HELLO 3 AUTH …");
  EXPECT_EQ(got[2].text(), "SET AUTH text");
  EXPECT_EQ(got[3].text(), "AUTH …");
}

TEST(Resp, GivesTheWordsOfANestedArray) {
  const auto got = read_at_once("*3\r\n:1\r\n*2\r\n+a\r\n+b\r\n*-1\r\n");
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_THAT(got[0].words, ElementsAre("1", "[2 parts]", "nil"));
}

TEST(Resp, CarriesAMessageLargerThanAnyBuffer) {
  const auto large = bulk(noise(20 << 20, 1));
  const auto got = read_in_pieces(large + "+OK\r\n", [] { return 16'384U; });
  ASSERT_THAT(got, SizeIs(2));
  EXPECT_TRUE(got[0].bytes == large);
  EXPECT_EQ(got[1].bytes, "+OK\r\n");
}

TEST(Resp, PassesOnGarbageAsUnreadable) {
  RespReader reader;
  reader.feed("+OK\r\n*1\r\n$garbage\r\n");
  const auto first = everything_in(reader);
  ASSERT_THAT(first, SizeIs(2));
  EXPECT_TRUE(first[0].readable);
  EXPECT_FALSE(first[1].readable);
  EXPECT_EQ(first[1].bytes, "*1\r\n$garbage\r\n");
  reader.feed("+OK\r\n");
  const auto later = everything_in(reader);
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_FALSE(later[0].readable);
  EXPECT_EQ(later[0].bytes, "+OK\r\n");
}

TEST(Resp, LosesNoByteOfGarbageHoweverItIsCut) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  for (unsigned round = 0; round < 200; ++round) {
    // An unknown type byte: nothing after it makes sense.
    const auto stream = resp({"GET", "key"}) + "x" + noise(random() % 500, round);
    std::string got;
    for (const auto& message : read_in_pieces(stream, [&] { return 1 + random() % 50; })) {
      got += message.bytes;
    }
    ASSERT_TRUE(got == stream) << "round " << round;
  }
}

TEST(Resp, TextForPeopleIsShortAndPrintable) {
  const auto got = read_at_once(resp({"SET", std::string("\x1b[2J\0", 5), std::string(40, 'a')}));
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_EQ(got[0].text(), "SET \\x1b[2J\\x00 aaaa…");
  EXPECT_EQ(read_at_once("garbage")[0].text(), "7 bytes");
}

}  // namespace
}  // namespace faults
