// Uses the locks from another program: installs them, finds them, builds, and runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/testing/certificates.h"
#include "core/testing/tls_server.h"
#include "faults/testing/called_program.h"
#include "faults/testing/redis_test.h"

namespace {

namespace fs = std::filesystem;
using faults::ProgramResult;
using testing::HasSubstr;
using testing::Not;

// The lines of outside/README.md that begin so.
std::vector<std::string> readme_lines(std::string_view beginning) {
  std::ifstream readme(LAB_SOURCE_DIR "/production/examples/outside/README.md");
  std::vector<std::string> found;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with(beginning)) found.push_back(line);
  }
  return found;
}

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  const auto at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class OutsideProgram : public faults::RedisTest {
 protected:
  // Fails the test, with all that was said, unless it succeeds.
  void cmake(std::vector<std::string> arguments) {
    const auto ended = playground_.call(CMAKE_PROGRAM, std::move(arguments));
    ASSERT_EQ(ended.code, 0) << ended.output << ended.errors;
  }
  void configure(const std::string& project) {
    cmake({"-S", project, "-B", built(), "-G", CMAKE_MAKE, "-DCMAKE_CXX_COMPILER=" CXX_COMPILER,
           "-DCMAKE_PREFIX_PATH=" + installed()});
  }
  // As its README says, on the packages that ./lab installs. The library is the one of this build:
  // its own takes minutes.
  void build() {
    const auto installs = readme_lines("cmake --install ");
    ASSERT_EQ(installs.size(), 1U);
    ASSERT_NO_FATAL_FAILURE(type(replaced(installs.front(), "build-library", LAB_BINARY_DIR)));
    const auto builds = readme_lines("cmake -S ");
    ASSERT_EQ(builds.size(), 1U);
    ASSERT_NO_FATAL_FAILURE(type(builds.front()));
    EXPECT_TRUE(fs::exists(playground_.path("outside/build/build.ninja")));
  }
  [[nodiscard]] ProgramResult run(const std::string& url) {
    return playground_.call(playground_.path("outside/build/orders"), {}, {{"REDIS_URL", url}});
  }

  // As a person types it, in a copy of outside/ whose home directory is empty.
  void type(const std::string& line) {
    const auto place = playground_.path("outside");
    if (!fs::exists(place)) fs::copy(LAB_SOURCE_DIR "/production/examples/outside", place);
    const auto ended =
        playground_.call("/bin/sh", {"-c", "cd '" + place.native() + "' && " + line},
                         {{"HOME", playground_.path("home")},
                          {"CXX", CXX_COMPILER},
                          // CMake's own default: where there is no `make`, a build with it fails.
                          {"CMAKE_GENERATOR", "Unix Makefiles"}});
    ASSERT_EQ(ended.code, 0) << line << '\n' << ended.output << ended.errors;
  }

  // A server as in docs/in-production.md: with TLS, and a user who may do what locks do.
  [[nodiscard]] std::optional<int> secure(const core::Authority& authority) {
    redis().direct().command(
        {"ACL",        "SETUSER",      "locker",   "on",       ">opensesame", "~lock:*", "&lock:*",
         "-@all",      "+eval",        "+evalsha", "+pexpire", "+pttl",       "+del",    "+hget",
         "+hset",      "+hmget",       "+hdel",    "+hlen",    "+hexists",    "+time",   "+publish",
         "+subscribe", "+unsubscribe", "+exists",  "+get",     "+set",        "+incr"});
    return core::listen_for_tls(redis().direct(), authority.issue("server", "DNS:localhost"),
                                authority.certificate_file());
  }

  [[nodiscard]] std::string installed() const { return playground_.path("installed"); }
  [[nodiscard]] std::string built() const { return playground_.path("built"); }
  [[nodiscard]] const faults::Playground& playground() const { return playground_; }

 private:
  faults::Playground playground_;
};

