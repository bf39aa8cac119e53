#include "faults/kit/redis_process.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "faults/kit/errors.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The last line a server wrote before it gave up: why.
std::string last_line(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : last;
}

void wait_until_it_answers(core::Server& door, Process& process, const RedisPlan& plan) {
  const auto deadline = std::chrono::steady_clock::now() + standstill;
  for (;;) {
    try {
      (void)door.command({"PING"});
      return;
    } catch (const core::ServerError& error) {
      const auto& program = plan.binary.program.native();
      if (const auto end = process.ending(milliseconds(0))) {
        throw CannotRun(
            fmt::format("{} did not start, it {}: {}", program, end->text(), last_line(plan.log)));
      }
      if (std::chrono::steady_clock::now() > deadline) {
        throw CannotRun(fmt::format("waited {} s for {} to answer: {}", standstill / seconds(1),
                                    program, error.what()));
      }
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

}  // namespace

// The path must fit into sockaddr_un (unix(7)).
core::Address socket_in(const std::filesystem::path& directory) {
  auto path = directory / "redis.sock";
  if (path.native().size() > 100) {
    throw CannotRun(
        fmt::format("{} is too long a path for a unix socket; point TMPDIR at a "
                    "directory with a shorter name",
                    path.native()));
  }
  return {.host = {}, .port = 0, .unix_path = path.native()};
}

std::unique_ptr<Process> start_redis(const RedisPlan& plan, core::Server& door, Reaper& reaper) {
  std::vector<std::string> arguments{plan.binary.runs_as};
  arguments.insert(arguments.end(), plan.arguments.begin(), plan.arguments.end());
  const auto log = std::filesystem::absolute(plan.log).native();
  arguments.insert(arguments.end(), {"--port", std::to_string(plan.port), "--unixsocket",
                                     door.address().unix_path, "--logfile", log});
  auto process = std::make_unique<Process>(Command{.program = plan.binary.program,
                                                   .arguments = std::move(arguments),
                                                   .environment = plan.environment,
                                                   .log = plan.log},
                                           reaper);
  wait_until_it_answers(door, *process, plan);
  return process;
}

}  // namespace faults
