#include "faults/kit/redis_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace faults {
namespace {

constexpr std::string_view of_config = "config ";
constexpr std::string_view of_user = "user ";

// The lines of INFO that say what clients have left, or who is there; "db0" and others come with
// the keys (https://redis.io/docs/latest/commands/info/).
constexpr std::array kept_lines{"run_id",
                                "connected_clients",
                                "blocked_clients",
                                "tracking_clients",
                                "number_of_cached_scripts",
                                "number_of_functions",
                                "number_of_libraries",
                                "pubsub_channels",
                                "pubsub_patterns",
                                "role",
                                "connected_slaves",
                                "second_repl_offset",
                                "module"};

bool is_kept(std::string_view name) {
  return std::find(kept_lines.begin(), kept_lines.end(), name) != kept_lines.end();
}

void add_info(std::string_view info, RedisState& state) {
  while (!info.empty()) {
    const auto line = info.substr(0, info.find("\r\n"));
    info.remove_prefix(std::min(line.size() + 2, info.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto name = line.substr(0, colon);
    const auto value = std::string(line.substr(colon + 1));
    if (is_kept(name)) state[std::string(name)] += value;
    if (name.starts_with("db")) state[fmt::format("keys {}", name)] = value;
  }
}

void add_config(const core::Reply& config, RedisState& state) {
  for (std::size_t i = 0; i + 1 < config.parts(); i += 2) {
    state[fmt::format("{}{}", of_config, config.text(i))] = config.text(i + 1);
  }
}

// Each is "user NAME RULE...": https://redis.io/docs/latest/commands/acl-list/
void add_users(const core::Reply& users, RedisState& state) {
  for (std::size_t i = 0; i < users.parts(); ++i) {
    const auto rest = users.text(i).substr(of_user.size());
    const auto name = rest.substr(0, rest.find(' '));
    state[fmt::format("{}{}", of_user, name)] = rest.substr(std::min(name.size() + 1, rest.size()));
  }
}

// For what an older server does not know, or does not let be changed: that shows in its state.
void try_command(core::Server& server, std::initializer_list<std::string_view> words) {
  try {
    (void)server.command(words);
  } catch (const core::ErrorReply&) {
  }
}

// Not by `reset`, which leaves a user of 7.0 with one rule more than a fresh server's has.
void set_rules(core::Server& server, std::string_view user, std::string_view rules) {
  try_command(server, {"ACL", "SETUSER", user, "clearselectors"});
  std::vector<std::string_view> words{"ACL",       "SETUSER",       user,   "off", "resetpass",
                                      "resetkeys", "resetchannels", "-@all"};
  while (!rules.empty()) {
    words.push_back(rules.substr(0, rules.find(' ')));
    rules.remove_prefix(std::min(words.back().size() + 1, rules.size()));
  }
  (void)server.command(words);
}

void put_back_users(core::Server& server, const RedisState& as_it_was, const RedisState& now) {
  for (const auto& [name, rules] : now) {
    if (!name.starts_with(of_user)) continue;
    const auto user = std::string_view(name).substr(of_user.size());
    const auto was = as_it_was.find(name);
    if (was == as_it_was.end()) {
      try_command(server, {"ACL", "DELUSER", user});
    } else if (was->second != rules) {
      set_rules(server, user, was->second);
    }
  }
}

void put_back_config(core::Server& server, const RedisState& as_it_was, const RedisState& now) {
  for (const auto& [name, value] : as_it_was) {
    if (!name.starts_with(of_config)) continue;
    const auto is = now.find(name);
    if (is != now.end() && is->second == value) continue;
    const auto parameter = std::string_view(name).substr(of_config.size());
    try_command(server, {"CONFIG", "SET", parameter, value});
  }
}

}  // namespace

RedisState state_of(core::Server& server) {
  RedisState state;
  add_info(server.command({"INFO"}).text(), state);
  add_config(server.command({"CONFIG", "GET", "*"}), state);
  add_users(server.command({"ACL", "LIST"}), state);
  return state;
}

RedisState put_back(core::Server& server, const RedisState& as_it_was) {
  // Twice: a connection that waited to be accepted is a client from the first command on.
  for (int i = 0; i < 2; ++i) (void)server.command({"CLIENT", "KILL", "SKIPME", "yes"});
  try_command(server, {"CLIENT", "UNPAUSE"});
  try_command(server, {"FUNCTION", "FLUSH"});
  (void)server.command({"SCRIPT", "FLUSH"});
  (void)server.command({"FLUSHALL"});
  for (const auto* log : {"SLOWLOG", "LATENCY"}) try_command(server, {log, "RESET"});
  try_command(server, {"ACL", "LOG", "RESET"});
  try_command(server, {"CONFIG", "RESETSTAT"});
  auto now = state_of(server);
  if (now == as_it_was) return now;
  put_back_users(server, as_it_was, now);
  put_back_config(server, as_it_was, now);
  return state_of(server);
}

std::string left_over(const RedisState& as_it_was, const RedisState& now) {
  auto both = now;
  both.insert(as_it_was.begin(), as_it_was.end());
  const auto text_of = [](const RedisState& state, const std::string& name) {
    const auto found = state.find(name);
    return found == state.end() ? std::string("none") : found->second;
  };
  for (const auto& [name, ignored] : both) {
    const auto is = text_of(now, name);
    const auto was = text_of(as_it_was, name);
    if (is != was) return fmt::format("{} is {} (was: {})", name, is, was);
  }
  return {};
}

}  // namespace faults
