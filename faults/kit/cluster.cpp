#include "faults/kit/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <thread>

#include "core/error.h"
#include "core/redis/key_slot.h"
#include "faults/kit/errors.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int all_slots = 16'384;

// A Cluster is ready after 3 s; a scenario whose Cluster is not by then is run again.
constexpr milliseconds longest_wait{60'000};

// By so much is the port of a node's bus greater than its port for commands
// (https://redis.io/docs/latest/operate/oss_and_stack/management/scaling/). Redis 6.2 knows no
// `cluster-port`, which would name another.
constexpr int bus_port_offset = 10'000;

// Below the ports that the kernel gives to clients (ip_local_port_range).
int some_bus_port() {
  thread_local std::mt19937 random{std::random_device{}()};
  return std::uniform_int_distribution<int>(20'000, 32'000)(random);
}

int first_slot(std::size_t master) {
  return static_cast<int>(master) * all_slots / static_cast<int>(Cluster::masters);
}

// Gives it the slots that it has first, by their numbers: Redis 6.2 takes no range of them
// (https://redis.io/docs/latest/commands/cluster-addslotsrange/).
void add_slots(RedisServer& server, std::size_t master) {
  std::vector<std::string> numbers;
  for (int slot = first_slot(master); slot < first_slot(master + 1); ++slot) {
    numbers.push_back(std::to_string(slot));
  }
  std::vector<std::string_view> command{"CLUSTER", "ADDSLOTS"};
  command.insert(command.end(), numbers.begin(), numbers.end());
  (void)server.direct().command(command);
}

// A key in a slot that `master` had first.
std::string key_on(std::size_t master) {
  for (int i = 0;; ++i) {
    auto key = fmt::format("probe{}", i);
    if (Cluster::first_master_of(core::slot_of(key)) == master) return key;
  }
}

// Does it, and does no node seem dead to it?
bool finds_it_well(RedisServer& server) {
  const auto info = server.direct().command({"CLUSTER", "INFO"});
  return info.text().find("cluster_state:ok") != std::string_view::npos &&
         info.text().find("cluster_slots_pfail:0") != std::string_view::npos;
}

std::vector<std::string> options_of_node(int front_port, int bus_port) {
  return {"--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1",
          "--cluster-announce-port", std::to_string(front_port), "--cluster-announce-bus-port",
          std::to_string(bus_port), "--cluster-node-timeout", "60000",
          // A replica without news for long would not stand for election.
          "--cluster-replica-validity-factor", "0"};
}

}  // namespace

std::vector<std::string> Cluster::usual_names() {
  return {"master1", "master2", "master3", "replica1", "replica2", "replica3"};
}

Cluster::Cluster(const RedisBinary& binary, Loop& loop, History& history, Reaper& reaper,
                 const std::filesystem::path& logs, Replicas replicas,
                 const std::vector<std::string>& names) {
  const bool has_replicas = replicas == Replicas::one_each;
  for (std::size_t i = 0; i < (has_replicas ? 2 * masters : masters); ++i) {
    nodes_.push_back(start_node(binary, loop, history, reaper, logs, names.at(i)));
  }
  join();
  if (has_replicas) replicate();
  await("finds the Cluster well", [](Node& node) { return finds_it_well(*node.server); });
  // Only now: a stall of the machine in the middle of a handshake would end it for good.
  for (const auto& node : nodes_) {
    if (!has_replicas) break;
    (void)node->server->direct().command({"CONFIG", "SET", "cluster-node-timeout", "1000"});
  }
}

bool Cluster::is_well() {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const auto& node) { return finds_it_well(*node->server); });
}

Cluster::~Cluster() = default;

std::unique_ptr<Cluster::Node> Cluster::start_node(const RedisBinary& binary, Loop& loop,
                                                   History& history, Reaper& reaper,
                                                   const std::filesystem::path& logs,
                                                   const std::string& name) {
  // The front has to have its port before there is a server to lead to.
  auto front =
      std::make_unique<Link>(loop, history, "replica", name,
                             core::Address{.host = "127.0.0.1", .port = 1}, Link::Notes::none);
  constexpr int tries = 5;
  for (int i = 1;; ++i) {
    auto node = std::make_unique<Node>();
    node->bus_port = some_bus_port();
    try {
      node->server = std::make_unique<RedisServer>(
          binary, loop, history, reaper, name, logs / ("cluster-" + name + ".log"),
          RedisServer::Durability::forgets, options_of_node(front->address().port, node->bus_port),
          nullptr, node->bus_port - bus_port_offset);
    } catch (const CannotRun&) {  // somebody else may have that port
      if (i == tries) throw;
      continue;
    }
    front->lead_to(node->server->address());
    node->front = std::move(front);
    node->id = node->server->direct().command({"CLUSTER", "MYID"}).text();
    return node;
  }
}

