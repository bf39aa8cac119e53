#include "faults/explore/world/client_connections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "faults/explore/states/word_names.h"
#include "faults/explore/world/unix_socket.h"
#include "faults/kit/command_names.h"

namespace explore {
namespace {

bool contains(const std::vector<void*>& tags, const void* tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

}  // namespace

std::string content_of(const MessageInFlight& message) {
  const auto& bytes = message.message.bytes;
  return fmt::format("{} {} {}", message.label, bytes.empty() ? ' ' : bytes.front(),
                     fmt::join(message.message.words, "\x1f"));
}

std::string name_of(const ClientConnection& connection) {
  const auto where =
      connection.is_of_storage() ? "storage" : fmt::format("server {}", connection.server + 1);
  return fmt::format("{}, connection {}", where, connection.number);
}

std::vector<std::string> ClientConnections::listen(const std::string& prefix) {
  connections_.clear();
  listeners_.clear();
  ready_ = ReadySet();
  std::vector<std::string> addresses;
  for (std::size_t port = 1; port <= servers_.size() + 1; ++port) {
    const auto path = fmt::format("{}{}.sock", prefix, port);
    std::filesystem::remove(path);
    listeners_.push_back(listen_at(path));
    addresses.push_back(fmt::format("127.0.0.1:{}", port));
  }
  for (auto& listener : listeners_) ready_.add(listener, &listener);
  return addresses;
}

void ClientConnections::take(std::vector<void*> readable) {
  const bool has_connected =
      std::any_of(listeners_.begin(), listeners_.end(),
                  [&](const auto& listener) { return contains(readable, &listener); });
  if (has_connected) {
    accept_all();
    readable = ready_.ready();
  }
  // A client that hangs up takes back what has not been sent.
  hang_up_if([&](ClientConnection& connection) {
    return contains(readable, &connection) && !take_commands(connection);
  });
}

void ClientConnections::accept_all() {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    while (auto accepted = accept_from(listeners_[i])) {
      const bool is_storage = i + 1 == listeners_.size();
      auto& connection = connections_.emplace_back();
      if (!is_storage) ++opened_;
      connection.server = is_storage ? ClientConnection::storage : i;
      connection.client = std::move(accepted->socket);
      connection.client_descriptor = accepted->descriptor;
      ready_.add(connection.client, &connection);
      if (!is_storage) servers_[i].connect(connection);
    }
  }
}

void ClientConnections::forget_words() {
  words_.clear();
  word_names_.clear();
  used_.clear();
  sent_ = 0;
  for (auto& connection : connections_) connection.number = 0;
}

void ClientConnections::take_words(const faults::Message& command, const std::string& label) {
  const bool runs_script = !faults::digest_in(command).empty();
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const auto& word = command.words[i];
    if (!WordNames::is_named(word)) continue;
    if (std::find(words_.begin(), words_.end(), word) != words_.end()) continue;
    if (runs_script && i == 1) {
      words_.push_back(word);
      word_names_.push_back("script of " + label);
      continue;
    }
    const auto before =
        std::count_if(word_names_.begin(), word_names_.end(),
                      [&](const auto& name) { return name.starts_with(label + " "); });
    words_.push_back(word);
    word_names_.push_back(fmt::format("{} {}", label, before + 1));
  }
}

bool ClientConnections::take_commands(ClientConnection& connection) {
  const auto received = receive_all(connection.client);
  connection.from_client.feed(received.bytes);
  while (auto command = connection.from_client.next()) {
    take_words(*command, connection.is_of_storage()
                             ? faults::command_name(*command)
                             : servers_[connection.server].label_of(*command));
    if (connection.number == 0) connection.number = ++used_[connection.server];
    if (!connection.is_of_storage()) ++sent_;
    connection.commands.push_back({.message = *command,
                                   .command = faults::command_name(*command),
                                   .label = label_of(*command, connection)});
  }
  return !received.ended;
}

std::string ClientConnections::label_of(const faults::Message& command,
                                        const ClientConnection& connection) const {
  if (connection.is_of_storage()) return faults::command_name(command);
  auto& server = servers_[connection.server];
  const auto name = server.label_of(command);
  return servers_.size() == 1 ? name : fmt::format("{} to {}", name, server.name());
}

std::vector<std::ptrdiff_t> ClientConnections::counts() const {
  std::vector<std::ptrdiff_t> counts;
  for (std::size_t server = 0; server < servers_.size(); ++server) {
    counts.push_back(
        std::count_if(connections_.begin(), connections_.end(),
                      [server](const auto& connection) { return connection.server == server; }));
  }
  return counts;
}

std::vector<int> ClientConnections::hang_up_if(const std::function<bool(ClientConnection&)>& fits) {
  std::vector<int> descriptors;
  std::erase_if(connections_, [&](ClientConnection& connection) {
    if (!fits(connection)) return false;
    descriptors.push_back(connection.client_descriptor);
    hang_up(connection.client);
    ready_.remove(connection.client);
    if (!connection.is_of_storage()) servers_[connection.server].disconnect(connection);
    return true;
  });
  return descriptors;
}

bool ClientConnections::lose_server(std::size_t server) {
  bool any = false;
  for (auto& connection : connections_) {
    if (connection.server != server) continue;
    servers_[server].disconnect(connection);
    connection.is_lost = any = true;
  }
  return any;
}

}  // namespace explore
