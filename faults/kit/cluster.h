// A real Redis Cluster of masters that share the slots evenly, each with a replica if that is asked
// for: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/.
//
// The nodes talk to each other over ports of their own. Clients and replicas reach a node through
// its front, a link whose port is the one that the node announces.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "faults/kit/history.h"
#include "faults/kit/link.h"
#include "faults/kit/loop.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/redis_server.h"

namespace faults {

class Cluster {
 public:
  // With replicas a node that is silent for 1 s is found dead. Without, no node could take its
  // place, and the time-out is longer than a stall of the machine.
  enum class Replicas { none, one_each };

  // Starts it, and returns once every node says that it is well: about 3 s, since a master takes no
  // commands in its first 2 s. `names` are those of the nodes; logs go to `logs`. Throws CannotRun,
  // or Stalled.
  Cluster(const RedisBinary& binary, Loop& loop, History& history, Reaper& reaper,
          const std::filesystem::path& logs, Replicas replicas,
          const std::vector<std::string>& names = usual_names());
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  static constexpr std::size_t masters = 3;
  // "master1" to "replica3".
  [[nodiscard]] static std::vector<std::string> usual_names();

  // Number `i` from 0: the masters, then their replicas in the same order.
  [[nodiscard]] RedisServer& node(std::size_t i) { return *nodes_.at(i)->server; }
  [[nodiscard]] Link& front(std::size_t i) { return *nodes_.at(i)->front; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] static std::size_t replica_of(std::size_t master) { return master + masters; }

  // The master that had this slot first.
  [[nodiscard]] static std::size_t first_master_of(int slot);

  // Does every node find it well?
  [[nodiscard]] bool is_well();
  // Waits until every node that runs names node `i` as the master of `slot`. Throws Stalled.
  void await_master(int slot, std::size_t i);
  // Waits until the replica of each master has what its master has written. Throws Stalled.
  void await_replicas();

  // A slot moves in three steps. From the first on, its old master answers ASK for a key that it
  // does not have; the second moves the keys; the third tells all nodes.
  void begin_move(int slot, std::size_t from, std::size_t to);
  void move_keys(int slot, std::size_t from, std::size_t to);
  void end_move(int slot, std::size_t to);

 private:
  struct Node {
    std::unique_ptr<Link> front;
    std::unique_ptr<RedisServer> server;
    int bus_port = 0;
    std::string id = {};
  };

  [[nodiscard]] std::unique_ptr<Node> start_node(const RedisBinary& binary, Loop& loop,
                                                 History& history, Reaper& reaper,
                                                 const std::filesystem::path& logs,
                                                 const std::string& name);
  void join();
  void replicate();
  void await(const char* what, const std::function<bool(Node&)>& is_so);

  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace faults
