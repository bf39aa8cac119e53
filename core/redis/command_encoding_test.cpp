#include "core/redis/command_encoding.h"

#include <gtest/gtest.h>

#include <vector>

namespace core {
namespace {

std::string encoded(const std::vector<std::string_view>& words) {
  std::string bytes = "old content";
  encode_command(bytes, words);
  return bytes;
}

TEST(CommandEncoding, IsAnArrayOfStrings) {
  EXPECT_EQ(encoded({"PING"}), "*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(encoded({"SET", "key", ""}), "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n");
}

TEST(CommandEncoding, TakesAnyByte) {
  EXPECT_EQ(encoded({std::string_view("a\0\r\n", 4)}), std::string("*1\r\n$4\r\na\0\r\n\r\n", 14));
}

TEST(CommandEncoding, TakesManyAndLongWords) {
  const std::string word(123'456, 'x');
  const auto bytes = encoded(std::vector<std::string_view>(1'000, word));
  EXPECT_EQ(bytes.substr(0, 16), "*1000\r\n$123456\r\n");
  EXPECT_EQ(bytes.size(), 7 + 1'000 * (9 + word.size() + 2));
}

}  // namespace
}  // namespace core
