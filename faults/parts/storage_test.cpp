#include "faults/parts/storage.h"

#include <array>

#include "core/connection.h"
#include "faults/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
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

TEST_F(StorageTest, RefusesWhatIsNotACommandAndGoesOn) {
  for (const auto& words :
       std::vector<std::vector<std::string_view>>{{"READ", "account"},
                                                  {"BEGIN", "account"},
                                                  {"WRITE", "account", "A"},
                                                  {"WRITE", "account", "A", "1", "2"},
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

TEST_F(StorageTest, AnEmptyCommandIsRefusedAndTheStorageGoesOn) {
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
