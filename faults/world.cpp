#include "faults/world.h"

#include <fmt/format.h>

#include <fstream>

#include "faults/errors.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

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

World::World(const Stage& stage, RedisBinary redis, Reaper& reaper, History& history,
             std::filesystem::path directory, Position position)
    : stage_(stage),
      reaper_(reaper),
      history_(history),
      directory_(std::move(directory)),
      position_(std::move(position)),
      redis_(std::move(redis), loop_, history, reaper, "redis", directory_ / "redis.log"),
      storage_(loop_, history) {}

Client& World::client(const std::string& name) {
  auto& client = clients_[name];
  if (!client) {
    client = std::make_unique<Client>(
        loop_, history_, reaper_,
        ClientPlan{.name = name,
                   .command = stage_.command,
                   .environment = {{"LOCK_LEASE_MS", std::to_string(lease.count())},
                                   {"LOCK_TIMEOUT_MS", "10000"}},
                   .log = directory_ / (name + ".log"),
                   .server = redis_.address(),
                   .server_name = redis_.name(),
                   .storage = storage_.address(),
                   .catch_up = [this] { redis_.catch_up(); }});
  }
  return *client;
}

void World::must_acquire(Client& client, const AcquireRequest& request) {
  acquired_since_[client.name()] = steady_clock::now();
  must_answer(client.acquire(request), "acquired");
}

void World::must_answer(const std::string& outcome, const std::string& expected) {
  if (outcome == expected) return;
  throw NotExercised(
      fmt::format("a client was to answer \"{}\", and answered \"{}\"", expected, outcome));
}

void World::take_a_turn(Client& client) {
  if (client.acquire({.lease = long_lease}) != "acquired") return;
  client.work();
  client.release();
}

void World::must_be_within_lease(const Client& client) const {
  const auto age = steady_clock::now() - acquired_since_.at(client.name());
  if (age < lease * 2 / 3) return;
  throw Stalled(fmt::format("the machine took {} ms for what should be done well within {}'s lease",
                            std::chrono::duration_cast<milliseconds>(age).count(), client.name()));
}

Fault World::arm_at_position(Client& client, Action action) {
  return client.lock_link().arm({.direction = position_.direction, .nth = position_.nth}, action);
}

void World::must_reach(const Fault& fault, const Pending& operation) {
  fault.await(boundary_limit, [&] { return operation.answered(); });
}

void World::end() {
  for (auto& [name, client] : clients_) client->say_bye();
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    if (entry.path().extension() == ".log") must_be_free_of_crashes(entry.path());
  }
  history_.check_written();
}

}  // namespace faults
