#include "faults/world.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <thread>

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
      redis_binary_(std::move(redis)),
      redis_(redis_binary_, loop_, history, reaper, "redis", directory_ / "redis.log"),
      master_(&redis_),
      storage_(loop_, history) {
  load_scripts();
}

// As a server knows them that has been in use for a while: the first call of a script that it does
// not know is sent twice, and that would be a boundary more.
void World::load_scripts() {
  for (const auto& directory : stage_.directories()) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() != ".lua") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      (void)redis_.direct().command({"SCRIPT", "LOAD", text});
    }
  }
}

Client& World::client(const std::string& name) {
  auto& client = clients_[name];
  if (!client) {
    auto environment = environment_;
    environment.try_emplace("LOCK_LEASE_MS", std::to_string(lease.count()));
    environment["LOCK_TIMEOUT_MS"] = "10000";
    client = std::make_unique<Client>(loop_, history_, reaper_,
                                      ClientPlan{.name = name,
                                                 .command = stage_.command,
                                                 .environment = environment,
                                                 .log = directory_ / (name + ".log"),
                                                 .server = master_->address(),
                                                 .server_name = master_->name(),
                                                 .storage = storage_.address(),
                                                 .catch_up = [this] { master_->catch_up(); }});
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

std::string World::stop_at_work(Client& client, const Where& where,
                                const std::function<void()>& meanwhile) {
  auto stopped = client.storage_link().arm(where, Action::hold);
  auto working = client.start_work();
  must_reach(stopped, working);
  meanwhile();
  stopped.deliver();
  return working.wait();
}

bool World::gets_in(Client& client) {
  return client.acquire({.lease = long_lease, .wait = patience}) == "acquired";
}

void World::take_a_patient_turn(Client& client) {
  if (!gets_in(client)) return;
  client.work();
  client.release();
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

void World::limit_holds_to(milliseconds time) {
  environment_["LOCK_MAX_HOLD_MS"] = std::to_string(time.count());
}

void World::await_renewals(Client& client, std::size_t count) {
  const auto deadline = steady_clock::now() + patience;
  const auto wanted = client.lock_link().commands_seen().size() + count;
  while (client.lock_link().commands_seen().size() < wanted) {
    if (steady_clock::now() > deadline) {
      throw NotExercised(fmt::format("waited {} ms for {} renewals of {}, and they never came",
                                     patience.count(), count, client.name()));
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void World::flush_scripts() {
  (void)master_->direct().command({"SCRIPT", "FLUSH"});
  const auto memory = master_->direct().command({"INFO", "memory"});
  if (memory.text().find("number_of_cached_scripts:0") == std::string_view::npos) {
    throw NotExercised("the server still knows scripts after it was told to forget them");
  }
  history_.add(master_->name(), Kind::fault, {{"what", fault::flushed}});
}

void World::must_be_held(const Client& client) {
  if (master_->direct().command({"EXISTS", "lock"}).integer() == 1) return;
  throw Stalled(fmt::format("{}'s lease ran out before the fault", client.name()));
}

void World::set_default_lease(milliseconds time) {
  environment_["LOCK_LEASE_MS"] = std::to_string(time.count());
}

void World::await_replies(Client& client) {
  const auto deadline = steady_clock::now() + patience;
  while (!client.lock_link().all_answered()) {
    if (steady_clock::now() > deadline) {
      throw NotExercised(
          fmt::format("{} has sent a command that was never answered", client.name()));
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void World::start_replica() {
  replication_ = std::make_unique<Link>(loop_, history_, "replica", redis_.name(), redis_.address(),
                                        Link::Notes::none);
  replica_ = std::make_unique<RedisServer>(redis_binary_, loop_, history_, reaper_, "replica",
                                           directory_ / "replica.log");
  const auto address = replication_->address();
  (void)replica_->direct().command({"REPLICAOF", address.host, std::to_string(address.port)});
  const auto deadline = steady_clock::now() + boundary_limit;
  // A replica that says "online" may not have begun to listen to changes; one that acknowledges a
  // write has.
  do {
    if (steady_clock::now() > deadline) throw CannotRun("waited 10 s for the replica to follow");
    (void)redis_.direct().command({"SET", "probe", "1"});
  } while (redis_.direct().command({"WAIT", "1", "100"}).integer() < 1);
}

void World::hold_back_replication() {
  replication_->cut_off(Direction::reply);
}

void World::fail_over() {
  redis_.kill();
  (void)replica_->direct().command({"REPLICAOF", "NO", "ONE"});
  history_.add(replica_->name(), Kind::fault, {{"what", fault::promoted}});
  master_ = replica_.get();
  for (auto& [name, client] : clients_) client->lock_link().lead_to(master_->address());
}

void World::end() {
  for (auto& [name, client] : clients_) client->say_bye();
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    if (entry.path().extension() == ".log") must_be_free_of_crashes(entry.path());
  }
  history_.check_written();
}

}  // namespace faults
