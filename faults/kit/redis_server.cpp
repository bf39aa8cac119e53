#include "faults/kit/redis_server.h"

#include <fmt/format.h>

#include <thread>

#include "core/deadline.h"
#include "core/error.h"
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

// How long a server may not notice that its clock was set. Some ask for the wall clock once in a
// millisecond, and add what has passed since by the CPU's own clock
// (https://github.com/valkey-io/valkey/pull/3193).
constexpr milliseconds longest_notice{100};

constexpr const char* log_name = "log";  // leads to the log of the world that it serves

std::unique_ptr<RedisInstance> taken_or_new(RedisPool* pool, Reaper& reaper,
                                            Durability durability) {
  auto taken = pool == nullptr ? nullptr : pool->take(durability);
  return taken ? std::move(taken) : std::make_unique<RedisInstance>(reaper, durability);
}

// Lists what an earlier world left on it that cannot be put back; empty if there is nothing.
std::string left_in(RedisInstance& instance) {
  if (instance.clock.offset() != std::chrono::nanoseconds(0)) return "its clock has jumped";
  try {
    return left_over(instance.as_started, put_back(instance.keeper, instance.as_started));
  } catch (const core::ServerError& error) {
    return error.what();
  }
}

}  // namespace

RedisServer::RedisServer(RedisBinary binary, Loop& loop, History& history, Reaper& reaper,
                         std::string name, const std::filesystem::path& log, Durability durability,
                         std::vector<std::string> options, RedisPool* pool, int port)
    : binary_(std::move(binary)),
      loop_(loop),
      history_(history),
      reaper_(pool == nullptr ? reaper : pool->reaper()),
      pool_(options.empty() && port == 0 ? pool : nullptr),
      name_(std::move(name)),
      options_(std::move(options)),
      port_(port),
      instance_(taken_or_new(pool_, reaper_, durability)),
      direct_(instance_->keeper.address(), {.connect = standstill, .command = standstill}) {
  const bool is_new = !instance_->process;
  if (!is_new) must_be_as_fresh();
  write_to(log);
  if (is_new) {
    std::filesystem::create_directory(data());
    launch(instance_->keeper);
    if (pool_ != nullptr) instance_->as_started = state_of(instance_->keeper);
  }
  watch();
}

RedisServer::~RedisServer() {
  watcher_.reset();
  const bool is_well = !retired_ && process().running() && !process().frozen();
  if (pool_ != nullptr && is_well) pool_->give_back(std::move(instance_));
}

// The server opens its log for each line.
void RedisServer::write_to(const std::filesystem::path& log) {
  const auto link = directory() / "new-log";
  std::filesystem::create_symlink(std::filesystem::absolute(log), link);
  std::filesystem::rename(link, directory() / log_name);
}

void RedisServer::must_be_as_fresh() {
  const auto left = left_in(*instance_);
  if (left.empty()) return;
  const auto log = std::filesystem::read_symlink(directory() / log_name);
  throw CannotRun(fmt::format("{} is not as it was before the execution in {}: {}", name_,
                              log.parent_path().native(), left));
}

core::Address RedisServer::address() const {
  return direct_.address();
}

void RedisServer::launch(core::Server& door) {
  const bool keeps = instance_->durability == Durability::keeps;
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
  instance_->process = start_redis({.binary = binary_,
                                    .arguments = std::move(arguments),
                                    .environment = instance_->clock.environment(),
                                    .log = directory() / log_name,
                                    .port = port_},
                                   door, reaper_);
}

void RedisServer::watch() {
  watcher_.reset();  // first: it goes under the same address
  watcher_ = std::make_unique<Watcher>(loop_, history_, name_, address());
}

void RedisServer::start() {
  launch(direct_);  // whose connections are those of before
  watch();
  note_restart();
}

void RedisServer::start_empty() {
  std::filesystem::remove_all(data());
  std::filesystem::create_directory(data());
  start();
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
  retire();
  instance_->clock.step(by);
  // Not after the wait: by then keys may have ended.
  history_.add(name_, Kind::fault, {{"what", fault::stepped}, {"by_ms", by.count()}});
  core::Deadline deadline(longest_notice);
  for (bool is_last = false; !shows_its_clock(); is_last = deadline.is_over()) {
    if (is_last) {
      throw NotExercised(fmt::format(
          "{}'s clock was to jump by {} ms, and its TIME does not show it", name_, by.count()));
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

bool RedisServer::shows_its_clock() {
  using std::chrono::system_clock;
  const auto before = system_clock::now();
  const auto answer = direct_.command({"TIME"});
  const auto after = system_clock::now();
  const auto now = time_in(answer) - instance_->clock.offset();
  return now >= before - milliseconds(1) && now <= after + milliseconds(1);
}

void RedisServer::catch_up() {
  if (watcher_) watcher_->catch_up();
}

void RedisServer::freeze() {
  retire();
  LockServer::freeze();
}

void RedisServer::kill() {
  retire();
  watcher_.reset();
  process().kill();
  if (process().running()) throw NotExercised(name_ + " was to be killed, and still runs");
  history_.add(name_, Kind::fault, {{"what", fault::killed}});
}

}  // namespace faults
