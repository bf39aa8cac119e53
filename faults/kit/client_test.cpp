#include "faults/kit/client.h"

#include <fstream>

#include "faults/kit/storage.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class ClientTest : public KitRedisTest {
 protected:
  [[nodiscard]] ClientPlan plan(std::vector<std::string> command) {
    return {.name = "A",
            .command = std::move(command),
            .environment = {},
            .log = directory.path() / "A.log",
            .nodes = {{.name = "redis", .address = redis.address()}},
            .storage = storage.address(),
            .catch_up = [this] { redis.catch_up(); }};
  }
  [[nodiscard]] std::unique_ptr<Client> start(std::vector<std::string> command) {
    return std::make_unique<Client>(loop, history, reaper, plan(std::move(command)));
  }
  [[nodiscard]] std::unique_ptr<Client> plain() { return start({LAB_PLAIN_CLIENT}); }
  // A client that answers with `then` once it is ready.
  [[nodiscard]] static std::vector<std::string> ready_then(const std::string& then) {
    const std::string ready =
        R"(for n in 1 2 3; do read -r l; echo "{\"id\":$n,\"outcome\":\"acquired\"}"; done; )";
    return {"/bin/sh", "-c", ready + then};
  }
  [[nodiscard]] static std::vector<std::string> that_says_goodbye_then(const std::string& then) {
    return ready_then(R"(read -r l; echo '{"id":4,"outcome":"bye"}'; )" + then);
  }
  [[nodiscard]] std::unique_ptr<Client> that_then(const std::string& then) {
    return start(ready_then(then));
  }
  [[nodiscard]] std::string why_it_cannot_start(const std::string& script) {
    return said_by<CannotRun>([&] { (void)start({"/bin/sh", "-c", script}); });
  }

  Storage storage{loop, history};
};

TEST_F(ClientTest, TakesWorksAndGivesBack) {
  const auto a = plain();
  EXPECT_EQ(a->acquire(), "acquired");
  EXPECT_EQ(a->work(), "done");
  EXPECT_EQ(a->release(), "released");
  a->say_bye();
}

// The scenario took long then, not the client.
TEST_F(ClientTest, ItsAnswerSaysForHowLongItLayUnread) {
  const auto a = plain();
  EXPECT_EQ(a->acquire(), "acquired");
  constexpr milliseconds while_unread{100};
  auto release = a->start_release();
  EXPECT_TRUE(eventually([&] { return release.answered(); }));
  const auto since = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return std::chrono::steady_clock::now() > since + while_unread; }));
  EXPECT_EQ(release.wait(), "released");
  const auto record = history.record();
  EXPECT_EQ(record.back().kind, Kind::answer);
  EXPECT_GE(record.back().data.value("lay_ms", 0LL), while_unread.count());
  a->say_bye();
}

TEST_F(ClientTest, ThatDiesAtItsStartIsQuoted) {
  EXPECT_THAT(why_it_cannot_start("echo 'no such luck' >&2; exit 3"),
              AllOf(HasSubstr("/bin/sh died at its start, it exited with code 3"),
                    HasSubstr("no such luck")));
}

TEST_F(ClientTest, ThatDiesSilentlyIsNamed) {
  EXPECT_THAT(why_it_cannot_start("kill -9 $$"),
              HasSubstr("was killed by signal 9 (Killed): it said nothing"));
}

TEST_F(ClientTest, ThatClosesItsOutputAtItsStartIsNamed) {
  EXPECT_THAT(why_it_cannot_start("exec >&-; read -r l; read -r l; read -r l"),
              HasSubstr("died at its start"));
}

TEST_F(ClientTest, AnErrorOfAnOperationCannotRun) {
  const auto a = that_then(R"(read -r l; echo '{"id":4,"error":"out of locks"}'; read -r l)");
  EXPECT_EQ(said_by<CannotRun>([&] { a->acquire(); }),
            "A's answer to acquire was an error: out of locks");
}

TEST_F(ClientTest, AnErrorThatIsNoTextCannotRun) {
  const auto a = that_then(R"(read -r l; echo '{"id":4,"error":{"code":7}}'; read -r l)");
  EXPECT_THAT(said_by<CannotRun>([&] { a->acquire(); }), HasSubstr("{\"code\":7}"));
}

TEST_F(ClientTest, AnOutcomeThatIsNoTextCannotRun) {
  const auto a = that_then(R"(read -r l; echo '{"id":4,"outcome":7}'; read -r l)");
  EXPECT_THAT(said_by<CannotRun>([&] { a->acquire(); }), HasSubstr("A's answer to acquire"));
}

TEST_F(ClientTest, GarbageBetweenItsAnswersIsPassedOver) {
  const auto a = that_then(R"(read -r l; printf 'garbage\n\n\377\376\n[]\n7\n{}\n{"id":"x"}\n'
      echo '{"event":"something"}'; echo '{"id":99,"outcome":"acquired"}'
      printf '{"id":4,"outc'; echo 'ome":"contended"}'; read -r l)");
  EXPECT_EQ(a->acquire(), "contended");
}

TEST_F(ClientTest, ThatNeverAnswersCannotRun) {
  const auto a = that_then("read -r l; read -r l");
  EXPECT_EQ(said_by<CannotRun>([&] { a->start_acquire().wait(milliseconds(20)); }),
            "waited 20 ms for A's answer to acquire, and it never came");
}

