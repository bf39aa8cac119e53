// A test with a real redis-server, as fresh, and a link on the way to it.
//
//   TEST_F(RedisTest, ...) {
//     stage3::Lock lock(server(), "orders", 60s);       // goes through link()
//     EXPECT_THAT(sent_during([&] { (void)lock.try_acquire(); }), ...);
//     EXPECT_EQ(value("orders"), ...);                  // asks the server itself
//   }
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/server.h"
#include "core/testing/print_outcome.h"
#include "faults/kit/history.h"
#include "faults/kit/link.h"
#include "faults/kit/loop.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/temp_dir.h"

namespace faults {

class RedisTest : public testing::Test {
 protected:
  RedisTest();

  [[nodiscard]] RedisServer& redis() { return redis_; }
  [[nodiscard]] Link& link() { return link_; }
  // Through the link.
  [[nodiscard]] core::Server& server() { return server_; }

  // By the server itself: the value of a string (the token of a hash), if it is there; the time it
  // has left, -1 ms without a lease, -2 ms if it is not there; the number of keys, not counting the
  // counters of stage 8.
  [[nodiscard]] std::optional<std::string> value(std::string_view key);
  [[nodiscard]] std::chrono::milliseconds time_left(std::string_view key);
  [[nodiscard]] long long keys();

  // The server refuses `command` from now on, or takes it again.
  void refuse(std::string_view command);
  void accept(std::string_view command);

  // Every command that passed the link while `something` was done: all its words, or its name.
  [[nodiscard]] std::vector<std::string> sent_during(const std::function<void()>& something);
  [[nodiscard]] std::vector<std::string> names_during(const std::function<void()>& something);

 private:
  Reaper& reaper_;
  TempDir directory_;
  History history_;
  Loop loop_;
  RedisServer redis_;
  Link link_;
  core::Server server_;
};

}  // namespace faults
