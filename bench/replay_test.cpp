#include "bench/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WordsOf, AreThoseThatAClientSent) {
  EXPECT_THAT(words_of(R"(1.5 [0 127.0.0.1:60866] "SET" "key" "a token" "NX")"),
              ElementsAre("SET", "key", "a token", "NX"));
  EXPECT_THAT(words_of(R"(1.5 [0 unix:/tmp/r.sock] "PING")"), ElementsAre("PING"));
}

TEST(WordsOf, AnyByteComesBackAsItWas) {
  EXPECT_THAT(words_of(R"(1.5 [0 x] "SET" "a\"b\\c\n\x00\xff" "")"),
              ElementsAre("SET", std::string("a\"b\\c\n\0\xff", 8), ""));
}

TEST(WordsOf, AreNotThoseOfAScript) {
  EXPECT_THAT(words_of(R"(1.5 [0 lua] "GET" "key")"), IsEmpty());
  EXPECT_THAT(words_of("OK"), IsEmpty());
}

}  // namespace
}  // namespace bench