TEST_F(OutsideProgram, LocksWithTlsAndAPassword) {
  ASSERT_NO_FATAL_FAILURE(build());
  const auto headers = playground().path("home/.local/include/redis_lock_lab");
  EXPECT_TRUE(fs::exists(headers / "stage8_fencing"));
  for (const auto* room : {"faults", "client", "stage3_set_nx_px"}) {
    EXPECT_FALSE(fs::exists(headers / room)) << room;
  }

  const auto plain = run("redis://" + link().address().text());
  EXPECT_EQ(plain.code, 0) << plain.errors;
  EXPECT_THAT(plain.output, HasSubstr("worked on the order, with the lock at 127.0.0.1:"));

  const core::Authority authority(playground().path(""), "authority");
  const auto port = secure(authority);
  if (!port) GTEST_SKIP() << "this server was built without TLS";
  const auto place = "@localhost:" + std::to_string(*port) + "?ca=" + authority.certificate_file();
  const auto let_in = run("rediss://locker:opensesame" + place);
  EXPECT_EQ(let_in.code, 0) << let_in.errors;
  EXPECT_THAT(let_in.output, HasSubstr("the store checks fencing token 2\n"));

  const auto refused = run("rediss://locker:openbarley" + place);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("does not let us in: WRONGPASS"));
  EXPECT_THAT(refused.errors, Not(HasSubstr("openbarley")));
}

TEST_F(OutsideProgram, ReadmeNamesPackagesThatLabInstalls) {
  const auto lines = readme_lines("apt-get install ");
  ASSERT_EQ(lines.size(), 1U);
  std::istringstream words(lines.front());
  std::vector<std::string> packages{std::istream_iterator<std::string>(words), {}};
  packages.erase(packages.begin(), packages.begin() + 2);
  EXPECT_THAT(packages, testing::IsSupersetOf({"cmake", "g++", "ninja-build"}));
  std::ifstream file(LAB_SOURCE_DIR "/tools/app/entry/install.sh");
  const std::string script{std::istreambuf_iterator<char>(file), {}};
  for (const auto& package : packages) {
    EXPECT_THAT(script, HasSubstr("\n  \"" + package + ' '));
  }
}

TEST_F(OutsideProgram, FindsTheExporter) {
  if (!HAS_EXPORTER) GTEST_SKIP() << "prometheus-cpp-dev is not there";
  ASSERT_NO_FATAL_FAILURE(cmake({"--install", LAB_BINARY_DIR, "--prefix", installed()}));
  EXPECT_TRUE(fs::exists(fs::path(installed()) / "share/redis_lock_lab/alerts.yml"));
  std::ofstream(playground().path("CMakeLists.txt")) << R"(
    cmake_minimum_required(VERSION 3.21)
    project(within LANGUAGES CXX)
    find_package(redis_lock_lab REQUIRED)
    add_executable(counted counted.cpp)
    target_link_libraries(counted PRIVATE redis_lock_lab::exporter))";
  std::ofstream(playground().path("counted.cpp")) << R"(
    #include "production/exporter/prometheus_observer.h"
    int main() {
      prometheus::Registry registry;
      exporter::PrometheusObserver("orders", registry).attempted();
    })";
  configure(playground().path(""));
  cmake({"--build", built()});
}

// Under the names of the installed ones. They are not built again: to configure finds them.
TEST_F(OutsideProgram, FindsTheLocksInTheirSources) {
  std::ofstream(playground().path("CMakeLists.txt")) << R"(
    cmake_minimum_required(VERSION 3.21)
    project(within LANGUAGES CXX)
    add_subdirectory(")" LAB_SOURCE_DIR R"(" locks)
    add_executable(orders ")" LAB_SOURCE_DIR R"(/production/examples/outside/orders.cpp")
    target_link_libraries(orders PRIVATE redis_lock_lab::core redis_lock_lab::fair_queue
      redis_lock_lab::stage4_lua_release redis_lock_lab::stage8_fencing))";
  configure(playground().path(""));
}

}  // namespace
