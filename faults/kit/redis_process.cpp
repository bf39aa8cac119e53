#include "faults/kit/redis_process.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/deadline.h"
#include "core/error.h"
#include "faults/kit/errors.h"
#include "faults/kit/preload.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

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
  core::Deadline deadline(plan.limit);
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
      if (deadline.is_over()) {
        throw CannotRun(fmt::format(
            "waited {} ms for {} to answer at its socket: {}; point REDIS_SERVER at a server that "
            "takes the options of Redis",
            plan.limit.count(), program, error.what()));
      }
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

// The field of that name in INFO's reply (https://redis.io/docs/latest/commands/info/); empty if
// there is none.
std::string info_field(std::string_view info, const std::string& name) {
  const auto found = info.find("\n" + name + ":");
  if (found == std::string_view::npos) return {};
  const auto begin = found + name.size() + 2;
  return std::string(info.substr(begin, info.find('\r', begin) - begin));
}

void must_be_no_wrapper(std::string_view info, const Process& process, const RedisPlan& plan) {
  if (info_field(info, "process_id") == std::to_string(process.id())) return;
  throw CannotRun(
      fmt::format("{} starts the server as another process, which no fault would hit; begin the "
                  "line that starts it with exec, or point REDIS_SERVER at the server itself",
                  plan.binary.program.native()));
}

bool lives_in_virtual_time(const RedisPlan& plan) {
  const std::string variable(virtual_time_variable);
  return plan.environment.contains(variable) || std::getenv(variable.c_str()) != nullptr;
}

// Leases would end by another clock than the one that the run knows.
void must_ask_for_the_time(std::string_view info, const RedisPlan& plan) {
  const auto clock = info_field(info, "monotonic_clock");
  if (clock.empty() || clock.starts_with("POSIX") || !lives_in_virtual_time(plan)) return;
  throw CannotRun(
      fmt::format("{} reads the processor's own clock ({}), which goes on while virtual time does "
                  "not; point REDIS_SERVER at another server, or use real time",
                  plan.binary.program.native(), clock));
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
  const auto info = door.command({"INFO", "server"});
  must_be_no_wrapper(info.text(), *process, plan);
  must_ask_for_the_time(info.text(), plan);
  return process;
}

}  // namespace faults
