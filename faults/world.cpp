#include "faults/world.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <thread>

#include "faults/errors.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A machine that stands still for that part of a lease may be why somebody did not renew it in
// time.
constexpr int part_of_a_lease_to_stand_still = 5;

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

std::vector<std::unique_ptr<RedisServer>> start_nodes(const Stage& stage, const RedisBinary& binary,
                                                      Loop& loop, History& history, Reaper& reaper,
                                                      const std::filesystem::path& directory) {
  std::vector<std::unique_ptr<RedisServer>> nodes;
  for (int i = 1; i <= stage.nodes; ++i) {
    const auto name = stage.nodes == 1 ? "redis" : fmt::format("node{}", i);
    nodes.push_back(std::make_unique<RedisServer>(
        binary, loop, history, reaper, name, directory / (name + ".log"),
        stage.keeps_data ? RedisServer::Durability::keeps : RedisServer::Durability::forgets));
  }
  return nodes;
}

}  // namespace

World::World(const Stage& stage, RedisBinary redis, Reaper& reaper, History& history,
             std::filesystem::path directory, Position position, int slower, Say say)
    : stage_(stage),
      reaper_(reaper),
      history_(history),
      directory_(std::move(directory)),
      position_(std::move(position)),
      slower_(slower),
      say_(std::move(say)),
      redis_binary_(std::move(redis)),
      nodes_(start_nodes(stage, redis_binary_, loop_, history, reaper, directory_)),
      first_(nodes_.front().get()),
      storage_(loop_, history, stage.storage),
      pulse_(history, lease() / part_of_a_lease_to_stand_still) {
  pulse_.watch_this_thread();
  loop_.call([this] { pulse_.watch_this_thread(); });
  load_scripts();
  for (const auto& node : nodes_) {
    set_marker(*node);
    watch(*node);
  }
}

// As a server knows them that has been in use for a while: the first call of a script that it does
// not know is sent twice, and that would be a boundary more.
void World::load_scripts() {
  for (const auto& directory : stage_.directories()) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() != ".lua") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (const auto& node : nodes_) (void)node->direct().command({"SCRIPT", "LOAD", text});
    }
  }
}

void World::set_marker(RedisServer& server) {
  if (!stage_.marker.empty()) (void)server.direct().command({"SET", stage_.marker, "1"});
}

void World::watch(RedisServer& server) {
  pulse_.watch(server.process().id());
}

bool World::is_well(RedisServer& server) {
  return server.process().running() && !server.process().frozen();
}

Client& World::client(const std::string& name) {
  auto& client = clients_[name];
  if (!client) {
    auto environment = environment_;
    environment.try_emplace("LOCK_LEASE_MS", std::to_string(lease().count()));
    const auto timeout = std::max(milliseconds(10'000), 2 * patience());
    environment.try_emplace("LOCK_TIMEOUT_MS", std::to_string(timeout.count()));
    std::vector<LockNode> nodes;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes.push_back({.name = node(i).name(),
                       .address = node(i).address(),
                       .is_dead = !node(i).process().running()});
    }
    client = std::make_unique<Client>(loop_, history_, reaper_,
                                      ClientPlan{.name = name,
                                                 .command = stage_.command,
                                                 .environment = environment,
                                                 .log = directory_ / (name + ".log"),
                                                 .nodes = std::move(nodes),
                                                 .storage = storage_.address(),
                                                 .catch_up = [this] { catch_up(); },
                                                 .goes_on = [this] { return pulse_.has_beaten(); },
                                                 .say = say_});
    pulse_.watch(client->process().id());
  }
  return *client;
}

milliseconds World::Hold::age() const {
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - since);
}

void World::must_acquire(Client& client, const AcquireRequest& request) {
  const Hold hold{.since = steady_clock::now(), .lease = request.lease.value_or(default_lease_)};
  if (request.key == lock_key) holds_[client.name()] = hold;
  const auto outcome = client.acquire(request);
  // A yes that comes when its lease is over is worth nothing, and a good lock says so.
  if (outcome == "unknown" && hold.is_as_good_as_over()) {
    throw Stalled(fmt::format("the machine took a lease to let {} in", client.name()));
  }
  must_answer(outcome, "acquired");
}

