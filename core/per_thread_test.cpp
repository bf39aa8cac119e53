#include "core/per_thread.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

// Runs `task` on a thread of its own, from beginning to end.
template <typename Task>
void on_another_thread(Task task) {
  std::jthread(std::move(task)).join();
}

TEST(PerThread, RemembersUntilCleared) {
  core::PerThread<std::string> token;
  EXPECT_EQ(token.get(), std::nullopt);
  token.set("first");
  token.set("second");
  EXPECT_EQ(token.get(), "second");
  token.clear();
  EXPECT_EQ(token.get(), std::nullopt);
}

TEST(PerThread, KeepsThreadsApart) {
  core::PerThread<std::string> token;
  token.set("mine");
  on_another_thread([&] {
    EXPECT_EQ(token.get(), std::nullopt);
    token.clear();
    token.set("yours");
  });
  EXPECT_EQ(token.get(), "mine");
}

TEST(PerThread, LeavesNothingToAThreadThatComesLater) {
  core::PerThread<std::string> token;
  for (int i = 0; i < 50; ++i) {
    on_another_thread([&] {
      EXPECT_EQ(token.get(), std::nullopt);
      token.set("held by a thread that ends");
    });
  }
}

TEST(PerThread, IsLookedAtAndChangedWhereItIs) {
  core::PerThread<std::string> token;
  const auto size = [&] {
    return token.look([](const auto& text) { return std::optional(text.size()); });
  };
  EXPECT_EQ(size(), std::nullopt);
  const auto add = [&](char letter) {
    token.change([&](auto& text) {
      text += letter;
      return letter != 'z';
    });
  };
  add('a');
  add('b');
  EXPECT_EQ(token.get(), "ab");
  EXPECT_EQ(size(), 2U);
  on_another_thread([&] { EXPECT_EQ(size(), std::nullopt); });
  add('z');
  EXPECT_EQ(token.get(), std::nullopt);
}

TEST(PerThread, MayBeUsedByManyThreadsAtOnce) {
  core::PerThread<int> value;
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int mine = 0; mine < 8; ++mine) {
    threads.emplace_back([&value, mine] {
      for (int i = 0; i < 1'000; ++i) {
        value.set(mine);
        EXPECT_EQ(value.get(), mine);
        value.clear();
      }
    });
  }
}

TEST(ThreadNumber, StaysForAThreadsLife) {
  EXPECT_EQ(core::this_thread_number(), core::this_thread_number());
}

TEST(ThreadNumber, IsNeverUsedAgain) {
  std::set<std::uint64_t> numbers{core::this_thread_number()};
  for (int i = 0; i < 50; ++i) {
    on_another_thread([&] { numbers.insert(core::this_thread_number()); });
  }
  EXPECT_EQ(numbers.size(), 51U);
}

}  // namespace
