#include "faults/explore/coverage/stored_keys.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace explore {
namespace {

// Of every key: its name, its type, in how many milliseconds it ends, and its parts.
constexpr std::string_view stored_keys_script =
    "local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do "
    "local type, parts = redis.call('TYPE', key).ok, {} "
    "if type == 'string' then parts = {redis.call('GET', key)} "
    "elseif type == 'hash' then parts = redis.call('HGETALL', key) "
    "elseif type == 'list' then parts = redis.call('LRANGE', key, 0, -1) "
    "elseif type == 'set' then parts = redis.call('SMEMBERS', key) "
    "elseif type == 'zset' then parts = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') "
    "else parts = {redis.call('DUMP', key)} end "
    "table.insert(parts, 1, tostring(redis.call('PTTL', key))) "
    "table.insert(parts, 1, type) table.insert(parts, 1, key) all[#all + 1] = parts end "
    "return all";

// ZADD takes each score before its member, and ZRANGE returns it after it.
std::vector<std::string> scores_first(std::vector<std::string> parts) {
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) std::swap(parts[i], parts[i + 1]);
  return parts;
}

}  // namespace

std::vector<StoredKey> read_stored_keys(core::Server& server) {
  const auto listed = server.command({"EVAL", stored_keys_script, "0"});
  std::vector<StoredKey> keys;
  for (std::size_t i = 0; i < listed.parts(); ++i) {
    StoredKey key{.name = std::string(listed.text(i, 0)),
                  .type = std::string(listed.text(i, 1)),
                  .ms_left = std::stoll(std::string(listed.text(i, 2))),
                  .parts = {}};
    for (std::size_t j = 3; j < listed.parts(i); ++j) key.parts.emplace_back(listed.text(i, j));
    keys.push_back(std::move(key));
  }
  return keys;
}

void write_stored_key(core::Server& server, const StoredKey& key) {
  static const std::map<std::string_view, std::string_view> writers{
      {"string", "SET"}, {"hash", "HSET"}, {"list", "RPUSH"}, {"set", "SADD"}, {"zset", "ZADD"}};
  const auto writer = writers.find(key.type);
  const auto left = std::to_string(std::max(key.ms_left, 1LL));
  if (writer == writers.end()) {  // its only part is a DUMP
    (void)server.command({"RESTORE", key.name, "0", key.parts.at(0)});
  } else {
    const auto parts = key.type == "zset" ? scores_first(key.parts) : key.parts;
    std::vector<std::string_view> command{writer->second, key.name};
    command.insert(command.end(), parts.begin(), parts.end());
    (void)server.command(command);
  }
  if (key.ms_left >= 0) (void)server.command({"PEXPIRE", key.name, left});
}

}  // namespace explore
