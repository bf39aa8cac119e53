#include "production/operating/lock_state.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "production/operating/scripts.h"

namespace operating {
namespace {

using std::chrono::milliseconds;

// Tokens of locks that people use have 16 characters and more.
constexpr std::size_t shortest_token = 16;
constexpr std::string_view named_waiters = "10";

// The line of the fair queue before the lock `key`.
std::string line_of(const std::string& key) {
  return key + ":line";
}

long long number_of(std::string_view text) {
  long long number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A field of a hash: of the hold, or one of those inside, with the depth.
void read_field(LockState& state, std::string_view field, std::string_view value, long long now) {
  if (field == "token") {
    state.token = value;
  } else if (field == "who") {
    state.who = value;
  } else if (field == "since") {
    state.age = std::chrono::seconds(now - number_of(value));
  } else if (field == "lease") {
    state.lease = milliseconds(number_of(value));
  } else if (field == "fencing") {
    state.fencing = static_cast<std::uint64_t>(number_of(value));
  } else {
    ++state.participants;
    state.depth = std::max(state.depth, static_cast<int>(number_of(value)));
  }
}

void read_hash(LockState& state, const core::Reply& reply, long long now) {
  state.kind = reply.parts() > 3 ? LockState::Kind::held : LockState::Kind::no_lock;
  state.participants = 0;
  for (std::size_t i = 3; i + 1 < reply.parts(); i += 2) {
    read_field(state, reply.text(i), reply.text(i + 1), now);
  }
}

void read_waiters(core::Server& server, LockState& state) {
  const auto found = server.run(scripts::waiters, {state.key, line_of(state.key)}, {named_waiters});
  state.waiting = static_cast<std::size_t>(found.integer(0));
  for (std::size_t i = 1; i < found.parts(); ++i) state.waiters.emplace_back(found.text(i));
  const auto channel = server.command({"PUBSUB", "NUMSUB", state.key + ":released"});
  state.listening = static_cast<std::size_t>(channel.integer(1));
}

}  // namespace

LockState look_at(core::Server& server, const std::string& key) {
  const auto reply = server.run(scripts::look, {key}, {});
  LockState state{.key = key, .type = std::string(reply.text(0))};
  if (state.type == "none") return state;
  if (const auto left = reply.integer(1); left >= 0) state.left = milliseconds(left);
  state.kind = LockState::Kind::no_lock;
  if (state.type == "string") {
    state.token = reply.text(3);
    state.kind =
        state.token.size() < shortest_token ? LockState::Kind::nameless : LockState::Kind::held;
  } else if (state.type == "hash") {
    read_hash(state, reply, reply.integer(2));
    if (state.kind == LockState::Kind::held) read_waiters(server, state);
  }
  return state;
}

FoundLocks look_at_all(core::Server& server, std::string_view pattern) {
  std::set<std::string> keys;  // SCAN may name a key twice
  std::string cursor = "0";
  do {
    const auto reply = server.command({"SCAN", cursor, "MATCH", pattern, "COUNT", "500"});
    cursor = reply.text(0);
    for (std::size_t i = 0; i < reply.parts(1); ++i) keys.emplace(reply.text(1, i));
  } while (cursor != "0");
  FoundLocks found;
  for (const auto& key : keys) {
    auto state = look_at(server, key);
    if (state.kind == LockState::Kind::nameless) ++found.nameless;
    if (state.kind == LockState::Kind::held) found.held.push_back(std::move(state));
  }
  return found;
}

Freed free_hold(core::Server& server, const LockState& seen) {
  if (seen.kind != LockState::Kind::held) {
    throw std::invalid_argument(seen.key + " has no token that tells its holder from the next");
  }
  const auto line = line_of(seen.key);
  const auto removed =
      server.run(scripts::free, {seen.key, line}, {seen.token, seen.key + ":released"});
  if (removed.integer() < 0) return Freed::changed;
  if (removed.integer() == 0) return Freed::gone;
  server.run(scripts::line, {seen.key, line}, {"leave", ""});  // the first in line has the turn
  return Freed::removed;
}

}  // namespace operating