void Cluster::join() {
  for (std::size_t i = 0; i < size(); ++i) {
    auto& direct = node(i).direct();
    (void)direct.command({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    if (i < masters) add_slots(node(i), i);
    for (std::size_t other = 0; other < i; ++other) {
      (void)direct.command({"CLUSTER", "MEET", "127.0.0.1",
                            std::to_string(front(other).address().port),
                            std::to_string(nodes_[other]->bus_port)});
    }
  }
  await("knows all nodes", [this](Node& node) {
    const auto known = node.server->direct().command({"CLUSTER", "NODES"});
    const auto text = known.text();
    return text.find("handshake") == std::string_view::npos &&
           std::count(text.begin(), text.end(), '\n') == static_cast<std::ptrdiff_t>(size());
  });
}

void Cluster::replicate() {
  for (std::size_t i = 0; i < masters; ++i) {
    (void)node(replica_of(i)).direct().command({"CLUSTER", "REPLICATE", nodes_[i]->id});
  }
  await_replicas();
}

void Cluster::await_replicas() {
  const auto deadline = steady_clock::now() + longest_wait;
  for (std::size_t i = 0; i < masters; ++i) {
    // See FailOver::start_replica: the first acknowledgement does not count.
    for (int acknowledged = 0; acknowledged < 2;) {
      if (steady_clock::now() > deadline) throw Stalled("a replica does not follow its master");
      try {
        (void)node(i).direct().command({"SET", key_on(i), "1"});
        const auto reply = node(i).direct().command({"WAIT", "1", "100"});
        if (reply.integer() > 0) ++acknowledged;
      } catch (const core::ErrorReply&) {  // it does not take commands yet
        std::this_thread::sleep_for(milliseconds(5));
      }
    }
  }
}

std::size_t Cluster::first_master_of(int slot) {
  std::size_t master = 0;
  while (master + 1 < masters && first_slot(master + 1) <= slot) ++master;
  return master;
}

void Cluster::await(const char* what, const std::function<bool(Node&)>& is_so) {
  const auto deadline = steady_clock::now() + longest_wait;
  for (auto& node : nodes_) {
    while (node->server->process().running() && !is_so(*node)) {
      if (steady_clock::now() > deadline) {
        throw Stalled(fmt::format("waited {} s until {} {}", longest_wait / std::chrono::seconds(1),
                                  node->server->name(), what));
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
}

void Cluster::await_master(int slot, std::size_t i) {
  await("knows the slot's new master", [&](Node& node) {
    const auto ranges = node.server->direct().command({"CLUSTER", "SLOTS"});
    for (std::size_t range = 0; range < ranges.parts(); ++range) {
      if (slot < ranges.integer(range, 0) || slot > ranges.integer(range, 1)) continue;
      return ranges.integer(range, 2, 1) == front(i).address().port;
    }
    return false;
  });
}

void Cluster::begin_move(int slot, std::size_t from, std::size_t to) {
  const auto number = std::to_string(slot);
  (void)node(to).direct().command({"CLUSTER", "SETSLOT", number, "IMPORTING", nodes_[from]->id});
  (void)node(from).direct().command({"CLUSTER", "SETSLOT", number, "MIGRATING", nodes_[to]->id});
}

void Cluster::move_keys(int slot, std::size_t from, std::size_t to) {
  const auto number = std::to_string(slot);
  const auto keys = node(from).direct().command({"CLUSTER", "GETKEYSINSLOT", number, "100"});
  for (std::size_t i = 0; i < keys.parts(); ++i) {
    (void)node(from).direct().command({"MIGRATE", "127.0.0.1",
                                       std::to_string(front(to).address().port), keys.text(i), "0",
                                       std::to_string(standstill / milliseconds(1))});
  }
}

void Cluster::end_move(int slot, std::size_t to) {
  const auto number = std::to_string(slot);
  // The new master first: https://redis.io/docs/latest/commands/cluster-setslot/
  (void)node(to).direct().command({"CLUSTER", "SETSLOT", number, "NODE", nodes_[to]->id});
  for (std::size_t i = 0; i < masters; ++i) {
    if (i == to) continue;
    (void)node(i).direct().command({"CLUSTER", "SETSLOT", number, "NODE", nodes_[to]->id});
  }
}

}  // namespace faults
