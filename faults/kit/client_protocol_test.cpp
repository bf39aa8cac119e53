// The kit's side of the client protocol, without a process.
#include "faults/kit/client_protocol.h"

#include <fstream>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ClientLineReader, KeepsALineUntilItEnds) {
  ClientLineReader reader;
  EXPECT_THAT(reader.feed("{\"id\":4,\"outc"), IsEmpty());
  const auto lines = reader.feed("ome\":\"done\"}\n{\"id\":5}\n{\"id\"");
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].id, 4);
  EXPECT_EQ(lines[0].object["outcome"], "done");
  EXPECT_EQ(lines[1].id, 5);
}

TEST(ClientLineReader, TakesGarbageForNoAnswer) {
  for (const auto* garbage : {"garbage", "\377\376", "[]", "7", "", R"({"id":"x"})"}) {
    const auto lines = ClientLineReader().feed(std::string(garbage) + "\n");
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines[0].text, garbage);
    EXPECT_EQ(lines[0].id, std::nullopt);
    EXPECT_FALSE(lines[0].is_event);
  }
}

TEST(ClientLineReader, KnowsAnEvent) {
  EXPECT_TRUE(ClientLineReader().feed("{\"event\":\"lost\"}\n").at(0).is_event);
}

TEST(ClientProtocol, NamesAThreadOnlyBesideTheFirst) {
  EXPECT_FALSE(to_json(ReleaseRequest{}).contains("thread"));
  EXPECT_EQ(to_json(ReleaseRequest{.thread = 2})["thread"], 2);
}

TEST(ClientProtocol, WarmsUpOnAKeyOfItsOwn) {
  std::vector<std::string> operations;
  for (const auto& request : warm_up_requests()) {
    operations.push_back(request["op"]);
    EXPECT_NE(request["key"], lock_key);
  }
  EXPECT_THAT(operations, ElementsAre("hello", "acquire", "release"));
}

TEST_F(KitTest, LogExcerptPrefersALineThatNamesAnError) {
  const auto log = directory.path() / "log";
  EXPECT_EQ(log_excerpt(log), "it said nothing");
  std::ofstream(log) << "starting\nTypeError: no lock\n  at line 7\nbye\n";
  EXPECT_EQ(log_excerpt(log), "TypeError: no lock");
  std::ofstream(log) << "starting\nbye\n";
  EXPECT_EQ(log_excerpt(log), "starting");
}

}  // namespace
}  // namespace faults
