#include "faults/kit/redis_binary.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/deadline.h"
#include "faults/kit/process.h"
#include "faults/kit/program_path.h"

namespace faults {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The program's answer to --version.
std::string version_text(const RedisBinary& binary, Reaper& reaper, milliseconds limit) {
  core::Deadline deadline(limit);
  Process process({.program = binary.program,
                   .arguments = {binary.runs_as, "--version"},
                   .environment = {},
                   .log = "/dev/null"},
                  reaper);
  process.input().reset();
  pollfd more{.fd = process.output().get(), .events = POLLIN, .revents = 0};
  std::string text;
  std::array<char, 512> bytes{};
  for (;;) {
    if (deadline.is_over()) {
      throw CannotRun(
          fmt::format("waited {} ms for the answer of {} to --version; point REDIS_SERVER at a "
                      "Redis or Valkey server",
                      limit.count(), binary.program.native()));
    }
    constexpr int step_ms = 50;
    if (poll(&more, 1, step_ms) <= 0) continue;
    const auto count = read(more.fd, bytes.data(), bytes.size());
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

struct Product {
  std::string name;  // Redis or Valkey
  int major = 0;
  int minor = 0;
  int patch = 0;
};

Product product_of(const RedisBinary& binary, Reaper& reaper, milliseconds limit) {
  const auto text = version_text(binary, reaper, limit);
  const auto found = std::min(text.find("v="), text.size());
  Product product{.name = text.substr(0, text.find(' '))};
  if (std::sscanf(text.c_str() + found, "v=%d.%d.%d", &product.major, &product.minor,
                  &product.patch) != 3) {
    throw CannotRun(
        fmt::format("{} does not say that it is a Redis or Valkey server; point "
                    "REDIS_SERVER at one",
                    binary.program.native()));
  }
  return product;
}

}  // namespace

RedisBinary find_redis() {
  if (const char* wanted = std::getenv("REDIS_SERVER"); wanted != nullptr && *wanted != '\0') {
    const std::string text = wanted;
    const auto found = text.find('/') == std::string::npos ? program_on_path(text) : fs::path(text);
    if (!found || access(found->c_str(), X_OK) != 0) {
      throw CannotRun(
          fmt::format("REDIS_SERVER is \"{}\", which is not a program that can be run; "
                      "correct it, or unset it to use the one on the PATH",
                      text));
    }
    const auto name = found->filename().native();
    return {.program = *found, .runs_as = name == "redis-check-rdb" ? "redis-server" : name};
  }
  for (const auto* name : {"redis-server", "valkey-server", "redis-check-rdb"}) {
    if (const auto found = program_on_path(name)) {
      const std::string runs_as = name;
      return {.program = *found,
              .runs_as = runs_as == "redis-check-rdb" ? "redis-server" : runs_as};
    }
  }
  throw CannotRun(
      "there is no redis-server on the PATH; install the package redis-tools (or redis-server), or "
      "point REDIS_SERVER at one");
}

std::string version_of(const RedisBinary& binary, Reaper& reaper, milliseconds limit) {
  const auto [product, major, minor, patch] = product_of(binary, reaper, limit);
  auto version = fmt::format("{}.{}.{}", major, minor, patch);
  if (std::pair(major, minor) < std::pair(6, 2)) {
    throw CannotRun(
        fmt::format("{} is version {}, and 6.2 is the oldest that will do; install a "
                    "newer one, or point REDIS_SERVER at one",
                    binary.program.native(), version));
  }
  return version;
}

bool is_at_least(const RedisBinary& binary, const std::string& needed, Reaper& reaper) {
  const auto is = product_of(binary, reaper, redis_start_limit);
  const auto blank = needed.find(' ');
  const auto product = needed.substr(0, blank);
  int major = 0;
  int minor = 0;
  if (blank == std::string::npos ||
      std::sscanf(needed.c_str() + blank, "%d.%d", &major, &minor) != 2) {
    throw CannotRun(fmt::format("\"{}\" names no server: such as \"Redis 8.4\"", needed));
  }
  return is.name == product && std::pair(is.major, is.minor) >= std::pair(major, minor);
}

}  // namespace faults
