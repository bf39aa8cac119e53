#include "tools/bench/measure/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ParseMonitorLine, FindsTheWordsOfAClient) {
  EXPECT_THAT(parse_monitor_line(R"(1.5 [0 127.0.0.1:60866] "SET" "key" "a token" "NX")"),
              ElementsAre("SET", "key", "a token", "NX"));
  EXPECT_THAT(parse_monitor_line(R"(1.5 [0 unix:/tmp/r.sock] "PING")"), ElementsAre("PING"));
}

TEST(ParseMonitorLine, UnescapesEveryByte) {
  EXPECT_THAT(parse_monitor_line(R"(1.5 [0 x] "SET" "a\"b\\c\n\x00\xff" "")"),
              ElementsAre("SET", std::string("a\"b\\c\n\0\xff", 8), ""));
}

TEST(ParseMonitorLine, SkipsCommandsOfAScript) {
  EXPECT_THAT(parse_monitor_line(R"(1.5 [0 lua] "GET" "key")"), IsEmpty());
  EXPECT_THAT(parse_monitor_line("OK"), IsEmpty());
}

}  // namespace
}  // namespace bench
