#include "core/redis/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using core::Address;

TEST(Address, ReadsAHostAndAPort) {
  const auto address = Address::parse("127.0.0.1:6379");
  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 6379);
  EXPECT_EQ(address.unix_path, "");
}

TEST(Address, ReadsAUnixSocket) {
  const auto address = Address::parse("unix:/tmp/r:1.sock");
  EXPECT_EQ(address.unix_path, "/tmp/r:1.sock");
  EXPECT_EQ(address.host, "");
  EXPECT_EQ(address.port, 0);
}

TEST(Address, WritesWhatItReads) {
  for (const auto* text : {"127.0.0.1:1", "localhost:65535", "unix:/tmp/r.sock"}) {
    EXPECT_EQ(Address::parse(text).text(), text);
  }
}

TEST(Address, NamesTheTextItCannotRead) {
  for (const auto* text : {"", "6379", ":6379", "host:", "host:0", "host:65536", "host:-1",
                           "host:12x", "host:99999999999", "unix:"}) {
    try {
      (void)Address::parse(text);
      FAIL() << '"' << text << "\" was taken for an address";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr('"' + std::string(text) + '"'));
    }
  }
}

}  // namespace
