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

std::string text_of(char type, const std::string& text) {
  return fmt::format("{}{}\r\n{}\r\n", type, text.size(), text);
}

std::string random_scalar(std::mt19937& random) {
  const auto text = noise(1 + random() % 200, static_cast<unsigned>(random()));
  const std::vector<std::string> all{
      "+OK\r\n",
      "-ERR no\r\n",
      ":-12\r\n",
      "$-1\r\n",
      "*-1\r\n",
      "_\r\n",
      "#t\r\n",
      ",1.5\r\n",
      "(123456789012345678901\r\n",
      bulk(text),
      text_of('!', "ERR no"),
      text_of('=', "txt:" + text),
      "$?\r\n" + text_of(';', text) + text_of(';', "end") + ";0\r\n"};
  return all[random() % all.size()];
}

// One message of any kind, nested up to `depth`.
std::string random_message(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 3 == 0) return random_scalar(random);
  const char type = std::string_view("*%~>|")[random() % 5];
  const auto count = random() % 4;
  const bool in_pairs = type == '%' || type == '|';
  std::string parts;
  for (std::size_t i = 0; i < (in_pairs ? 2 * count : count); ++i) {
    parts += random_message(random, depth - 1);
  }
  if (type == '|') {  // and what it is about
    return fmt::format("|{}\r\n{}", count, parts) + random_message(random, depth - 1);
  }
  if (random() % 2 == 0) return fmt::format("{}?\r\n{}.\r\n", type, parts);
  return fmt::format("{}{}\r\n{}", type, count, parts);
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

TEST(Resp, GivesTheWordsOfResp3AsResp2Would) {
  const auto got = read_at_once(
      "%2\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n~2\r\n+a\r\n+b\r\n_\r\n#t\r\n#f\r\n,1.5\r\n" +
      std::string("(12345678901234567890\r\n!6\r\nERR no\r\n=8\r\ntxt:text\r\n"));
  ASSERT_THAT(got, SizeIs(9));
  EXPECT_THAT(got[0].words, ElementsAre("server", "redis", "proto", "3"));
  EXPECT_THAT(got[1].words, ElementsAre("a", "b"));
  EXPECT_THAT(got[2].words, ElementsAre("nil"));
  EXPECT_THAT(got[3].words, ElementsAre("1"));
  EXPECT_THAT(got[4].words, ElementsAre("0"));
  EXPECT_THAT(got[5].words, ElementsAre("1.5"));
  EXPECT_THAT(got[6].words, ElementsAre("12345678901234567890"));
  EXPECT_THAT(got[7].words, ElementsAre("error ERR no"));
  EXPECT_THAT(got[8].words, ElementsAre("text"));
}

TEST(Resp, GivesNoWordsOfAttributes) {
  const std::string about_all = "|1\r\n+ttl\r\n*2\r\n:1\r\n:2\r\n*2\r\n";
  const std::string about_a_part = "|1\r\n+ttl\r\n:3600\r\n";
  const auto stream = about_all + about_a_part + ":2039\r\n%1\r\n+a\r\n+b\r\n";
  const auto got = read_at_once(stream + "|0\r\n:7\r\n");
  ASSERT_THAT(got, SizeIs(2));
  EXPECT_EQ(got[0].bytes, stream);
  EXPECT_THAT(got[0].words, ElementsAre("2039", "[2 parts]"));
  EXPECT_THAT(got[1].words, ElementsAre("7"));
}

TEST(Resp, GivesTheWordsOfWhatIsStreamed) {
  const auto got = read_at_once("$?\r\n;4\r\nHell\r\n;1\r\no\r\n;0\r\n" +
                                std::string("%?\r\n+a\r\n*?\r\n:1\r\n.\r\n.\r\n"));
  ASSERT_THAT(got, SizeIs(2));
  EXPECT_THAT(got[0].words, ElementsAre("Hello"));
  EXPECT_THAT(got[1].words, ElementsAre("a", "[parts]"));
}

TEST(Resp, TellsAPushFromAReply) {
  const auto got =
      read_at_once(">2\r\n+invalidate\r\n*1\r\n+key\r\n*2\r\n>1\r\n:1\r\n:2\r\n+OK\r\n");
  ASSERT_THAT(got, SizeIs(3));
  EXPECT_TRUE(got[0].is_push);
  EXPECT_THAT(got[0].words, ElementsAre("invalidate", "[1 parts]"));
  EXPECT_FALSE(got[1].is_push);
  EXPECT_FALSE(got[2].is_push);
}

TEST(Resp, ReadsNothingThatNoServerSends) {
  for (const auto* nonsense : {"$-2\r\n", "*-2\r\n", "%-1\r\n", "*x\r\n", "$1x\r\n", ".\r\n",
                               ";4\r\nHell\r\n", "$?\r\n+OK\r\n", "*1\r\n.\r\n"}) {
    const auto got = read_at_once(nonsense);
    ASSERT_THAT(got, SizeIs(1)) << nonsense;
    EXPECT_FALSE(got[0].readable) << nonsense;
  }
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