TEST_F(ClientTest, ThatAsksWithoutEndIsNotWaitedFor) {
  const auto a = that_then(R"(read -r l; exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/${LOCK_NODES##*:};
      printf "*2\r\n\$3\r\nGET\r\n\$4\r\nlock\r\n%.0s" $(seq 5001) >&3; read -r l')");
  EXPECT_EQ(said_by<CannotRun>([&] { a->acquire(); }),
            "waited for A's answer to acquire, and it sent 5001 commands instead");
}

TEST_F(ClientTest, ThatIsToTryOnceMayNotAskOn) {
  auto only_tries = plan(ready_then(
      R"(read -r l; exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/${LOCK_NODES##*:};
      printf "*2\r\n\$3\r\nGET\r\n\$4\r\nlock\r\n%.0s" $(seq 20) >&3; read -r l')"));
  only_tries.only_tries = true;
  Client a(loop, history, reaper, std::move(only_tries));
  EXPECT_EQ(said_by<CannotRun>([&] { a.acquire(); }),
            "A's acquire waits by itself: it asked 20 times within 3 s, and was to try once, and "
            "say so");
}

TEST_F(ClientTest, ThatWasKilledHasDied) {
  const auto a = plain();
  auto held = a->lock_link().arm({.direction = Direction::command}, Action::hold_back);
  auto acquiring = a->start_acquire();
  held.await(test_limit);
  EXPECT_FALSE(acquiring.answered());
  a->kill();
  EXPECT_EQ(acquiring.wait(), "died");
  EXPECT_EQ(a->acquire(), "died");
  a->say_bye();
}

TEST_F(ClientTest, FrozenItDoesNotAnswerAndThawedItDoes) {
  const auto a = plain();
  a->freeze();
  auto acquiring = a->start_acquire();
  EXPECT_FALSE(acquiring.answered());
  a->thaw();
  EXPECT_EQ(acquiring.wait(), "acquired");
  const auto faults = events_of(Kind::fault, history.record());
  EXPECT_THAT(faults, testing::ElementsAre("A frozen", "A thawed"));
}

TEST_F(ClientTest, AThawOfWhatWentOnIsNotExercised) {
  const auto a = plain();
  a->freeze();
  ::kill(a->process().id(), SIGCONT);
  EXPECT_EQ(a->acquire(), "acquired");
  EXPECT_THAT(said_by<NotExercised>([&] { a->thaw(); }), HasSubstr("A was to be frozen"));
  EXPECT_THAT(events_of(Kind::fault, history.record()), Not(Contains("A thawed")));
}

TEST_F(ClientTest, AKillOfWhatEndedByItselfIsNotExercised) {
  const auto a = that_then("exit 0");
  ASSERT_TRUE(a->process().ending(test_limit));
  EXPECT_THAT(said_by<NotExercised>([&] { a->kill(); }), HasSubstr("did not die of SIGKILL"));
  a->say_bye();  // it did not have to
  EXPECT_THAT(events_of(Kind::fault, history.record()), Not(Contains("A killed")));
}

TEST_F(ClientTest, TerminatedItEndsInItsOwnWay) {
  const auto a = plain();
  EXPECT_EQ(a->acquire(), "acquired");
  a->terminate();
  a->await_end();
  EXPECT_EQ(redis.direct().command({"EXISTS", "lock"}).integer(), 0);
  EXPECT_THAT(events_of(Kind::fault, history.record()),
              testing::ElementsAre("A terminated", "A ended"));
}

TEST_F(ClientTest, ThatDoesNotEndWellCannotRun) {
  const auto a = that_then(R"(read -r l; echo '{"id":4,"outcome":"bye"}'; exit 9)");
  EXPECT_THAT(said_by<CannotRun>([&] { a->say_bye(); }),
              HasSubstr("A did not end well, it exited with code 9"));
}

TEST_F(ClientTest, ThatDoesNotEndIsGivenUpAndKilled) {
  std::vector<std::string> said;
  auto own = plan(that_says_goodbye_then("exec sleep 1000"));
  own.say = [&](const std::string& sentence) { said.push_back(sentence); };
  pid_t process = 0;
  {
    Client a(loop, history, reaper, own);
    process = a.process().id();
    EXPECT_EQ(said_by<CannotRun>([&] { a.say_bye(milliseconds(600)); }),
              "client A did not end: 1 s after it said goodbye its process still runs");
  }
  EXPECT_THAT(said, testing::ElementsAre("client A has not ended: it is waited for 1 s at most"));
  EXPECT_TRUE(is_gone(process));
}

// The limit, which is short, does not run out while the machine stalls.
TEST_F(ClientTest, ThatStandsStillWithTheMachineIsWaitedFor) {
  const auto may_end = directory.path() / "may_end";
  auto own =
      plan(that_says_goodbye_then("until [ -e " + may_end.native() + " ]; do sleep 0.01; done"));
  int asked = 0;
  own.goes_on = [&] {
    if (++asked == 10) std::ofstream(may_end) << "yes";
    return false;
  };
  Client a(loop, history, reaper, own);
  a.say_bye(milliseconds(20));
  EXPECT_GE(asked, 10);
}

}  // namespace
}  // namespace faults
