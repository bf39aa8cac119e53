#include "tools/report/packed.h"

#include <gtest/gtest.h>

namespace report {
namespace {

using nlohmann::json;

json drawing_at(int ms) {
  const json get{1000 * ms + 7, ">", "redis", "GET lock"};
  const json nil{1000 * ms + 9, "<", "redis", "nil"};
  const json said{0, "command", " GET lock → nil", 1, {get, nil}, 2};
  return {{"lines", {{ms, 0, {said}}, {ms, "A killed"}}}};
}

TEST(Packer, RefersToWhatRepeatsByNumber) {
  Packer packer;
  auto first = drawing_at(3);
  auto second = drawing_at(40);
  packer.pack(first);
  packer.pack(second);
  const json said{0, 2, {7, 0, 2, 1}, 2};
  EXPECT_EQ(first["lines"], json({{3, 0, {said}}, {3, "A killed"}}));
  EXPECT_EQ(second["lines"], json({{40, 0, {said}}, {40, "A killed"}}));
  EXPECT_EQ(
      packer.repeated(),
      json({{">", "redis", "GET lock"}, {"<", "redis", "nil"}, {"command", " GET lock → nil", 1}}));
}

}  // namespace
}  // namespace report
