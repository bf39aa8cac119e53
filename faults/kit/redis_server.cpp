#include "faults/kit/redis_server.h"

#include <fmt/format.h>

#include "faults/kit/errors.h"
#include "faults/kit/redis_process.h"
#include "faults/kit/watcher.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

// The answer to TIME (https://redis.io/docs/latest/commands/time/): seconds and microseconds.
std::chrono::system_clock::time_point time_in(const core::Reply& answer) {
  return std::chrono::system_clock::time_point(
      std::chrono::seconds(std::stoll(std::string(answer.text(0)))) +
      std::chrono::microseconds(std::stoll(std::string(answer.text(1)))));
}

}  // namespace

RedisServer::RedisServer(RedisBinary binary, Loop& loop, History& history, Reaper& reaper,
                         std::string name, std::filesystem::path log, Durability durability,
                         std::vector<std::string> options)
    : binary_(std::move(binary)),
      loop_(loop),
      history_(history),
      reaper_(reaper),
      name_(std::move(name)),
      log_(std::move(log)),
      durability_(durability),
      options_(std::move(options)),
      directory_(reaper),
      clock_(directory_.path()),
      direct_(socket_in(directory_.path()), {.connect = standstill, .command = standstill}) {
  std::filesystem::create_directory(data());
  launch();
}

RedisServer::~RedisServer() = default;

core::Address RedisServer::address() const {
  return direct_.address();
}

void RedisServer::launch() {
  const bool keeps = durability_ == Durability::keeps;
  // clang-format off
  std::vector<std::string> arguments{"--dir", data().native(),
                                     "--save", "",
                                     "--appendonly", keeps ? "yes" : "no",
                                     "--appendfsync", "always",
                                     // Looks for expired keys 100 times a second, so that the
                                     // history shows the end of a lease when it comes and not up to
                                     // 100 ms later.
                                     "--hz", "100",
                                     "--notify-keyspace-events", "KA",
                                     "--jemalloc-bg-thread", "no",  // nothing to tidy up
                                     // Or a replica would be kept waiting for 5 s.
                                     "--repl-diskless-sync-delay", "0"};
  // clang-format on
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  process_ = start_redis({.binary = binary_,
                          .arguments = std::move(arguments),
                          .environment = clock_.environment(),
                          .log = log_},
                         direct_, reaper_);
  watch();
}

void RedisServer::watch() {
  watcher_.reset();  // first: it goes under the same address
  watcher_ = std::make_unique<Watcher>(loop_, history_, name_, address());
}

void RedisServer::start() {
  launch();
  note_restart();
}

void RedisServer::start_empty() {
  std::filesystem::remove_all(data());
  std::filesystem::create_directory(data());
  launch();
  note_restart();
}

// A server announces what changes, and nothing changes when it comes back with its data: so what it
// still has is written down here.
void RedisServer::note_restart() {
  const auto keys = direct_.command({"KEYS", "*"});
  const auto* how = keys.parts() == 0 ? "empty" : "with its data";
  history_.add(name_, Kind::fault, {{"what", fault::restarted}, {"how", how}});
  for (std::size_t i = 0; i < keys.parts(); ++i) {
    history_.add(name_, Kind::server, {{"what", "kept"}, {"key", keys.text(i)}});
  }
}

void RedisServer::step_clock(milliseconds by) {
  using std::chrono::system_clock;
  clock_.step(by);
  const auto before = system_clock::now();
  const auto answer = direct_.command({"TIME"});
  const auto after = system_clock::now();
  const auto now = time_in(answer) - clock_.offset();
  if (now < before - milliseconds(1) || now > after + milliseconds(1)) {
    throw NotExercised(fmt::format("{}'s clock was to jump by {} ms, and its TIME does not show it",
                                   name_, by.count()));
  }
  history_.add(name_, Kind::fault, {{"what", fault::stepped}, {"by_ms", by.count()}});
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