void World::must_answer(const std::string& outcome, const std::string& expected) {
  if (outcome == expected) return;
  throw NotExercised(
      fmt::format("a client was to answer \"{}\", and answered \"{}\"", expected, outcome));
}

std::string World::stop_at_work(Client& client, const Where& where,
                                const std::function<void()>& meanwhile) const {
  auto stopped = client.storage_link().arm(where, Action::hold);
  auto working = client.start_work();
  must_reach_at_work(client, stopped, working);
  meanwhile();
  stopped.deliver();
  return working.wait();
}

void World::must_reach_at_work(const Client& client, const Fault& fault, Pending& working) const {
  const auto hold = holds_.find(client.name());
  try {
    fault.await(boundary_limit, [&] { return working.answered(); });
  } catch (const NotExercised&) {
    if (!working.answered()) throw;
    try {
      (void)working.wait();  // why it did not come there
    } catch (const CannotRun&) {
      // It ended: that it did not come there is told below.
    }
    const bool is_over = hold != holds_.end() && hold->second.is_as_good_as_over();
    if (!is_over) throw;
    throw Stalled(fmt::format("{}'s lease was over before the fault", client.name()));
  }
}

bool World::gets_in(Client& client) const {
  return client.acquire({.lease = long_lease, .wait = patience()}) == "acquired";
}

void World::must_get_its_turn(Client& client, milliseconds wait) const {
  const AcquireRequest request{.lease = long_lease, .wait = wait, .must_get_in = true};
  if (client.acquire(request) != "acquired") return;
  client.work();
  client.release();
}

void World::take_a_patient_turn(Client& client) const {
  if (!gets_in(client)) return;
  client.work();
  client.release();
}

void World::take_a_turn(Client& client) {
  if (client.acquire({.lease = long_lease}) != "acquired") return;
  client.work();
  client.release();
}

Pending World::freeze_at_work(Client& client, const Where& where) const {
  auto reached = client.storage_link().arm(where, Action::hold);
  auto working = client.start_work();
  must_reach_at_work(client, reached, working);
  client.freeze();
  reached.deliver();  // into its socket
  return working;
}

void World::must_be_within_lease(const Client& client) const {
  const auto& hold = holds_.at(client.name());
  const auto age = hold.age();
  if (age < hold.lease * 2 / 3) return;
  throw Stalled(fmt::format("the machine took {} ms for what should be done well within {}'s lease",
                            age.count(), client.name()));
}

void World::must_be_within(milliseconds time, steady_clock::time_point since) {
  const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - since);
  if (took < time) return;
  throw Stalled(fmt::format("the machine took {} ms for what should be done in {} ms", took.count(),
                            time.count()));
}

void World::should_be_within(milliseconds time, steady_clock::time_point since) const {
  if (slower_ < slowest) must_be_within(time, since);
}

Fault World::arm_at_position(Client& client, Action action) {
  if (position_.role == Role::deciding) {
    // Those that come last; if the deciding one is among them, the one before them.
    auto others = minority();
    for (auto i = nodes(); i-- > 0 && others > 0;) {
      if (i == position_.node) continue;
      kill_node(i);
      --others;
    }
  }
  return client.lock_link(position_.node)
      .arm({.direction = position_.direction, .nth = position_.nth}, action);
}

