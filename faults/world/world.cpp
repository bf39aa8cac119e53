#include "faults/world/world.h"

#include <fmt/format.h>

#include <fstream>

#include "faults/kit/errors.h"

namespace faults {
namespace {

// A sanitizer's or a server's last words, wherever they stand in a log.
void must_be_free_of_crashes(const std::filesystem::path& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    for (const auto* sign :
         {"Sanitizer", "runtime error:", "REDIS BUG REPORT", "terminate called"}) {
      if (line.find(sign) != std::string::npos) {
        throw CannotRun(fmt::format("{} reports a crash: {}", log.native(), line));
      }
    }
  }
}

}  // namespace

World::World(const TestedLock& lock, RedisBinary redis, Reaper& reaper, History& history,
             std::filesystem::path directory, WorldOptions options)
    : setup_{.lock = lock,
             .redis = std::move(redis),
             .reaper = reaper,
             .history = history,
             .directory = std::move(directory),
             .timing = Timing(options.slowdown, lock.pace()),
             .say = std::move(options.say),
             .time_waits = options.time_waits,
             .started_as = std::move(options.started_as),
             .pool = options.pool},
      storage_(setup_.loop, history, lock.storage),
      timing(setup_.timing),
      clients(setup_, storage_.address(), [this] { servers.catch_up(); }),
      servers(setup_, clients),
      fail_over(setup_, servers, clients),
      cluster(setup_, servers, clients),
      wait_for(timing, servers, history),
      steps(timing, clients, servers, wait_for),
      sweep(std::move(options.boundary), timing, servers, wait_for) {
  setup_.stalls.watch_this_thread();
  setup_.loop.call([this] { setup_.stalls.watch_this_thread(); });
  setup_.stalls.start();
}

// Before the servers go: the end of a world is no event of the scenario.
World::~World() {
  setup_.stalls.stop();
  clients.clear();
}

void World::end() {
  setup_.stalls.look();
  clients.say_bye();
  for (const auto& entry : std::filesystem::directory_iterator(setup_.directory)) {
    if (entry.path().extension() == ".log") must_be_free_of_crashes(entry.path());
  }
  setup_.history.check_written();
}

}  // namespace faults
