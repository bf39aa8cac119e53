#include "faults/kit/storage.h"

#include <array>

#include "core/redis/connection.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

class StorageTest : public KitTest {
 protected:
  core::Reply ask(std::vector<std::string_view> words) { return connection.command(words); }

  Storage storage{loop, history};
  core::Connection connection{storage.address(), {.connect = test_limit, .command = test_limit}};
};

TEST_F(StorageTest, AnAccountIsZeroAtFirst) {
  EXPECT_EQ(ask({"READ", "account", "A"}).integer(), 0);
}

TEST_F(StorageTest, AWriteIsReadByAll) {
  EXPECT_TRUE(ask({"WRITE", "account", "A", "-7"}).is_ok());
  core::Connection other(storage.address(), {});
  const std::array<std::string_view, 3> read{"READ", "account", "B"};
  EXPECT_EQ(other.command(read).integer(), -7);
}

TEST_F(StorageTest, AccountsAreApart) {
  EXPECT_TRUE(ask({"WRITE", "one", "A", "1"}).is_ok());
  EXPECT_EQ(ask({"READ", "two", "A"}).integer(), 0);
}

TEST_F(StorageTest, BeginChangesNothing) {
  EXPECT_TRUE(ask({"WRITE", "account", "A", "5"}).is_ok());
  EXPECT_TRUE(ask({"BEGIN", "account", "A"}).is_ok());
  EXPECT_EQ(ask({"READ", "account", "A"}).integer(), 5);
}

// As client libraries of either version of the protocol begin.
TEST_F(StorageTest, GreetsAClientLibrary) {
  EXPECT_EQ(ask({"HELLO"}).parts(), 4U);
  EXPECT_EQ(ask({"CLIENT", "SETINFO", "LIB-NAME", "x"}).text(), "OK");
  EXPECT_EQ(ask({"ping"}).text(), "PONG");
  EXPECT_THAT(std::string(ask({"HELLO", "4"}).text()), StartsWith("NOPROTO"));
  const Wire with_resp3(storage.address());
  with_resp3.send(resp({"HELLO", "3"}) + resp({"READ", "account", "A"}));
  EXPECT_THAT(with_resp3.read(48), AllOf(StartsWith("%2\r\n"), EndsWith(":3\r\n:0\r\n")));
}

TEST_F(StorageTest, RefusesWhatIsNotACommandAndGoesOn) {
  for (const auto& words :
       std::vector<std::vector<std::string_view>>{{"READ", "account"},
                                                  {"BEGIN", "account"},
                                                  {"WRITE", "account", "A"},
                                                  {"WRITE", "account", "A", "1", "2", "3"},
                                                  {"READ", "account", "A", "1", "2"},
                                                  {"SET", "account", "1"},
                                                  {""}}) {
    EXPECT_THAT(std::string(ask(words).text()), StartsWith("ERR use READ"));
  }
  EXPECT_TRUE(ask({"WRITE", "account", "A", "1"}).is_ok());
}

