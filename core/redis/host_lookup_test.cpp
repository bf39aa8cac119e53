#include "core/redis/host_lookup.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <chrono>
#include <latch>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/async_connection.h"
#include "core/redis/server.h"
#include "core/testing/connection_kinds.h"
#include "faults/testing/redis_test.h"

namespace {

// Name servers of the test: silent about "silent.test" until then.
std::latch& speak() {
  static std::latch latch(1);
  return latch;
}

}  // namespace

// Takes the place of the system's in this program.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  const std::string_view name = node == nullptr ? "" : node;
  if (name == "silent.test") {
    speak().wait();
    return EAI_AGAIN;
  }
  static const auto system =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return system(node, service, hints, result);
}

namespace {

using core::HostLookup;
using testing::Contains;

class Lookup : public faults::RedisTest {
 protected:
  static void TearDownTestSuite() { speak().count_down(); }
};

TEST(HostLookupTest, KnowsANumericAddress) {
  for (const auto* host : {"127.0.0.1", "::1", "fe80::1"})
    EXPECT_TRUE(HostLookup::is_numeric(host));
  for (const auto* host : {"localhost", "127.0.0", "1.example", ""}) {
    EXPECT_FALSE(HostLookup::is_numeric(host)) << host;
  }
}

TEST(HostLookupTest, FindsTheAddressesOfAName) {
  const auto lookup = HostLookup::of("localhost");
  ASSERT_TRUE(lookup->wait_for(std::chrono::seconds(15)));
  EXPECT_THAT(lookup->addresses(), Contains("127.0.0.1"));
}

TEST_F(Lookup, IsSharedWhileItIsUnderWay) {
  const auto lookup = HostLookup::of("silent.test");
  EXPECT_EQ(HostLookup::of("silent.test"), lookup);
  EXPECT_FALSE(lookup->is_done());
}

TEST_F(Lookup, ThatIsSilentEndsWithTheTimeToConnect) {
  core::Server server({.host = "silent.test", .port = 1},
                      {.connect = std::chrono::milliseconds(20)});
  try {
    server.command({"PING"});
    FAIL() << "it has an address";
  } catch (const core::Unreachable& error) {
    EXPECT_STREQ(error.what(),
                 "cannot connect to silent.test:1: its name is not resolved within 20 ms");
  }
}

// One thread serves both, as the watchdog does.
TEST_F(Lookup, ThatIsSilentHoldsUpNoOtherServer) {
  core::AsyncConnection silent({.host = "silent.test", .port = 1});
  silent.send(std::vector<std::string_view>{"PING"});
  silent.advance();
  EXPECT_FALSE(silent.broken());
  core::AsyncConnection other(link().address());
  EXPECT_EQ(core::ask(other, {"PING"}).value().text(), "PONG");
  silent.advance();
  EXPECT_FALSE(silent.next());
  EXPECT_TRUE(silent.has_unsent());
  EXPECT_FALSE(silent.broken());
}

}  // namespace
