// The connections that a search's client has opened: to its lock's servers and to the storage.
//
// The client connects to unix sockets of the explorer, which connects to the servers in its place.
// Thread-safety: none; one thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "faults/explore/world/client_connection.h"
#include "faults/explore/world/ready_set.h"
#include "faults/explore/world/searched_server.h"
#include "faults/kit/descriptor.h"

namespace explore {

class ClientConnections {
 public:
  explicit ClientConnections(std::deque<SearchedServer>& servers) : servers_(servers) {}

  // For a new process: there is no connection yet. Listens at a socket for each server and at one
  // for the storage, whose paths begin with `prefix`. Returns the addresses that the client
  // connects to, the storage's last. Throws CannotRun.
  [[nodiscard]] std::vector<std::string> listen(const std::string& prefix);

  // Tells `readable` of `descriptor`, too, by `tag`.
  void watch(const faults::Descriptor& descriptor, void* tag) { ready_.add(descriptor, tag); }
  [[nodiscard]] std::vector<void*> readable() const { return ready_.ready(); }
  // Takes what the client has done, of `readable`: connected, sent commands, hung up.
  void take(std::vector<void*> readable);

  [[nodiscard]] std::list<ClientConnection>& all() { return connections_; }

  // The long words of the client's commands since `forget_words`, each once, in their order.
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  // A name for each: the command that used it first, and which of those words it is. Two commands
  // on two connections are taken in any order. A script's text has the name of its digest.
  [[nodiscard]] const std::vector<std::string>& word_names() const { return word_names_; }
  // How many commands the client has sent to the lock's servers since then.
  [[nodiscard]] std::size_t sent() const { return sent_; }
  void forget_words();
  // How many the client has opened to the lock's servers.
  [[nodiscard]] int opened() const { return opened_; }
  // How many lead to each of the lock's servers.
  [[nodiscard]] std::vector<std::ptrdiff_t> counts() const;
  // Ends the connections of which `fits` is true, at the client and at the server; returns their
  // numbers in the client's process.
  std::vector<int> hang_up_if(const std::function<bool(ClientConnection&)>& fits);
  // That server hangs up all its connections; the client cannot see it yet (`is_lost`). False:
  // there is none.
  bool lose_server(std::size_t server);

 private:
  void accept_all();
  // False: the client has hung up.
  [[nodiscard]] bool take_commands(ClientConnection& connection);
  void take_words(const faults::Message& command, const std::string& label);
  [[nodiscard]] std::string label_of(const faults::Message& command,
                                     const ClientConnection& connection) const;

  std::deque<SearchedServer>& servers_;
  std::vector<faults::Descriptor> listeners_;  // of each server, then of the storage
  std::list<ClientConnection> connections_;
  ReadySet ready_;
  std::vector<std::string> words_;
  std::vector<std::string> word_names_;
  std::map<std::size_t, int> used_;  // in this run, by server
  std::size_t sent_ = 0;
  int opened_ = 0;
};

}  // namespace explore
