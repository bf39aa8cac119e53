// The helpers and some locks of field/, where they are installed: their adapters speak the
// protocol, and a verdict is what is known of that library. Any other test does without them.
//
// With LAB_FIELD=all in the environment a lock that is not installed is a failure, not left out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "core/testing/eventually.h"
#include "faults/testing/called_program.h"
#include "tools/field/locks.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using faults::Playground;
using faults::ProgramResult;
using testing::HasSubstr;

bool must_all_be_there() {
  const auto* wanted = std::getenv("LAB_FIELD");
  return wanted != nullptr && std::string(wanted) == "all";
}

class Field : public testing::Test {
 protected:
  ProgramResult call(std::vector<std::string> arguments) {
    return playground_.call(LAB_PROGRAM, std::move(arguments));
  }

  void must_be_installed(const std::string& name) {
    if (field::lock_file_named(name).is_installed()) return;
    if (must_all_be_there()) FAIL() << name << " is not installed";
    GTEST_SKIP() << "./lab field install " << name;
  }

  void expect_right(const std::vector<std::string>& lock) {
    std::vector<std::string> words{"field", "check"};
    words.insert(words.end(), lock.begin(), lock.end());
    const auto ended = call(words);
    EXPECT_EQ(ended.code, 0) << ended.output << ended.errors;
    EXPECT_THAT(ended.output, HasSubstr("the adapter speaks the protocol"));
  }

  // The exit code says the verdict: 0 holds, 1 violated.
  void expect_code(int code, const std::string& name, const std::string& scenario) {
    const auto ended = call({"run", name, scenario, "--runs", playground_.path("runs").native()});
    EXPECT_EQ(ended.code, code) << ended.output << ended.errors;
  }

  // A template beside the helpers, as `field new` puts it; the command that starts it.
  std::string made_from(const std::string& language, const std::string& program,
                        const std::string& file) {
    const auto locks = fs::path(LAB_SOURCE_DIR) / "field";
    const auto place = playground_.path("field");
    fs::create_directories(place / "mine");
    if (!fs::exists(place / "helpers")) {
      fs::create_directory_symlink(locks / "helpers", place / "helpers");
    }
    fs::copy_file(locks / "templates" / language / file, place / "mine" / file);
    return fmt::format("{} {}", program, (place / "mine" / file).native());
  }

  void expect_template_right(const std::string& language, const std::string& program,
                             const std::string& file) {
    if (std::system(fmt::format("command -v {} >/dev/null", program).c_str()) != 0) {
      GTEST_SKIP() << "there is no " << program;
    }
    expect_right({"--client", made_from(language, program, file)});
  }

 private:
  Playground playground_;
};

TEST_F(Field, TemplateInPythonIsRight) {
  expect_template_right("python", "/usr/bin/python3", "adapter.py");
}

TEST_F(Field, TemplateInNodeIsRight) {
  expect_template_right("node", "node", "adapter.mjs");
}

TEST_F(Field, TemplateInPhpIsRight) {
  expect_template_right("php", "php", "adapter.php");
}

TEST_F(Field, TemplateInGoIsRight) {
  if (std::system("command -v go >/dev/null") != 0) GTEST_SKIP() << "there is no go";
  (void)made_from("go", "", "go.mod");
  const fs::path source = made_from("go", "", "adapter.go").substr(1);
  const auto build =
      fmt::format("cd '{}' && go build -o adapter . >&2", source.parent_path().native());
  ASSERT_EQ(std::system(build.c_str()), 0);
  expect_right({"--client", (source.parent_path() / "adapter").native()});
}

TEST_F(Field, TemplateInJavaIsRight) {
  if (std::system("command -v mvn >/dev/null") != 0) GTEST_SKIP() << "there is no mvn";
  (void)made_from("java", "", "pom.xml");
  const fs::path source = made_from("java", "", "Adapter.java").substr(1);
  const auto place = source.parent_path();
  const auto build = fmt::format("mvn {} -B -q -f '{}' package >&2",
                                 must_all_be_there() ? "" : "-o", (place / "pom.xml").native());
  const bool is_built = std::system(build.c_str()) == 0;
  if (!is_built && !must_all_be_there()) GTEST_SKIP() << "./lab field install redisson";
  ASSERT_TRUE(is_built);
  expect_right({"--client", "java -jar " + (place / "target" / "adapter.jar").native()});
}

// Its crates are those of rslock, which brings them to this machine. The build directory keeps what
// was compiled of them.
TEST_F(Field, TemplateInRustIsRight) {
  if (!field::lock_file_named("rslock").is_installed())
    GTEST_SKIP() << "./lab field install rslock";
  (void)made_from("rust", "", "Cargo.toml");
  (void)made_from("rust", "", "Cargo.lock");
  const fs::path source = made_from("rust", "", "adapter.rs").substr(1);
  const auto target = fs::path(LAB_BINARY_DIR) / "rust-template";
  const auto build =
      fmt::format("cd '{}' && cargo build --quiet --offline --locked --target-dir '{}' >&2",
                  source.parent_path().native(), target.native());
  ASSERT_EQ(std::system(build.c_str()), 0);
  expect_right({"--client", (target / "debug" / "adapter").native()});
}

