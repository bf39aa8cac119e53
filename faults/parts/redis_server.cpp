#include "faults/parts/redis_server.h"

#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "core/error.h"
#include "faults/errors.h"
#include "faults/parts/watcher.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds start_limit{10'000};

// The last line a server wrote before it gave up: why.
std::string last_line(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : last;
}

// A unix socket's path must fit into sockaddr_un (unix(7)).
std::filesystem::path socket_in(const std::filesystem::path& directory) {
  auto path = directory / "redis.sock";
  if (path.native().size() > 100) {
    throw CannotRun(
        fmt::format("{} is too long a path for a unix socket; point TMPDIR at a "
                    "directory with a shorter name",
                    path.native()));
  }
  return path;
}

core::Address unix_address(const std::filesystem::path& path) {
  return {.host = {}, .port = 0, .unix_path = path.native()};
}

}  // namespace

RedisServer::RedisServer(RedisBinary binary, Loop& loop, History& history, Reaper& reaper,
                         std::string name, std::filesystem::path log)
    : binary_(std::move(binary)),
      loop_(loop),
      history_(history),
      reaper_(reaper),
      name_(std::move(name)),
      log_(std::move(log)),
      directory_(reaper),
      direct_(unix_address(socket_in(directory_.path())),
              {.connect = milliseconds(5'000), .command = milliseconds(5'000)}) {
  start();
}

RedisServer::~RedisServer() = default;

core::Address RedisServer::address() const {
  return direct_.address();
}

void RedisServer::start() {
  process_ = std::make_unique<Process>(
      Command{.program = binary_.program,
              // clang-format off
              .arguments = {binary_.runs_as,
                            "--port", "0",
                            "--unixsocket", direct_.address().unix_path,
                            "--dir", directory_.path().native(),
                            "--logfile", std::filesystem::absolute(log_).native(),
                            "--save", "", "--appendonly", "no",
                            // Looks for expired keys 100 times a second, so that the history shows
                            // the end of a lease when it comes and not up to 100 ms later.
                            "--hz", "100",
                            "--notify-keyspace-events", "KA"},
              // clang-format on
              .environment = {},
              .log = log_},
      reaper_);
  wait_until_it_answers();
  watcher_ = std::make_unique<Watcher>(loop_, history_, name_, address());
}

void RedisServer::wait_until_it_answers() {
  const auto deadline = std::chrono::steady_clock::now() + start_limit;
  for (;;) {
    try {
      (void)direct_.command({"PING"});
      return;
    } catch (const core::ServerError& error) {
      const auto end = process_->ending(milliseconds(0));
      if (end) {
        throw CannotRun(fmt::format("{} did not start, it {}: {}", binary_.program.native(),
                                    end->text(), last_line(log_)));
      }
      if (std::chrono::steady_clock::now() > deadline) {
        throw CannotRun(fmt::format("waited 10 s for {} to answer: {}", binary_.program.native(),
                                    error.what()));
      }
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void RedisServer::catch_up() {
  if (watcher_) watcher_->catch_up();
}

void RedisServer::kill() {
  watcher_.reset();
  process_->kill();
  if (process_->running()) throw NotExercised(name_ + " was to be killed, and still runs");
  history_.add(name_, Kind::fault, {{"what", fault::killed}});
}

}  // namespace faults
