#include "faults/running/introduction.h"

#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// The one key on the server that has the lock's name in it and is to expire; empty: none, or
// several. Beside its key a lock may keep a counter, which stays.
std::string key_written_on(RedisServer& server) {
  const auto keys = server.direct().command({"KEYS", "*"});
  std::string found;
  for (std::size_t i = 0; i < keys.parts(); ++i) {
    const std::string key(keys.text(i));
    if (key == lock_key) return key;
    const bool ends = server.direct().command({"PTTL", key}).integer() > 0;
    if (!ends || key.find(lock_key) == std::string::npos) continue;
    if (!found.empty()) return {};
    found = key;
  }
  return found;
}

}  // namespace

Introduction introduce(const TestedLock& lock, const RunPlan& plan, Reaper& reaper) {
  const TempDir directory(reaper);
  History history(directory.path() / "history.jsonl");
  World world(lock, plan.redis, reaper, history, directory.path(),
              {.time_waits = plan.time_waits, .started_as = plan.started_as});
  auto& client = world.client("A");
  Introduction introduction{
      .name = client.hello().value("name", std::string("client")),
      .version = client.hello().value("library", std::string()),
      .capabilities = client.hello().value("capabilities", std::vector<std::string>{}),
      .key = {}};
  if (!lock.stands_on_redis()) return introduction;
  if (client.acquire({.lease = world.timing.long_lease(), .may_fail = true}) == "acquired") {
    introduction.key = key_written_on(world.servers.at(0));
  }
  return introduction;
}

}  // namespace faults