TEST_F(Field, TemplateInCppIsRight) {
  expect_right({"--client", LAB_CPP_TEMPLATE});
}

TEST_F(Field, RedisPyIsJudged) {
  must_be_installed("redis-py");
  if (IsSkipped() || HasFatalFailure()) return;
  expect_right({"redis-py"});
  expect_code(0, "redis-py", "frozen_mid_release");
  expect_code(1, "redis-py", "frozen_holder");  // it has no fencing token
}

TEST_F(Field, JedisHasAnArchiveOfItsClasses) {
  if (!field::lock_file_named("jedis").is_installed()) {
    GTEST_SKIP() << "./lab field install jedis";
  }
  fs::remove(field::lock_file_named("jedis").java_archive());
  EXPECT_EQ(call({"field", "install", "jedis"}).code, 0);
  EXPECT_TRUE(fs::exists(field::lock_file_named("jedis").java_archive()));
}

TEST_F(Field, RedisSemaphoreIsJudged) {
  must_be_installed("redis-semaphore");
  if (IsSkipped() || HasFatalFailure()) return;
  expect_right({"redis-semaphore"});
  expect_code(0, "redis-semaphore", "slow_holder");
  expect_code(1, "redis-semaphore", "amnesia");  // one server, which forgets
}

// A lock that its thread may take again; its program is a JVM.
TEST_F(Field, RedissonIsJudged) {
  if (!field::lock_file_named("redisson").is_installed()) {
    GTEST_SKIP() << "./lab field install redisson";
  }
  expect_right({"redisson"});
  expect_code(0, "redisson", "slow_holder");
  expect_code(1, "redisson", "amnesia");  // one server, which forgets
}

// Locks that stand on servers which agree with each other.
class FieldOnConsensus : public Field, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    if (field::lock_file_named(GetParam()).is_installed()) return;
    GTEST_SKIP() << "./lab field install " << GetParam();
  }
};

TEST_P(FieldOnConsensus, AdapterIsRight) {
  expect_right({GetParam()});
}

TEST_P(FieldOnConsensus, DoesNotHelpAFrozenHolder) {
  expect_code(1, GetParam(), "frozen_holder");
}

TEST_P(FieldOnConsensus, FencesAFrozenHolder) {
  expect_code(0, GetParam() + "/fencing", "frozen_holder");
}

// Their client libraries know all three servers.
using FieldOnThreeServers = FieldOnConsensus;

TEST_P(FieldOnThreeServers, SurvivesItsLeader) {
  expect_code(0, GetParam() + "/three_nodes", "failover");
}

std::string name_of(const testing::TestParamInfo<std::string>& each) {
  auto name = each.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Locks, FieldOnConsensus,
                         testing::Values("etcd", "etcd-node", "etcd-go", "zookeeper", "curator"),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Locks, FieldOnThreeServers,
                         testing::Values("etcd-node", "etcd-go", "zookeeper", "curator"), name_of);

// The lock of a database ends with its connection: at once where the holder dies, and not where
// the connection only hangs.
using FieldOnDatabase = FieldOnConsensus;

std::set<std::string> segments_of_postgresql() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    auto name = entry.path().filename().native();
    if (name.starts_with("PostgreSQL.")) names.insert(std::move(name));
  }
  return names;
}

TEST_P(FieldOnDatabase, IsFreedByADeathAndNotByASilence) {
  const auto segments = segments_of_postgresql();
  expect_right({GetParam()});
  expect_code(0, GetParam(), "killed_holder");
  expect_code(1, GetParam(), "cut_off_waiter");
  // Another test's initdb has some, for a moment.
  std::set<std::string> left;
  for (const auto& name : segments_of_postgresql()) {
    if (!segments.contains(name)) left.insert(name);
  }
  core::eventually("its segments of shared memory are gone", [&] {
    return std::none_of(left.begin(), left.end(),
                        [](const auto& name) { return fs::exists("/dev/shm/" + name); });
  });
}

INSTANTIATE_TEST_SUITE_P(Locks, FieldOnDatabase, testing::Values("postgresql", "mariadb"), name_of);

// A library that tells its holder of a loss by a KeyboardInterrupt in the main thread.
TEST_F(Field, PortalockerIsToldOfALoss) {
  must_be_installed("portalocker");
  if (IsSkipped() || HasFatalFailure()) return;
  expect_right({"portalocker"});
  expect_code(0, "portalocker", "failover");
}

// Every scenario that a lock.json speaks of is there.
TEST_F(Field, NamesScenariosThatAreThere) {
  for (const auto& lock : field::all_locks()) {
    for (const auto* passages : {&lock.facts.documented, &lock.facts.because}) {
      for (const auto& [scenario, passage] : *passages) {
        EXPECT_NE(faults::find_scenario(scenario), nullptr) << lock.name << ": " << scenario;
      }
    }
    for (const auto& [scenario, why] : lock.facts.not_judged) {
      EXPECT_NE(faults::find_scenario(scenario), nullptr) << lock.name << ": " << scenario;
    }
  }
}

}  // namespace
}  // namespace app
