#include "explore/world/lock_server.h"

#include <poll.h>

#include <array>

#include "core/script.h"
#include "faults/kit/errors.h"
#include "faults/kit/redis_process.h"

namespace explore {
namespace {

using faults::Kind;
using std::chrono::milliseconds;

constexpr std::string_view key_channel = "__keyspace@0__:";

// Every key that will end, and in how many milliseconds.
constexpr std::string_view lease_script =
    "local ends = {} for _, key in ipairs(redis.call('KEYS', '*')) do "
    "local left = redis.call('PTTL', key) if left >= 0 then "
    "ends[#ends + 1] = key ends[#ends + 1] = left end end return ends";

std::filesystem::path make_directory(const std::filesystem::path& directory) {
  std::filesystem::create_directory(directory);
  return directory;
}

}  // namespace

LockServer::LockServer(const faults::Stage& stage, const faults::RedisBinary& binary,
                       std::string name, const std::filesystem::path& directory, VirtualTime& time,
                       Journal& journal, faults::Reaper& reaper)
    : name_(std::move(name)),
      marker_(stage.marker),
      time_(time),
      journal_(journal),
      inside_(time, Role::server),
      direct_(faults::socket_in(make_directory(directory / name_)),
              {.connect = faults::standstill, .command = faults::standstill}) {
  process_ = faults::start_redis(
      {.binary = binary,
       .arguments = {"--dir", (directory / name_).native(), "--save", "", "--appendonly",
                     stage.keeps_data ? "yes" : "no", "--notify-keyspace-events", "KA",
                     "--jemalloc-bg-thread", "no"},
       .environment = inside_.environment(),
       .log = directory / (name_ + ".log")},
      direct_, reaper);
  inside_.must_take_part(binary.program.native());
  for (const auto& script : faults::scripts_of(stage)) {
    scripts_[std::string(direct_.command({"SCRIPT", "LOAD", script.text}).text())] = script.name;
  }
  (void)direct_.command({"SCRIPT", "LOAD", lease_script});
  watcher_ = std::make_unique<core::AsyncConnection>(direct_.address());
  const auto channels = std::string(key_channel) + "*";
  watcher_->send(std::array<std::string_view, 2>{"PSUBSCRIBE", channels});
  (void)receive();
  clear();
}

std::string LockServer::script_named(const std::string& sha1) const {
  const auto found = scripts_.find(sha1);
  return found == scripts_.end() ? "" : found->second;
}

core::Reply LockServer::receive() {
  for (;;) {
    watcher_->advance();
    if (auto reply = watcher_->next()) return std::move(*reply);
    pollfd source{.fd = watcher_->descriptor(), .events = watcher_->wants(), .revents = 0};
    const int ready = poll(&source, 1, static_cast<int>(faults::standstill.count()));
    if (ready == 0 || watcher_->broken()) throw faults::Stalled(name_ + " does not answer");
  }
}

void LockServer::clear() {
  (void)direct_.command({"FLUSHDB"});
  if (!marker_.empty()) (void)direct_.command({"SET", marker_, "1"});
}

bool LockServer::is_clear() {
  return direct_.command({"DBSIZE"}).integer() == (marker_.empty() ? 0 : 1);
}

// A PING on the connection that hears of the changes: its answer comes behind them. And a server
// sends what one round of its event loop has brought before it begins the next, in which it sees
// the PING.
void LockServer::catch_up(const std::string& client) {
  watcher_->send(std::array<std::string_view, 1>{"PING"});
  for (;;) {
    const auto heard = receive();
    if (heard.text(0) == "pong") return;
    if (heard.text(0) != "pmessage") continue;
    auto key = std::string(heard.text(2).substr(key_channel.size()));
    if (key == journal_.key()) key = faults::lock_key;
    nlohmann::json change{{"what", heard.text(3)}, {"key", key}};
    if (!client.empty()) change["by"] = client;
    journal_.add(name_, Kind::server, std::move(change));
  }
}

std::optional<Duration> LockServer::next_expiry() {
  const auto ends = direct_.command({"EVAL", lease_script, "0"});
  std::optional<Duration> next;
  for (std::size_t i = 1; i < ends.parts(); i += 2) {
    // A key is there until that millisecond is over.
    const auto end =
        std::chrono::floor<milliseconds>(time_.now()) + milliseconds(ends.integer(i) + 1);
    if (!next || end < *next) next = end;
  }
  return next;
}

// Looking at a key whose time has come removes it
// (https://redis.io/docs/latest/commands/expire/#how-redis-expires-keys).
void LockServer::look_at_time() {
  inside_.look_at_time();
  (void)direct_.command({"EXISTS", journal_.key()});
  (void)direct_.command({"EVAL", lease_script, "0"});
  catch_up({});
}

}  // namespace explore
