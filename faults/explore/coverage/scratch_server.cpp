#include "faults/explore/coverage/scratch_server.h"

#include <algorithm>
#include <string_view>

#include "faults/kit/errors.h"
#include "faults/kit/redis_process.h"

namespace explore {

ScratchServer::ScratchServer(const faults::RedisBinary& binary, faults::Reaper& reaper)
    : directory_(reaper),
      time_(directory_.path()),
      inside_(time_, ProcessRole::server),
      server_(faults::socket_in(directory_.path()),
              {.connect = faults::standstill, .command = faults::standstill}) {
  process_ = faults::start_redis({.binary = binary,
                                  .arguments = {"--dir", directory_.path().native(), "--save", "",
                                                "--appendonly", "no", "--jemalloc-bg-thread", "no"},
                                  .environment = inside_.environment(),
                                  .log = directory_.path() / "scratch.log"},
                                 server_, reaper);
  inside_.must_take_part(binary.program.native());
}

core::Reply ScratchServer::make(const ScriptCall& call, const std::string& script) {
  (void)server_.command({"FLUSHALL"});
  for (const auto& key : call.before) write_stored_key(server_, key);
  const auto count = std::to_string(call.keys.size());
  std::vector<std::string_view> words{"EVAL", script, count};
  words.insert(words.end(), call.keys.begin(), call.keys.end());
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  return server_.command(words);
}

std::vector<StoredKey> ScratchServer::keys() {
  auto keys = read_stored_keys(server_);
  std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return keys;
}

}  // namespace explore
