#include "core/redis/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/redis/async_connection.h"
#include "core/redis/connection_setup.h"
#include "core/redis/server.h"
#include "core/testing/connection_kinds.h"
#include "core/testing/eventually.h"
#include "faults/testing/redis_test.h"

namespace {

using core::Access;
using core::Address;
using core::answer_to;
using core::ConnectionKind;
using core::refusal_of;
using core::Server;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* right_password = "opensesame";
constexpr const char* wrong_password = "openbarley";

class AccessTo : public faults::RedisTest, public testing::WithParamInterface<ConnectionKind> {
 protected:
  [[nodiscard]] Address as(const std::string& user, const std::string& password) {
    auto address = link().address();
    address.access = std::make_shared<const Access>(Access{.user = user, .password = password});
    return address;
  }
  void add_user() {
    redis().direct().command(
        {"ACL", "SETUSER", "locker", "on", std::string(">") + right_password, "~*", "+@all"});
  }
};

INSTANTIATE_TEST_SUITE_P(, AccessTo,
                         testing::Values(ConnectionKind::blocking,
                                         ConnectionKind::without_blocking),
                         [](const auto& way) { return core::name_of(way.param); });

TEST_P(AccessTo, TheUserThatIsNamed) {
  add_user();
  EXPECT_EQ(answer_to(as("locker", right_password), {"ACL", "WHOAMI"}, GetParam()), "locker");
}

TEST_P(AccessTo, TheDefaultUserNeedsItsPassword) {
  redis().direct().command({"CONFIG", "SET", "requirepass", right_password});
  EXPECT_EQ(answer_to(as("", right_password), {"ACL", "WHOAMI"}, GetParam()), "default");
}

TEST_P(AccessTo, AWrongPasswordIsSaid) {
  add_user();
  const auto sentence = refusal_of(as("locker", wrong_password), GetParam());
  EXPECT_THAT(sentence, HasSubstr("does not let us in: WRONGPASS"));
  EXPECT_THAT(sentence, Not(HasSubstr(wrong_password)));
}

TEST_P(AccessTo, NothingIsSentBeforeItIsGranted) {
  add_user();
  const auto names =
      names_during([&] { (void)refusal_of(as("locker", wrong_password), GetParam()); });
  EXPECT_THAT(names, ElementsAre("AUTH"));
}

TEST_P(AccessTo, ADatabaseBySelect) {
  auto address = link().address();
  address.database = 1;
  EXPECT_EQ(answer_to(address, {"SET", "key", "text"}, GetParam()), "OK");
  EXPECT_FALSE(value("key"));
  EXPECT_EQ(answer_to(address, {"GET", "key"}, GetParam()), "text");
}

TEST_P(AccessTo, ADatabaseThatIsNotThere) {
  auto address = link().address();
  address.database = 99;
  EXPECT_THAT(refusal_of(address, GetParam()), HasSubstr("/99 does not let us in: ERR"));
}

TEST_P(AccessTo, AHistoryShowsNoPassword) {
  add_user();
  const auto sent =
      sent_during([&] { (void)answer_to(as("locker", right_password), {"PING"}, GetParam()); });
  EXPECT_THAT(sent, ElementsAre("AUTH …", "PING"));
}

TEST_P(AccessTo, AHostByItsName) {
  auto address = link().address();
  address.host = "localhost";
  EXPECT_EQ(answer_to(address, {"PING"}, GetParam()), "PONG");
}

TEST_P(AccessTo, AHostThatHasNoAddress) {
  const Address address{.host = "nowhere.invalid", .port = 6379};
  const auto sentence = refusal_of(address, GetParam());
  EXPECT_THAT(sentence, HasSubstr("cannot connect to nowhere.invalid:6379: "));
  EXPECT_THAT(sentence, HasSubstr("resolve"));
}

TEST(Secret, PrintsAsNothingButThat) {
  std::ostringstream out;
  out << core::Secret(right_password);
  EXPECT_EQ(out.str(), "(secret)");
}

TEST(Secret, IsNotInAnAddressThatIsShown) {
  const auto address = Address::parse("redis://locker:opensesame@host:1/2");
  EXPECT_EQ(address.text(), "host:1/2");
  EXPECT_THAT(testing::PrintToString(address), Not(HasSubstr(right_password)));
}

Address with_password(const char* password) {
  return {.host = "host",
          .port = 1,
          .access = std::make_shared<const Access>(Access{.user = "locker", .password = password})};
}

TEST(Secret, IsHiddenWhereAServerRepeatsIt) {
  EXPECT_EQ(core::setup_refused(with_password(right_password),
                                "ERR unknown command 'AUTH', with args beginning with: "
                                "'locker' 'opensesame' "),
            "host:1 does not let us in: ERR unknown command 'AUTH', with args beginning with: "
            "'locker' '…' ");
}

TEST(Secret, IsHiddenEachTimeItIsRepeated) {
  EXPECT_EQ(core::setup_refused(with_password("one"), "ERR one, none, done"),
            "host:1 does not let us in: ERR …, n…, d…");
}

}  // namespace
