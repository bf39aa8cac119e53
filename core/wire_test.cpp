#include "core/wire.h"

#include <gtest/gtest.h>

#include <vector>

namespace core {
namespace {

std::string wire(const std::vector<std::string_view>& words) {
  std::string bytes = "what was there before";
  put_command(bytes, words);
  return bytes;
}

TEST(Wire, IsAnArrayOfStrings) {
  EXPECT_EQ(wire({"PING"}), "*1\r\n$4\r\nPING\r\n");
  EXPECT_EQ(wire({"SET", "key", ""}), "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$0\r\n\r\n");
}

TEST(Wire, TakesAnyByte) {
  EXPECT_EQ(wire({std::string_view("a\0\r\n", 4)}), std::string("*1\r\n$4\r\na\0\r\n\r\n", 14));
}

TEST(Wire, TakesManyAndLongWords) {
  const std::string word(123'456, 'x');
  const auto bytes = wire(std::vector<std::string_view>(1'000, word));
  EXPECT_EQ(bytes.substr(0, 16), "*1000\r\n$123456\r\n");
  EXPECT_EQ(bytes.size(), 7 + 1'000 * (9 + word.size() + 2));
}

}  // namespace
}  // namespace core
