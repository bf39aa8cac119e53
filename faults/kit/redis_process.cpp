#include "faults/kit/redis_process.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "faults/kit/deadline.h"
#include "faults/kit/errors.h"

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
  Deadline deadline(plan.limit);
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

// The process that answers at `door` (https://redis.io/docs/latest/commands/info/).
pid_t process_behind(core::Server& door) {
  constexpr std::string_view field = "process_id:";
  const auto info = door.command({"INFO", "server"});
  const auto text = info.text();
  const auto found = text.find(field);
  pid_t id = -1;
  if (found == std::string_view::npos) return id;
  const auto* number = text.data() + found + field.size();
  std::from_chars(number, text.data() + text.size(), id);
  return id;
}

void must_be_no_wrapper(core::Server& door, const Process& process, const RedisPlan& plan) {
  if (process_behind(door) == process.id()) return;
  throw CannotRun(
      fmt::format("{} starts the server as another process, which no fault would hit; begin the "
                  "line that starts it with exec, or point REDIS_SERVER at the server itself",
                  plan.binary.program.native()));
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
  must_be_no_wrapper(door, *process, plan);
  return process;
}

}  // namespace faults
