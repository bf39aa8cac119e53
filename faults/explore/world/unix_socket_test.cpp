// The sockets of a world.
#include "faults/explore/world/unix_socket.h"

#include <unistd.h>

#include "faults/testing/kit_test.h"

namespace {

class UnixSocketTest : public testing::Test {
 protected:
  faults::Reaper reaper;
  faults::TempDir directory{reaper};
};

// As a process that is being started has one, until its program begins.
TEST_F(UnixSocketTest, HangsUpBesideACopy) {
  const auto listener = explore::listen_at(directory.path() / "socket");
  auto one = explore::connect_to(directory.path() / "socket");
  const auto other = explore::accept_from(listener);
  ASSERT_TRUE(other);
  const faults::Descriptor copy(dup(one.get()));
  explore::hang_up(one);
  one.reset();
  EXPECT_TRUE(explore::receive_all(other->socket).ended);
}

}  // namespace
