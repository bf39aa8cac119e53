#include "core/redis/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "core/redis/discovery.h"

namespace {

using core::Address;
using testing::HasSubstr;
using testing::Not;

TEST(Url, NamesAHostAlone) {
  const auto address = Address::parse("redis://host");
  EXPECT_EQ(address.text(), "host:6379");
  EXPECT_EQ(address.access, nullptr);
}

TEST(Url, CarriesUserPasswordAndDatabase) {
  const auto address = Address::parse("redis://locker:p%40ss%3aword@host:7000/2");
  EXPECT_EQ(address.text(), "host:7000/2");
  EXPECT_EQ(address.database, 2);
  EXPECT_EQ(address.access->user, "locker");
  EXPECT_EQ(address.access->password.reveal(), "p@ss:word");
  EXPECT_FALSE(address.access->tls);
}

TEST(Url, CarriesAPasswordWithoutAUser) {
  const auto address = Address::parse("redis://:word@host");
  EXPECT_EQ(address.access->user, "");
  EXPECT_EQ(address.access->password.reveal(), "word");
}

TEST(Url, TakesAnAtInAPassword) {
  const auto address = Address::parse("redis://locker:p@ss@word@host:7000");
  EXPECT_EQ(address.text(), "host:7000");
  EXPECT_EQ(address.access->password.reveal(), "p@ss@word");
}

TEST(Url, AsksForTls) {
  const auto tls = *Address::parse("rediss://host?ca=/a.pem&cert=/b.pem&key=/c&name=n").access->tls;
  EXPECT_EQ(tls.ca_file, "/a.pem");
  EXPECT_EQ(tls.certificate_file, "/b.pem");
  EXPECT_EQ(tls.key_file, "/c");
  EXPECT_EQ(tls.server_name, "n");
  EXPECT_TRUE(tls.verify);
}

TEST(Url, TakesALiteralAddressInBrackets) {
  const auto address = Address::parse("redis://[::1]:7000");
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.port, 7000);
  EXPECT_EQ(Address::parse("redis://[::1]").port, 6379);
}

TEST(Url, NamesSentinelsAndAMaster) {
  const auto address = Address::parse("redis-sentinel://locker:opensesame@one,two:7000/orders/2");
  ASSERT_TRUE(address.discovery);
  EXPECT_EQ(address.discovery->kind, core::Discovery::Kind::sentinel);
  EXPECT_EQ(address.discovery->master, "orders");
  EXPECT_EQ(address.database, 2);
  EXPECT_EQ(address.access->user, "locker");
  ASSERT_EQ(address.discovery->asked.size(), 2);
  EXPECT_EQ(address.discovery->asked[0], (Address{.host = "one", .port = 26379}));
  EXPECT_EQ(address.text(), "redis-sentinel://one:26379,two:7000/orders/2");
}

TEST(Url, GivesSentinelsNoPasswordOfTheServers) {
  const auto address = Address::parse("rediss-sentinel://locker:opensesame@one/orders?ca=/a.pem");
  const auto& asked = *address.discovery->asked.front().access;
  EXPECT_TRUE(asked.password.empty());
  EXPECT_EQ(asked.tls->ca_file, "/a.pem");
  EXPECT_EQ(address.access->tls->ca_file, "/a.pem");
}

TEST(Url, NamesNodesOfACluster) {
  const auto address = Address::parse("redis-cluster://locker:opensesame@[::1]:7000,two");
  EXPECT_EQ(address.discovery->kind, core::Discovery::Kind::cluster);
  EXPECT_EQ(address.discovery->asked[0].host, "::1");
  EXPECT_EQ(address.discovery->asked[1].access, address.access);
  EXPECT_EQ(address.text(), "redis-cluster://::1:7000,two:6379");
  EXPECT_EQ(address.for_key("123456789").slot, 0x31C3);
}

TEST(Url, IsQuotedWithoutItsSecretsIfWrong) {
  for (const auto* text :
       {"redis://locker:opensesame@host:0", "redis://locker:opensesame@", "redis://:opensesame@:1",
        "redis://locker:opensesame%4@host", "redis://locker:opensesame@host/x",
        "redis://locker:opensesame@host?ca=x", "rediss://locker:opensesame@host?verify=no",
        "locker:opensesame@host:0", "redis://locker:open@sesame@host:0",
        "locker:open@sesame@host:0", "redis-sentinel://locker:opensesame@host",
        "redis-sentinel://locker:opensesame@/orders",
        "redis-sentinel://locker:opensesame@h/orders/x", "redis-cluster://locker:opensesame@host/2",
        "redis-cluster://locker:opensesame@", "redis-cluster://locker:opensesame@host?ca=x"}) {
    try {
      (void)Address::parse(text);
      ADD_FAILURE() << '"' << text << "\" was taken for an address";
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("is not an address: "));
      EXPECT_THAT(error.what(), Not(HasSubstr("sesame")));
    }
  }
}

}  // namespace
