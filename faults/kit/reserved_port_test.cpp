#include "faults/kit/reserved_port.h"

#include <asio/ip/tcp.hpp>

#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::HasSubstr;

// A free port, of a range from which no other program of the kit chooses one.
class ReservedPorts : public testing::Test {
 protected:
  [[nodiscard]] PortRange just_this() const { return {.first = port, .last = port}; }

  const int port = [] { return ReservedPort({.first = 19'000, .last = 19'999}).number(); }();
};

TEST_F(ReservedPorts, AreGivenOnce) {
  const ReservedPort one(just_this());
  EXPECT_EQ(one.number(), port);
  EXPECT_THAT(said_by<CannotRun>([&] { (void)ReservedPort(just_this()); }), HasSubstr("is free"));
}

TEST_F(ReservedPorts, AreGivenAgainAfterUse) {
  { const ReservedPort one(just_this()); }
  EXPECT_EQ(ReservedPort(just_this()).number(), port);
}

TEST_F(ReservedPorts, SkipOneThatIsListenedAt) {
  asio::io_context context;
  const asio::ip::tcp::acceptor taken(context, {asio::ip::address_v4::loopback(), 0});
  const int listened_at = taken.local_endpoint().port();
  EXPECT_THAT(
      said_by<CannotRun>([&] { (void)ReservedPort({.first = listened_at, .last = listened_at}); }),
      HasSubstr("is free"));
}

}  // namespace
}  // namespace faults
