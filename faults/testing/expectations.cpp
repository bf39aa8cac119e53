#include "faults/testing/expectations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace faults {

using std::chrono::steady_clock;
using testing::HasSubstr;
using testing::IsEmpty;

void expect_one_sentence(const Playground& playground, const ProgramResult& ended,
                         const std::string& part) {
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr(part));
  // After a second it also says what is going on.
  const auto lines = std::count(ended.errors.begin(), ended.errors.end(), '\n');
  EXPECT_EQ(lines, ended.errors.starts_with("… ") ? 2 : 1) << ended.errors;
  EXPECT_THAT(ended.output, IsEmpty());
  expect_nothing_left(playground);
}

void expect_nothing_left(const Playground& playground) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(5);
  const auto is_clean = [&] {
    return playground.processes().empty() && std::filesystem::is_empty(playground.temporary());
  };
  while (!is_clean() && steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_THAT(playground.processes(), IsEmpty()) << "waited 5 s for them to be gone";
  EXPECT_TRUE(std::filesystem::is_empty(playground.temporary())) << "waited 5 s";
}

void await_processes(const Playground& playground, std::size_t count) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(30);
  while (playground.processes().size() < count) {
    if (steady_clock::now() > deadline) {
      throw std::runtime_error(fmt::format("waited 30 s for {} processes", count));
    }
  }
}

}  // namespace faults
