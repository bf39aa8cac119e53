#include "tools/terminal/translated_output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace terminal {
namespace {

TEST(TranslatedOutput, TranslatesEachLineWhenItEnds) {
  const auto chinese = Language::named("zh");
  std::ostringstream out;
  TranslatedOutput output(chinese, out);
  output.stream() << "ho"
                  << "lds";
  EXPECT_EQ(out.str(), "");
  output.stream() << "\nviolated" << std::flush;
  EXPECT_EQ(out.str(), "守住了\n被破坏");
}

TEST(TranslatedOutput, WritesTheLastLineAtItsEnd) {
  const auto chinese = Language::named("zh");
  std::ostringstream out;
  TranslatedOutput(chinese, out).stream() << "nothing happened\nholds";
  EXPECT_EQ(out.str(), "什么也没发生\n守住了");
}

TEST(TranslatedOutput, LeavesEnglishAsItIs) {
  const Language english;
  std::ostringstream out;
  TranslatedOutput(english, out).stream() << "\n  holds\n\n" << std::flush;
  EXPECT_EQ(out.str(), "\n  holds\n\n");
}

}  // namespace
}  // namespace terminal