void World::deliver(Client& client, Fault& held) const {
  const auto deadline = steady_clock::now() + patience();
  const auto& link = client.lock_link(position_.node);
  const auto sent = link.count_commands();
  held.deliver();
  while (position_.more_follows && link.count_commands() == sent &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  await_replies(client);
}

void World::must_reach(const Fault& fault, const Pending& operation) {
  // An operation on several servers may be answered while a message of its is still on its way.
  constexpr milliseconds straggling{1'000};
  std::optional<steady_clock::time_point> answered;
  fault.await(boundary_limit, [&] {
    if (!operation.answered()) return false;
    if (!answered) answered = steady_clock::now();
    return steady_clock::now() - *answered > straggling;
  });
}

void World::give_time_to_answer(const Pending& pending, milliseconds time) {
  const auto limit = steady_clock::now() + time;
  while (!pending.answered() && steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void World::catch_up() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (is_well(node(i))) node(i).catch_up();
  }
}

std::size_t World::await_any(const std::vector<Pending>& pending, const std::vector<bool>& over) {
  const auto deadline = steady_clock::now() + 3 * boundary_limit;
  while (steady_clock::now() < deadline) {
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (!over[i] && pending[i].answered()) return i;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  throw NotExercised("waited 30 s for an answer, and none came");
}

void World::limit_holds_to(milliseconds time) {
  environment_["LOCK_MAX_HOLD_MS"] = std::to_string(time.count());
}

void World::await_renewals(Client& client, std::size_t count) const {
  const auto deadline = steady_clock::now() + patience();
  const auto wanted = client.lock_link().count_commands() + count;
  while (client.lock_link().count_commands() < wanted) {
    if (const auto end = client.process().ending(milliseconds(0))) {
      throw NotExercised(fmt::format("{} {}: it {}", client.name(), died_renewing, end->text()));
    }
    if (steady_clock::now() > deadline) {
      throw NotExercised(fmt::format("waited {} ms for {} renewals of {}, and they never came",
                                     patience().count(), count, client.name()));
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

Pending World::wait_in_line(Client& client, const AcquireRequest& request) const {
  must_answer(client.acquire({.wait = lease() / 3}), "contended");
  const auto sent = client.lock_link().count_commands();
  auto pending = client.start_acquire(request);
  const auto deadline = steady_clock::now() + patience();
  while (client.lock_link().count_commands() == sent) {
    if (steady_clock::now() > deadline) throw NotExercised(client.name() + " does not ask");
    std::this_thread::sleep_for(milliseconds(1));
  }
  await_replies(client);
  return pending;
}

void World::thaw_and_hear(Client& client, const Pending& pending) const {
  const auto deadline = steady_clock::now() + patience();
  const auto sent = client.lock_link().count_commands();
  client.thaw();
  while (!pending.answered() && client.lock_link().count_commands() == sent) {
    if (steady_clock::now() > deadline) throw NotExercised(client.name() + " has gone silent");
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void World::await_stragglers(Client& client) {
  const auto deadline = steady_clock::now() + patience();
  const auto same_everywhere = [&] {
    std::set<std::size_t> counts;
    for (std::size_t i = 0; i < client.lock_links(); ++i) {
      if (node(i).process().running()) counts.insert(client.lock_link(i).count_commands());
    }
    return counts.size() <= 1;
  };
  while (!same_everywhere() && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

bool World::has_word(const Client& client) const {
  const auto record = history_.record();
  return std::any_of(record.begin(), record.end(), [&](const Event& event) {
    return event.is(Kind::told, client.name()) && event.text("event") == "lost";
  });
}

void World::await_word(const Client& client) const {
  const auto limit = steady_clock::now() + roomy_lease() * 2 / 3;
  while (!has_word(client) && steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(5));
  }
}

void World::must_be_held(const Client& client) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < nodes(); ++i) {
    if (is_well(node(i)) && node(i).direct().command({"EXISTS", lock_key}).integer() == 1) ++held;
  }
  if (held >= majority()) return;
  throw Stalled(fmt::format("{}'s lease ran out before the fault", client.name()));
}

void World::set_client_timeout(milliseconds time) {
  environment_["LOCK_TIMEOUT_MS"] = std::to_string(time.count());
}

void World::set_default_lease(milliseconds time) {
  default_lease_ = time;
  environment_["LOCK_LEASE_MS"] = std::to_string(time.count());
}

void World::await_replies(Client& client) const {
  for (std::size_t i = 0; i < client.lock_links(); ++i) await_replies(client, i);
}

void World::await_replies(Client& client, std::size_t node) const {
  const auto deadline = steady_clock::now() + patience();
  while (!client.lock_link(node).all_answered()) {
    if (steady_clock::now() > deadline) {
      throw NotExercised(
          fmt::format("{} has sent a command that was never answered", client.name()));
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void World::end() {
  pulse_.look();
  for (auto& [name, client] : clients_) client->say_bye();
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    if (entry.path().extension() == ".log") must_be_free_of_crashes(entry.path());
  }
  history_.check_written();
}

}  // namespace faults
