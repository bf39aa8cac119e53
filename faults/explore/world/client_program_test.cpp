// Processes that are begun by a template: each as if it had been started itself.
#include "faults/explore/world/client_program.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/testing/kit_test.h"

namespace {

class ClientProgramTest : public testing::Test {
 protected:
  std::unique_ptr<faults::Process> start(const explore::VirtualProcess& place,
                                         const std::string& name) {
    auto environment = place.environment();
    environment["NAME"] = name;
    return program.start(environment, directory.path() / (name + ".log"));
  }

  // Its only question, in virtual time.
  static std::string ask(faults::Process& process, const explore::VirtualProcess& place) {
    EXPECT_TRUE(place.await_rest(process, "the program"));
    faults::write_line(process, "hello");
    place.notice(STDIN_FILENO);
    return faults::line_from(process);
  }

  faults::Reaper reaper;
  faults::TempDir directory{reaper};
  explore::VirtualTime time{directory.path()};
  explore::VirtualProcess one{time, explore::ProcessRole::client};
  explore::VirtualProcess other{time, explore::ProcessRole::client};
  explore::ClientProgram program{
      {"/bin/sh", "-c", "read line; echo $NAME of $PPID got $line; echo $NAME >&2; read line"},
      directory.path(),
      reaper};
};

TEST_F(ClientProgramTest, NeedsNoTemplateForTheFirst) {
  const auto first = start(one, "first");
  EXPECT_EQ(program.process(), 0);
  EXPECT_THAT(ask(*first, one), testing::StartsWith("first of"));
}

TEST_F(ClientProgramTest, BeginsChildrenOfThisProcess) {
  program.takes_part();
  const auto a = start(one, "a");
  const auto b = start(other, "b");
  EXPECT_NE(program.process(), 0);
  EXPECT_EQ(getpgid(a->id()), a->id());
  a->kill();
  EXPECT_EQ(ask(*b, other), "b of " + std::to_string(getpid()) + " got hello\n");
  EXPECT_TRUE(b->running());
}

TEST_F(ClientProgramTest, GivesEachItsPlaceInVirtualTime) {
  program.takes_part();
  const auto a = start(one, "a");
  const auto b = start(other, "b");
  EXPECT_TRUE(one.await_rest(*a, "a"));
  EXPECT_TRUE(other.await_rest(*b, "b"));
  EXPECT_NO_THROW(one.must_take_part("a"));
  EXPECT_NO_THROW(other.must_take_part("b"));
}

TEST_F(ClientProgramTest, SaysThatAProgramDoesNotExist) {
  explore::ClientProgram none({"/no/such/program"}, directory.path(), reaper);
  none.takes_part();
  EXPECT_THAT(
      faults::said_by<faults::CannotRun>([&] { (void)none.start({}, directory.path() / "log"); }),
      testing::HasSubstr("cannot start /no/such/program"));
}

}  // namespace
