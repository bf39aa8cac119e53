#include "faults/world/lock_facts.h"

#include <fstream>

#include "faults/scenarios/scenario.h"
#include "faults/testing/kit_test.h"
#include "faults/world/read_facts.h"
#include "faults/world/tested_lock.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

class LockFiles : public KitTest {
 protected:
  // A lock.json with what every lock needs, and `more`.
  LockFile lock(const std::string& more = "") {
    const auto where = directory.path() / "mine";
    std::filesystem::create_directories(where);
    std::ofstream(where / "adapter.py") << "";
    std::ofstream(where / "lock.json")
        << R"({"library": "Mine", "version": "1.2", "language": "python",
               "start": ["python3", "adapter.py"], "key": "mutex:%s",
               "capabilities": ["lease", "token"])"
        << (more.empty() ? "" : ", ") << more << "}";
    return read_lock_file(where, directory.path());
  }
  static void write(const std::filesystem::path& file) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "";
  }
  // A file that is newer than all others.
  static void write_later(const std::filesystem::path& file) {
    write(file);
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(1));
  }
  std::string wrong_with(const std::string& more) {
    return said_by<CannotRun>([&] { (void)lock(more); });
  }
};

TEST_F(LockFiles, SayTheLeaseOfAUserWhoNamesNone) {
  const auto named = tested_lock_of(lock(R"("lease": {"default_ms": 30000})"));
  EXPECT_EQ(named.pace().lease, milliseconds(300));
  const auto own = with_default_lease(named);
  EXPECT_EQ(own.pace().lease, milliseconds(30'000));
  EXPECT_TRUE(own.at_default_lease);
  const auto without = with_default_lease(tested_lock_of(lock()));
  EXPECT_EQ(without.pace().lease, milliseconds(300));
  EXPECT_FALSE(without.at_default_lease);
}

TEST_F(LockFiles, OutliveAScenariosWaitsByALongLease) {
  const auto own = with_default_lease(tested_lock_of(lock(R"("lease": {"default_ms": 30000})")));
  const Timing timing(1, own.pace());
  EXPECT_GT(timing.long_lease(), 3 * timing.wait_limit() + Timing::boundary_timeout);
  EXPECT_EQ(Timing(1).long_lease(), Timing::usual_long_lease);
}

TEST_F(LockFiles, NameTheClientByItsPath) {
  EXPECT_THAT(lock().command,
              ElementsAre("python3", (directory.path() / "mine" / "adapter.py").native()));
}

TEST_F(LockFiles, SayTheKeyOnTheServer) {
  EXPECT_EQ(tested_lock_of(lock()).key_on_server(), "mutex:lock");
  EXPECT_EQ(tested_lock_of(lock(R"("type": "none")")).key_on_server(), "");
}

TEST_F(LockFiles, SayTheShortestLease) {
  EXPECT_EQ(tested_lock_of(lock()).pace().lease, milliseconds(300));
  EXPECT_EQ(tested_lock_of(lock(R"("lease": {"granularity_ms": 1000})")).pace().lease,
            milliseconds(1000));
  EXPECT_EQ(tested_lock_of(lock(R"("lease": {"shortest_ms": 450})")).pace().lease,
            milliseconds(450));
  const auto late = tested_lock_of(lock(R"("renewal": {"before_end_ms": 500})")).pace();
  EXPECT_EQ(late.period(milliseconds(3'000)), milliseconds(2'500));
  EXPECT_EQ(
      tested_lock_of(lock(R"("renewal": {"after": 0.5, "shortest_lease_ms": 600})")).pace().lease,
      milliseconds(600));
}

TEST_F(LockFiles, SayHowOftenAWaiterAsks) {
  const auto wait_limit = [&](const std::string& more) {
    return Timing(1, tested_lock_of(lock(more)).pace()).wait_limit();
  };
  EXPECT_EQ(wait_limit(""), milliseconds(2'400));
  EXPECT_EQ(wait_limit(R"("waiting": {"how": "polls", "every_ms": 100})"), milliseconds(2'400));
  EXPECT_EQ(wait_limit(R"("waiting": {"how": "notified", "every_ms": 9000, "jitter_ms": 1000})"),
            milliseconds(20'300));
  EXPECT_THAT(wrong_with(R"("waiting": {"how": "polls", "every_ms": 60000})"),
              HasSubstr("cannot be waited for"));
}

TEST_F(LockFiles, SayWhatIsDocumented) {
  const auto facts = lock(R"("documented": [{"scenarios": ["failover", "amnesia"],
                                             "says": "not safe", "where": "README"}],
                             "not_judged": {"half_open": "its time-out is the lease"})")
                         .facts;
  EXPECT_EQ(facts.documented.at("amnesia").says, "not safe");
  EXPECT_EQ(facts.documented.at("failover").where, "README");
  EXPECT_FALSE(facts.documented.contains("half_open"));
  EXPECT_EQ(facts.not_judged.at("half_open"), "its time-out is the lease");
  EXPECT_THAT(wrong_with(R"("documented": [{"scenarios": ["amnesia"], "says": "not safe"}])"),
              HasSubstr("where"));
}

TEST_F(LockFiles, SayWhenItRenews) {
  const auto after = lock(R"("renewal": {"after": 0.8})").facts;
  EXPECT_EQ(after.renewal_period(milliseconds(1000)), milliseconds(800));
  const auto before_end = lock(R"("renewal": {"before_end_ms": 500})").facts;
  EXPECT_EQ(before_end.renewal_period(milliseconds(600)), milliseconds(100));
  EXPECT_EQ(lock().facts.renewal_period(milliseconds(600)), milliseconds(0));
}

TEST_F(LockFiles, GiveAVariantItsEnvironment) {
  const auto variants =
      R"("variants": {"quick": {"environment": {"LOCK_VARIANT": "quick"}, "says": "soon",
      "capabilities": ["fencing"], "not_judged": {"amnesia": "too soon", "half_open": ""},
      "because": [{"scenarios": ["failover"], "says": "so", "where": "here"}]}})";
  const auto stage = tested_lock_of(lock(variants), 0, "quick");
  EXPECT_THAT(stage.adds, testing::EndsWith(": soon"));
  EXPECT_TRUE(stage.facts->promises("fencing"));
  EXPECT_EQ(stage.facts->not_judged.at("amnesia"), "too soon");
  EXPECT_FALSE(stage.facts->not_judged.contains("half_open"));
  EXPECT_EQ(stage.facts->because.at("failover").says, "so");
  EXPECT_TRUE(tested_lock_of(lock(variants)).facts->not_judged.empty());
  EXPECT_EQ(stage.name, "mine/quick");
  EXPECT_EQ(stage.environment.at("LOCK_VARIANT"), "quick");
  EXPECT_THAT(said_by<CannotRun>([&] { (void)tested_lock_of(lock(variants), 0, "slow"); }),
              HasSubstr("it has: quick"));
}

TEST_F(LockFiles, GiveAVariantItsNumberOfServers) {
  const auto variants = R"("nodes": [1, 3, 5],
      "variants": {"three": {"nodes": 3, "environment": {}}, "plain": {"environment": {}}})";
  EXPECT_EQ(tested_lock_of(lock(variants), 0, "three").nodes, 3);
  EXPECT_EQ(tested_lock_of(lock(variants), 5, "three").nodes, 5);
  EXPECT_EQ(tested_lock_of(lock(variants), 0, "plain").nodes, 1);
}

TEST_F(LockFiles, GiveAVariantWhatItSays) {
  const auto variants = R"("renewal": {"after": 0.5}, "lease": {"granularity_ms": 1000},
      "unanswered": {"after_ms": null}, "variants": {"other": {
        "start": ["python3", "adapter.py", "other"], "without": ["token"], "renewal": null,
        "loss": {"how": "asked"}, "waiting": {"how": "notified"}, "lease": {"shortest_ms": 2000},
        "unanswered": {"after_ms": 500}, "key": "other:%s"}})";
  const auto stage = tested_lock_of(lock(variants), 0, "other");
  const auto& facts = *stage.facts;
  EXPECT_EQ(stage.command.back(), "other");
  EXPECT_THAT(facts.capabilities, ElementsAre("lease"));
  EXPECT_FALSE(facts.renewal);
  EXPECT_EQ(facts.loss, "asked");
  EXPECT_EQ(facts.waiting, "notified");
  EXPECT_EQ(facts.fitting_lease(milliseconds(1)), milliseconds(2'000));
  EXPECT_EQ(facts.fitting_lease(milliseconds(2'001)), milliseconds(3'000));
  EXPECT_EQ(facts.unanswered->after, milliseconds(500));
  EXPECT_EQ(stage.key_on_server(), "other:lock");
  EXPECT_TRUE(tested_lock_of(lock(variants)).facts->renewal);
}

// Go-redis: 3 s for a reply, and three tries more, 8 to 512 ms apart.
constexpr const char* three_seconds =
    R"("unanswered": {"after_ms": 3000, "tries": 4, "every_ms": 8, "jitter_ms": 504)";

Unanswered unanswered_in(const LockFile& file) {
  return *file.facts.unanswered;
}

TEST_F(LockFiles, SayHowLongATryLasts) {
  const auto plain = unanswered_in(lock(std::string(three_seconds) + "}"));
  EXPECT_EQ(plain.one_lost(), milliseconds(3'512));
  EXPECT_EQ(plain.silent(), milliseconds(13'536));
  EXPECT_EQ(plain.try_where_gone(milliseconds(300), 2), Unanswered::never);
  const auto more = R"(, "gone_after_ms": 1700, "lease_part": 0.05, "in_turn": true})";
  const auto capped = unanswered_in(lock(std::string(three_seconds) + more));
  EXPECT_EQ(capped.try_where_silent(milliseconds(60'000), 2), milliseconds(3'000));
  EXPECT_EQ(capped.try_where_gone(milliseconds(80'000), 2), milliseconds(3'400));
  EXPECT_EQ(capped.try_where_gone(milliseconds(300), 2), milliseconds(15));
  EXPECT_EQ(unanswered_in(lock(R"("unanswered": {"after_ms": null})")).silent(), Unanswered::never);
  const auto once = unanswered_in(lock(std::string(three_seconds) + R"(, "again": "renewals"})"));
  EXPECT_EQ(once.try_where_silent(milliseconds(60'000), 2), milliseconds(3'000));
  EXPECT_EQ(once.silent(), milliseconds(13'536));
  for (const auto* wrong : {R"({"tries": 0})", R"({"after_ms": -1})", R"({"lease_part": 5})"}) {
    EXPECT_NE(wrong_with(R"("unanswered": )" + std::string(wrong)), "") << wrong;
  }
}

// The rules by which leases and limits follow from a lock's own times.
class LockTimes : public LockFiles {
 protected:
  Timing timing(const std::string& more, int nodes = 1) {
    return Timing(1, tested_lock_of(lock(more), nodes).pace());
  }
};

TEST_F(LockTimes, GiveAWaiterTwoTriesHoweverLongTheyLast) {
  EXPECT_EQ(timing(R"("unanswered": {"after_ms": 4000})").wait_limit(), milliseconds(8'300));
  EXPECT_EQ(timing(R"("unanswered": {"after_ms": null, "gone_after_ms": 3000},
                      "waiting": {"how": "polls", "every_ms": 500})")
                .wait_limit(),
            milliseconds(7'300));
  EXPECT_EQ(timing(std::string(three_seconds) + R"(, "lease_part": 0.05})", 5).wait_limit(),
            milliseconds(6'300));
  // Longer ones are not waited for.
  EXPECT_EQ(timing(R"("unanswered": {"after_ms": null, "gone_after_ms": 42000})").wait_limit(),
            milliseconds(2'400));
}

TEST_F(LockTimes, BoundAnAcquireByTheLocksOwnTimes) {
  const milliseconds wait(300);
  EXPECT_EQ(Timing(1).acquire_limit(wait), milliseconds(5'000));
  EXPECT_EQ(timing("").acquire_limit(wait), std::nullopt);  // not known
  const std::string gone = R"("unanswered": {"after_ms": 3000, "gone_after_ms": 6000})";
  EXPECT_EQ(timing(gone).acquire_limit(wait), milliseconds(6'930));
  EXPECT_EQ(timing(gone + R"(, "waiting": {"how": "polls", "every_ms": 200, "ends": "tries"})")
                .acquire_limit(wait),
            milliseconds(20'790));  // three tries, and 200 ms after each
  EXPECT_EQ(timing(gone + R"(, "waiting": {"ends": "never"})").acquire_limit(wait), std::nullopt);
  EXPECT_EQ(timing(R"("unanswered": {"gone_after_ms": null})").acquire_limit(wait),
            milliseconds(5'000));
  EXPECT_THAT(wrong_with(R"("waiting": {"ends": "tries"})"), HasSubstr("needs \"every_ms\""));
}

TEST_F(LockTimes, MakeLeasesOutlastALostReply) {
  const auto lease = [&](const std::string& more) {
    return timing(more).lease_that_outlasts_a_loss(milliseconds(1'500));
  };
  EXPECT_EQ(lease(R"("unanswered": {"after_ms": 3000})"), milliseconds(6'000));
  EXPECT_EQ(lease(R"("unanswered": {"after_ms": 3000}, "renewal": {"after": 0.8})"),
            milliseconds(16'500));
  EXPECT_EQ(lease(R"("unanswered": {"after_ms": 200})"), milliseconds(1'500));
  EXPECT_EQ(lease(R"("unanswered": {"after_ms": null})"), milliseconds(1'500));
}

TEST_F(LockTimes, SayWhenAClientGivesUpOnAReply) {
  EXPECT_EQ(Timing(2).gives_up_after(), milliseconds(600));  // as the kit tells it
  EXPECT_EQ(timing("").gives_up_after(), milliseconds(0));
  EXPECT_EQ(timing(R"("unanswered": {"after_ms": 3000})").gives_up_after(), milliseconds(3'000));
  EXPECT_EQ(timing(R"("unanswered": {"after_ms": 11000})").gives_up_after(), milliseconds(0));
}

TEST_F(LockTimes, MakeLeasesLongEnoughToTellALoss) {
  const std::string at_last = R"("renewal": {"after": 0.8}, "unanswered": {"after_ms": 5000})";
  EXPECT_EQ(timing(at_last).lease_told_of_silence(), milliseconds(27'500));
  // A user with a shorter lease sees that the notice comes too late.
  EXPECT_EQ(timing(at_last + R"(, "lease": {"default_ms": 9000})").lease_told_of_silence(),
            milliseconds(9'000));
  EXPECT_EQ(timing(at_last).lease_told_of_removal(), milliseconds(1'500));
  EXPECT_EQ(
      timing(at_last + R"(, "loss": {"how": "told", "late_ms": 500})").lease_told_of_removal(),
      milliseconds(2'750));
  const auto late = timing(R"("renewal": {"before_end_ms": 500}, "loss": {"late_ms": 3000})");
  EXPECT_EQ(late.lease_told_of_removal(), milliseconds(1'500));
  EXPECT_EQ(late.loss_report_limit(), milliseconds(1'800));  // the lease, and a short one
  EXPECT_EQ(timing(R"("renewal": {"before_end_ms": 500}, "unanswered": {"after_ms": 500})")
                .lease_told_of_silence(),
            milliseconds(1'500));
}

TEST_F(LockTimes, GoByTheLongestLeaseOfAUser) {
  const std::string from_two = R"("unanswered": {"after_ms": 5000}, "renewal": {"after": 0.5},
                                  "loss": {"late_ms": 3000}, "lease": {"shortest_ms": 2000)";
  EXPECT_EQ(timing(from_two + "}").medium_lease(), milliseconds(10'000));
  const auto shortest = timing(from_two + R"(, "longest_ms": 2000})");
  EXPECT_EQ(shortest.medium_lease(), milliseconds(2'000));
  EXPECT_EQ(shortest.lease_told_of_silence(), milliseconds(2'000));
  EXPECT_EQ(shortest.lease_told_of_removal(), milliseconds(2'000));
  const auto slowed = Timing(3, tested_lock_of(lock(from_two + R"(, "longest_ms": 2000})")).pace());
  EXPECT_EQ(slowed.medium_lease(), milliseconds(2'000));
  // Never shorter than the short one.
  EXPECT_EQ(timing(from_two + R"(, "longest_ms": 500})").medium_lease(), milliseconds(2'000));
}

TEST_F(LockTimes, AreNotWaitedForAboveHalfAMinute) {
  auto told =
      tested_lock_of(lock(R"("renewal": {"after": 0.8}, "unanswered": {"after_ms": 9000})"));
  told.facts->capabilities.emplace_back("loss_notice");
  EXPECT_THAT(why_not_applicable(*find_scenario("half_open"), told),
              testing::StartsWith("could not be judged: its holder is told in time of a lease of "
                                  "49500 ms"));
}

TEST_F(LockFiles, AreComparedWithHello) {
  const auto facts = lock().facts;
  EXPECT_EQ(difference_from(facts, {{"capabilities", {"token", "lease"}}}), "");
  EXPECT_EQ(difference_from(facts, {{"capabilities", {"lease", "renewal"}}}),
            "hello and lock.json disagree on the capabilities; only hello says renewal; only "
            "lock.json says token");
}

TEST_F(LockFiles, AreInstalledWithTheirFiles) {
  EXPECT_TRUE(lock(R"("installed": ["adapter.py"])").is_installed());
  EXPECT_FALSE(lock(R"("installed": ["adapter.py", "node_modules/x"])").is_installed());
}

TEST_F(LockFiles, NameTheProgramThatIsBuilt) {
  const std::string built = R"("start": ["adapter"], "install": {"cmake": "CMakeLists.txt"})";
  const auto program = directory.path() / "adapter";
  EXPECT_THAT(lock(built).command, ElementsAre(program.native()));
  EXPECT_FALSE(lock(built).is_installed());
  std::ofstream(program) << "";
  EXPECT_TRUE(lock(built).is_installed());
}

TEST_F(LockFiles, NameTheProgramThatMavenBuilds) {
  const std::string built = R"("start": ["java", "-jar", "target/adapter.jar"],
                               "install": {"java": "25.0.2.1"})";
  const auto place = directory.path() / "mine";
  EXPECT_FALSE(lock(built).is_installed());
  write(place / "target" / "adapter.jar");
  EXPECT_TRUE(lock(built).is_installed());
  EXPECT_THAT(lock(built).command,
              ElementsAre("java", "-jar", (place / "target" / "adapter.jar").native()));
  const auto archive = place / "target" / "adapter.jsa";
  write(archive);
  EXPECT_THAT(lock(built).command,
              ElementsAre("java", "-XX:SharedArchiveFile=" + archive.native(), "-Xlog:disable",
                          "-jar", (place / "target" / "adapter.jar").native()));
  EXPECT_FALSE(lock(built).is_outdated());
  write_later(place / "Adapter.java");
  EXPECT_TRUE(lock(built).is_outdated());
}

TEST_F(LockFiles, StartWithTheJavaThatWasFetched) {
  const std::string built = R"("start": ["java", "-version"], "install": {"java": "25.0.2.1"})";
  const auto own = lock(built).own_java();
  write(own);
  EXPECT_THAT(lock(built).command, ElementsAre(own.native(), "-version"));
}

TEST_F(LockFiles, NameTheProgramThatCargoBuildsBesideThem) {
  const auto rust = lock(R"("start": ["adapter"], "install": {"cargo": "1.85"})");
  const auto program = directory.path() / "mine" / "adapter";
  EXPECT_THAT(rust.command, ElementsAre(program.native()));
  EXPECT_EQ(rust.cargo, "1.85");
}

TEST_F(LockFiles, AreOutdatedOnceASourceIsNewer) {
  const auto rust = lock(R"("start": ["adapter"], "install": {"cargo": "1.85"})");
  std::ofstream(rust.program) << "";
  const auto built = std::filesystem::last_write_time(rust.program);
  for (const auto* source : {"adapter.rs", "Cargo.toml", "Cargo.lock"}) {
    const auto file = rust.directory / source;
    std::ofstream(file) << "";
    std::filesystem::last_write_time(file, built + std::chrono::seconds(1));
    EXPECT_TRUE(rust.is_outdated()) << source;
    std::filesystem::last_write_time(file, built);
    EXPECT_FALSE(rust.is_outdated()) << source;
  }
}

TEST_F(LockFiles, AreOutdatedOnceAHelperIsNewer) {
  const auto rust = lock(R"("start": ["adapter"], "install": {"cargo": "1.85"})");
  std::ofstream(rust.program) << "";
  write(rust.directory / "adapter.rs");
  const auto built = std::filesystem::last_write_time(rust.directory / "adapter.rs");
  std::filesystem::last_write_time(rust.program, built);
  const auto helpers = directory.path() / "helpers";
  write_later(helpers / "lockclient" / "client.go");
  EXPECT_FALSE(rust.is_outdated());
  write_later(helpers / "lock-client" / "client.rs");
  EXPECT_TRUE(rust.is_outdated());
}

TEST_F(LockFiles, SayThatPipInstalls) {
  EXPECT_TRUE(lock(R"("install": {"pip": "requirements.txt"})").pip);
  EXPECT_FALSE(lock().pip);
}

TEST_F(LockFiles, AreRefusedWithAReason) {
  for (const auto* part : {"0", "1", "3"}) {
    EXPECT_THAT(wrong_with(R"("renewal": {"after": )" + std::string(part) + "}"),
                HasSubstr("between 0 and 1"));
  }
  EXPECT_THAT(wrong_with(R"("renewal": {"shortest_lease_ms": 9})"), HasSubstr("needs \"after\""));
  EXPECT_THAT(wrong_with(R"("loss": {"how": "guessed"})"), HasSubstr("cannot be \"guessed\""));
  EXPECT_THAT(wrong_with("}"), HasSubstr("does not describe a lock"));
}

TEST_F(LockFiles, DecideWhichScenariosApply) {
  const auto why = [&](const char* scenario, const std::string& more = "", int nodes = 1) {
    return why_not_applicable(*find_scenario(scenario), tested_lock_of(lock(more), nodes));
  };
  EXPECT_EQ(why("frozen_mid_release"), "");
  EXPECT_EQ(why("slow_holder"), "not promised: that it renews its lease");
  EXPECT_EQ(why("slow_holder", R"("renewal": {"by": "user", "after": 0.5})"),
            "not promised: that it renews its lease: its user does");
  EXPECT_EQ(why("no_overtaking"), "not promised: a queue of its waiters");
  EXPECT_EQ(why("late_extend"), "not promised: that its holder can extend its lease");
  EXPECT_THAT(why("slow_acquire"), HasSubstr("waits without end for a reply"));
  EXPECT_EQ(why("slow_acquire", R"("unanswered": {"after_ms": 3000})"), "");
  EXPECT_EQ(why("lost_word"), "a waiter gets no message, and asks again");
  EXPECT_EQ(why("lost_word", R"("waiting": {"how": "notified"})"), "");
  EXPECT_EQ(why("killed_holder", R"("server": "etcd")"), "");
  EXPECT_EQ(why("failover", R"("server": "etcd")"), "it stands on one server");
  EXPECT_EQ(why("failover", R"("server": "etcd")", 3), "");
  EXPECT_THAT(why("amnesia", R"("server": "etcd")", 3), HasSubstr("about a Redis server"));
  EXPECT_THAT(why("reply_lost_acquire", R"("server": "etcd")"), HasSubstr("single messages"));
}

// The two sides of one word: a typing mistake in a scenario would leave it out everywhere.
TEST(Promises, AreWordsOfTheProtocol) {
  const std::vector<std::string_view> words{"lease",   "token",       "renewal", "max_hold",
                                            "session", "reentrant",   "join",    "quorum",
                                            "fencing", "loss_notice", "queue",   "discovery",
                                            "freed"};  // a lease or a session
  for (const auto& scenario : all_scenarios()) {
    for (const auto word : scenario.promises) EXPECT_THAT(words, testing::Contains(word));
  }
}

}  // namespace
}  // namespace faults