TEST_F(StorageTest, RefusesAValueThatIsNoInteger) {
  for (const auto* value : {"", "one", "1x", " 1", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(ask({"WRITE", "account", "A", value}).text(), "ERR a value is an integer") << value;
  }
  EXPECT_EQ(ask({"READ", "account", "A"}).integer(), 0);
}

TEST_F(StorageTest, RefusesAnEmptyCommandAndGoesOn) {
  const Wire wire(storage.address());
  wire.send("*0\r\n*-1\r\n" + resp({"READ", "account", "A"}));
  EXPECT_THAT(wire.read_to_the_end_of(":0\r\n"), testing::EndsWith(":0\r\n"));
}

TEST_F(StorageTest, HangsUpOnGarbageAndServesTheNext) {
  const Wire wire(storage.address());
  wire.send("garbage\r\n");
  EXPECT_NE(wire.ending(), "open");
  EXPECT_EQ(ask({"READ", "account", "A"}).integer(), 0);
}

TEST_F(StorageTest, RefusesATokenThatIsNoInteger) {
  EXPECT_EQ(ask({"READ", "account", "A", "old"}).text(), "ERR a token is an integer");
}

// A has the older token.
TEST_F(StorageTest, RefusesAWriteAfterALaterHoldersWrite) {
  EXPECT_TRUE(ask({"WRITE", "account", "B", "1", "34"}).is_ok());
  EXPECT_EQ(ask({"WRITE", "account", "A", "2", "33"}).text(), "FENCED token 33 is older than 34");
  EXPECT_EQ(ask({"READ", "account", "B", "34"}).integer(), 1);
}

TEST_F(StorageTest, RefusesAWriteAfterALaterHoldersRead) {
  EXPECT_EQ(ask({"READ", "account", "B", "34"}).integer(), 0);
  EXPECT_TRUE(ask({"WRITE", "account", "A", "2", "33"}).is_error());
  EXPECT_TRUE(ask({"READ", "account", "A", "33"}).is_error());
  EXPECT_TRUE(ask({"WRITE", "account", "B", "1", "34"}).is_ok());
}

TEST_F(StorageTest, NotesWhatItRefuses) {
  (void)ask({"WRITE", "account", "B", "1", "34"});
  (void)ask({"WRITE", "account", "A", "2", "33"});
  const auto record = history.record();
  EXPECT_EQ(record.at(0).data.at("accepted"), true);
  EXPECT_EQ(record.at(1).data.at("accepted"), false);
  EXPECT_EQ(record.at(1).data.at("token"), 33);
}

TEST_F(StorageTest, ABeginIsNeverRefused) {
  (void)ask({"READ", "account", "B", "34"});
  EXPECT_TRUE(ask({"BEGIN", "account", "A", "33"}).is_ok());
  EXPECT_TRUE(ask({"WRITE", "account", "A", "1", "34"}).is_ok());
}

TEST_F(StorageTest, TakesWhatComesWithoutAToken) {
  (void)ask({"WRITE", "account", "B", "1", "34"});
  EXPECT_TRUE(ask({"WRITE", "account", "A", "2"}).is_ok());
  EXPECT_EQ(ask({"READ", "account", "A"}).integer(), 2);
}

TEST_F(StorageTest, FencesEachAccountAlone) {
  (void)ask({"WRITE", "one", "B", "1", "34"});
  EXPECT_TRUE(ask({"WRITE", "two", "A", "2", "33"}).is_ok());
}

TEST_F(StorageTest, FencingWritesOnlyIgnoresReads) {
  const Storage lax(loop, history, Fence::writes_only);
  core::Connection to_lax(lax.address(), {.connect = test_limit, .command = test_limit});
  const auto ask = [&](std::vector<std::string_view> words) { return to_lax.command(words); };
  EXPECT_EQ(ask({"READ", "account", "B", "34"}).integer(), 0);
  EXPECT_TRUE(ask({"WRITE", "account", "A", "2", "33"}).is_ok());
  EXPECT_TRUE(ask({"WRITE", "account", "B", "1", "34"}).is_ok());
  EXPECT_TRUE(ask({"WRITE", "account", "A", "2", "33"}).is_error());
  EXPECT_EQ(ask({"READ", "account", "A", "33"}).integer(), 1);
}

TEST_F(StorageTest, KeepsTheOrderOfWhatItSaw) {
  (void)ask({"READ", "account", "A"});
  (void)ask({"READ", "account", "B"});
  (void)ask({"BEGIN", "account", "B"});
  (void)ask({"WRITE", "account", "B", "1"});
  (void)ask({"WRITE", "account", "A", "nonsense"});
  (void)ask({"WRITE", "account", "A", "1"});
  EXPECT_THAT(events_of(Kind::storage, history.record()),
              ElementsAre("A read", "B read", "B begin", "B write", "A write"));
}

}  // namespace
}  // namespace faults
