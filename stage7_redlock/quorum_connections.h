// One connection to each node, and one question to all of them at once.
//
// There is no thread per node: everything is sent, then poll(2) says which nodes have answered. The
// caller decides when it has heard enough; answers that come later are read, and dropped, before
// the next question. So all questions on the same connections reach a node in the order in which
// they were asked, for as long as its connection lives: a release cannot overtake the acquire
// before it. (After a reconnect it can: then what the acquire set stays for one lease at most. So
// does a hold at a minority that has forgotten the script, SCRIPT FLUSH, and says so after the
// majority has answered.)
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "core/redis/script.h"
#include "stage7_redlock/votes.h"

namespace stage7 {

// Words of a command; they do not own what they name.
using Words = std::vector<std::string_view>;

// Thread-safety: safe to share; one question at a time.
class QuorumConnections {
 public:
  // No node is waited for longer than `timeout`.
  QuorumConnections(const std::vector<core::Address>& nodes, std::chrono::milliseconds timeout);

  // Runs `script` on every node, or on those of `wanted` alone, one flag for each node. Returns
  // once `decided`, or when no answer is awaited any more. If a node has forgotten the script,
  // others may have: then every answer is awaited, since it may have to be sent again.
  [[nodiscard]] Votes ask(const core::Script& script, const Words& keys, const Words& arguments,
                          const std::function<bool(const Votes&)>& decided,
                          const std::vector<bool>& wanted = {});

  // Is a question under way? Another one would wait for it.
  [[nodiscard]] bool is_busy() const { return busy_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    core::Address node;
    std::unique_ptr<core::AsyncConnection> channel;
    std::size_t late = 0;  // answers to earlier questions that are still to come
    // Scripts whose text has gone over this connection. Asked for by SHA-1 alone, a script that the
    // node does not know would not run, and if that answer came late it would not be asked again.
    std::set<std::string_view> sent;
  };

  struct Question {
    const core::Script& script;
    const Words& words;          // the whole command, which names it by its SHA-1
    const std::string& encoded;  // the same, made once for all nodes
  };

  // Makes `words_` and `bytes_` the command.
  [[nodiscard]] Question encode(const core::Script& script, const Words& keys,
                                const Words& arguments);
  // Reads, and drops, answers to earlier questions.
  static void drop_late(Connection& connection);
  // Sends the question, on a new connection if the old one is gone.
  void send(Connection& connection, const Question& question, Vote& vote);
  static void put(Connection& connection, const Question& question);
  // Waits until one of the open votes may be there, or `deadline`, and takes in what is.
  void listen(const Question& question, Votes& votes, Clock::time_point deadline);
  // Takes in what has come from `connection`; asks again if the node has forgotten the script.
  void hear(Connection& connection, const Question& question, Vote& vote);

  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;
  std::atomic<bool> busy_{false};
  bool is_forgotten_ = false;                                // by a node; guarded by mutex_
  std::vector<Connection> connections_;                      // guarded by mutex_
  Words words_;                                              // guarded by mutex_
  std::string count_;                                        // guarded by mutex_
  std::string bytes_;                                        // guarded by mutex_
  std::vector<pollfd> sources_;                              // guarded by mutex_
  Clock::time_point last_asked_ = Clock::time_point::min();  // guarded by mutex_
};

}  // namespace stage7
