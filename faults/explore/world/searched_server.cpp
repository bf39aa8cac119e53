#include "faults/explore/world/searched_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "core/redis/script.h"
#include "faults/explore/coverage/stored_keys.h"
#include "faults/explore/world/unix_socket.h"
#include "faults/kit/command_names.h"
#include "faults/kit/errors.h"
#include "faults/kit/redis_process.h"

namespace explore {
namespace {

using faults::Kind;
using std::chrono::milliseconds;

constexpr std::string_view key_channel = "__keyspace@0__:";

// Reads the keys that it is given; returns every key that will end, and in how many milliseconds.
constexpr std::string_view lease_script =
    "for _, key in ipairs(KEYS) do redis.call('EXISTS', key) end "
    "local ends = {} for _, key in ipairs(redis.call('KEYS', '*')) do "
    "local left = redis.call('PTTL', key) if left >= 0 then "
    "ends[#ends + 1] = key ends[#ends + 1] = left end end return ends";

// Every key, its value as text, and in how many milliseconds it ends.
constexpr std::string_view key_script =
    "local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do "
    "local type = redis.call('TYPE', key).ok local value = type "
    "if type == 'string' then value = redis.call('GET', key) end "
    "if type == 'hash' then value = table.concat(redis.call('HGETALL', key), ' ') end "
    "all[#all + 1] = key all[#all + 1] = value all[#all + 1] = redis.call('PTTL', key) end "
    "return all";

// Every key, its value as DUMP has it, and in how many milliseconds it ends.
constexpr std::string_view copy_script =
    "local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = key "
    "all[#all + 1] = redis.call('DUMP', key) all[#all + 1] = redis.call('PTTL', key) end "
    "return all";

std::filesystem::path make_directory(const std::filesystem::path& directory) {
  std::filesystem::create_directory(directory);
  return directory;
}

// A lock of a stage keeps when a hold began, in seconds of a wall clock, for people to read. No
// client acts on it, and the same state may be met at any time.
bool is_for_people(const StoredKey& key, std::size_t part) {
  return key.type == "hash" && part % 2 == 1 && key.parts[part - 1] == "since";
}

}  // namespace

SearchedServer::SearchedServer(const faults::TestedLock& stage, const faults::RedisBinary& binary,
                               std::string name, const std::filesystem::path& directory,
                               VirtualTime& time, Journal& journal, faults::Reaper& reaper)
    : name_(std::move(name)),
      marker_(stage.marker),
      is_foreign_(stage.facts.has_value()),
      time_(time),
      journal_(journal),
      inside_(time, ProcessRole::server),
      direct_(faults::socket_in(make_directory(directory / name_)),
              {.connect = faults::standstill, .command = faults::standstill}),
      script_files_(faults::scripts_of(stage)) {
  process_ = faults::start_redis(
      {.binary = binary,
       .arguments = {"--dir", (directory / name_).native(), "--save", "", "--appendonly",
                     stage.keeps_data ? "yes" : "no", "--notify-keyspace-events", "KA",
                     "--jemalloc-bg-thread", "no"},
       .environment = inside_.environment(),
       .log = directory / (name_ + ".log")},
      direct_, reaper);
  inside_.must_take_part(binary.program.native());
  watcher_ = std::make_unique<core::AsyncConnection>(direct_.address());
  const auto channels = std::string(key_channel) + "*";
  watcher_->send(std::array<std::string_view, 2>{"PSUBSCRIBE", channels});
  catch_up_unanswered({});
  clear();
}

void SearchedServer::load_scripts() {
  for (const auto& script : script_files_) {
    auto digest = std::string(direct_.command({"SCRIPT", "LOAD", script.text}).text());
    texts_.insert_or_assign(digest, script.text);
    scripts_[std::move(digest)] = script.name;
  }
  knows_scripts_ = true;
}

std::string SearchedServer::label_of(const faults::Message& command) {
  if (const auto* script = faults::script_in(command)) {
    const auto in_history = faults::script_digest(journal_.in_words(*script));
    const auto digest = faults::script_digest(*script);
    scripts_.emplace(digest, faults::script_label(in_history));
    texts_.emplace(digest, *script);
  }
  const auto found = scripts_.find(faults::digest_in(command));
  return found == scripts_.end() ? faults::command_label(command) : found->second;
}

void SearchedServer::record_call(const faults::Message& command, ScriptCalls& calls) {
  const auto digest = faults::digest_in(command);
  const auto text = texts_.find(digest);
  if (text == texts_.end() || command.words.size() < 3) return;
  const bool by_digest = faults::script_in(command) == nullptr;
  if (by_digest && direct_.command({"SCRIPT", "EXISTS", digest}).integer(0) == 0) return;
  ScriptCall call;
  const auto count = std::strtoul(command.words[2].c_str(), nullptr, 10);
  for (std::size_t i = 3; i < command.words.size(); ++i) {
    (i < 3 + count ? call.keys : call.arguments).push_back(journal_.in_words(command.words[i]));
  }
  call.before = read_stored_keys(direct_);
  for (auto& key : call.before) {
    key.name = journal_.in_words(std::move(key.name));
    for (auto& part : key.parts) part = journal_.in_words(std::move(part));
  }
  std::sort(call.before.begin(), call.before.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  calls.add(scripts_.at(digest), journal_.in_words(text->second), std::move(call));
}

void SearchedServer::connect(ClientConnection& connection) {
  connection.upstream = connect_to(address().unix_path);
  upstream_.add(connection.upstream, &connection);
}

void SearchedServer::disconnect(ClientConnection& connection) {
  if (connection.upstream.get() < 0) return;  // it has been lost
  hang_up(connection.upstream);
  upstream_.remove(connection.upstream);
  connection.upstream.reset();
  catch_up_unanswered({});
}

std::vector<ClientConnection*> SearchedServer::readable_connections() const {
  std::vector<ClientConnection*> connections;
  for (auto* tag : upstream_.ready()) connections.push_back(static_cast<ClientConnection*>(tag));
  return connections;
}

std::vector<SearchedServer::Key> SearchedServer::read_keys(std::string_view script) {
  std::vector<Key> keys;
  const auto listed = direct_.command({"EVAL", script, "0"});
  for (std::size_t i = 0; i + 2 < listed.parts(); i += 3) {
    Key key{.name = std::string(listed.text(i)), .value = std::string(listed.text(i + 1))};
    if (listed.integer(i + 2) >= 0) key.ends_in = milliseconds(listed.integer(i + 2));
    keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return keys;
}

std::vector<Snapshot::KeyState> SearchedServer::keys() {
  std::vector<Snapshot::KeyState> keys;
  for (const auto& [name, value, ends_in] : read_keys(key_script)) {
    keys.push_back(
        {.server = name_, .name = journal_.in_words(name), .value = value, .ends_in = ends_in});
  }
  return keys;
}

std::string SearchedServer::contents() {
  std::vector<std::string> keys;
  for (const auto& key : read_stored_keys(direct_)) {
    auto text = fmt::format("{} {} {}", journal_.in_words(key.name), key.type, key.ms_left);
    for (std::size_t i = 0; i < key.parts.size(); ++i) {
      if (is_foreign_ || !is_for_people(key, i)) text += " " + key.parts[i];
    }
    keys.push_back(std::move(text));
  }
  std::sort(keys.begin(), keys.end());
  auto text = fmt::format("{}", fmt::join(keys, "\n"));
  if (ahead_ > Duration(0)) text += fmt::format("\nits clock is {} ahead", ahead_.count());
  return is_replaced_ ? text + known_scripts() : text;
}

std::string SearchedServer::known_scripts() {
  std::string text = "\nknows";
  for (const auto& [digest, label] : scripts_) {
    if (direct_.command({"SCRIPT", "EXISTS", digest}).integer(0) != 0) text += " " + label;
  }
  return text;
}

std::string SearchedServer::replica_contents() const {
  if (!before_last_change_) return {};
  return fmt::format("of {} ns ago: {}", (time_.now() - before_last_change_->time).count(),
                     before_last_change_->contents);
}

void SearchedServer::forget_scripts() {
  (void)direct_.command({"SCRIPT", "FLUSH"});
  knows_scripts_ = false;
}

bool SearchedServer::has_script_of(const faults::Message& command) const {
  const auto digest = faults::digest_in(command);
  if (!knows_scripts_ || digest.empty()) return false;
  return std::any_of(script_files_.begin(), script_files_.end(), [&](const auto& script) {
    return faults::script_digest(script.text) == digest;
  });
}

void SearchedServer::clear() {
  if (!knows_scripts_) load_scripts();
  is_replaced_ = false;
  ahead_ = Duration(0);
  inside_.set_clock_ahead(time_.wall_offset());
  before_command_.reset();
  before_last_change_.reset();
  if (is_clear_.value_or(false)) return;
  (void)direct_.command({"FLUSHDB"});
  if (!marker_.empty()) (void)direct_.command({"SET", marker_, "1"});
  catch_up({});
  knows_expiry_ = false;
  is_clear_ = true;
}

bool SearchedServer::is_clear() {
  if (!is_clear_) is_clear_ = direct_.command({"DBSIZE"}).integer() == (marker_.empty() ? 0 : 1);
  return *is_clear_;
}

void SearchedServer::expect_changes(bool keep_copy) {
  if (keep_copy) {
    before_command_ =
        Copy{.time = time_.now(), .keys = read_keys(copy_script), .contents = contents()};
  }
  knows_expiry_ = false;
  is_clear_.reset();
}

bool SearchedServer::note(const core::Reply& heard, const std::string& client) {
  if (heard.text(0) == "pong") return false;
  if (heard.text(0) != "pmessage") return true;
  const auto key = journal_.in_words(std::string(heard.text(2).substr(key_channel.size())));
  nlohmann::json change{{"what", heard.text(3)}, {"key", key}};
  if (!client.empty()) change["by"] = client;
  journal_.add(name_, Kind::server, std::move(change));
  if (before_command_) before_last_change_ = std::exchange(before_command_, std::nullopt);
  return true;
}

// A server writes what one round of its event loop has brought before it waits for the next.
void SearchedServer::catch_up(const std::string& client) {
  inside_.await_end_of_round(name_);
  (void)watcher_->receive();
  while (auto heard = watcher_->next()) (void)note(*heard, client);
  if (watcher_->broken()) throw faults::Stalled(name_ + " does not answer");
}

// Sends a PING on the connection that is notified of changes: its reply comes after them. And a
// server sends what one round of its event loop has brought before it begins the next, in which it
// sees the PING.
void SearchedServer::catch_up_unanswered(const std::string& client) {
  watcher_->send(std::array<std::string_view, 1>{"PING"});
  for (;;) {
    watcher_->advance();
    while (auto heard = watcher_->next()) {
      if (!note(*heard, client)) return;
    }
    pollfd source{.fd = watcher_->descriptor(), .events = watcher_->wants(), .revents = 0};
    const int ready = poll(&source, 1, static_cast<int>(faults::standstill.count()));
    if (ready == 0 || watcher_->broken()) throw faults::Stalled(name_ + " does not answer");
  }
}

// Reading a key whose time has come removes it
// (https://redis.io/docs/latest/commands/expire/#how-redis-expires-keys).
void SearchedServer::expire_keys() {
  const auto count = std::to_string(ending_keys_.size());
  std::vector<std::string_view> command{"EVAL", lease_script, count};
  command.insert(command.end(), ending_keys_.begin(), ending_keys_.end());
  const auto ends = direct_.command(command);
  ending_keys_.clear();
  next_expiry_.reset();
  for (std::size_t i = 0; i + 1 < ends.parts(); i += 2) {
    ending_keys_.emplace_back(ends.text(i));
    // A key exists until that millisecond ends.
    const auto end =
        std::chrono::floor<milliseconds>(time_.now()) + milliseconds(ends.integer(i + 1) + 1);
    if (!next_expiry_ || end < *next_expiry_) next_expiry_ = end;
  }
  knows_expiry_ = true;
}

void SearchedServer::replace_by(const Copy& data, nlohmann::json how) {
  journal_.add(name_, Kind::fault, {{"what", faults::fault::killed}});
  (void)direct_.command({"FLUSHALL"});
  (void)direct_.command({"SCRIPT", "FLUSH"});
  knows_scripts_ = false;
  is_replaced_ = true;
  std::vector<std::string> kept;
  for (const auto& key : data.keys) {
    const auto over = std::chrono::floor<milliseconds>(time_.now() - data.time);
    const auto left = key.ends_in.value_or(over) - over;
    if (key.ends_in && left <= milliseconds(0)) continue;
    (void)direct_.command({"RESTORE", key.name, std::to_string(left.count()), key.value});
    kept.push_back(journal_.in_words(key.name));
  }
  journal_.pause();  // no command has written these keys
  catch_up({});
  journal_.resume();
  journal_.add(name_, Kind::fault, std::move(how));
  for (const auto& key : kept) {
    journal_.add(name_, Kind::server, {{"what", "kept"}, {"key", key}});
  }
  before_command_.reset();
  before_last_change_.reset();
  expect_changes();
}

void SearchedServer::fail_over() {
  const auto data = *before_last_change_;
  replace_by(data, {{"what", faults::fault::promoted}});
}

void SearchedServer::come_back_empty() {
  replace_by({}, {{"what", faults::fault::restarted}, {"how", "empty"}});
}

void SearchedServer::jump_ahead(Duration by) {
  if (!knows_expiry_) expire_keys();  // knows then which keys it may jump over
  ahead_ += by;
  inside_.set_clock_ahead(time_.wall_offset() + ahead_);
  const auto ms = std::chrono::duration_cast<milliseconds>(by).count();
  journal_.add(name_, Kind::fault, {{"what", faults::fault::stepped}, {"by_ms", ms}});
  notice_time();
}

std::optional<Duration> SearchedServer::next_expiry() {
  if (!knows_expiry_) expire_keys();
  return next_expiry_;
}

void SearchedServer::notice_time() {
  inside_.notice_time();
  expect_changes();
  expire_keys();
  catch_up({});
}

}  // namespace explore
