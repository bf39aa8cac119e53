#include "faults/explore/world/network.h"

#include <algorithm>
#include <array>
#include <utility>

#include "faults/explore/world/unix_socket.h"
#include "faults/kit/command_names.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using faults::Kind;
using nlohmann::json;

// The server may answer such a command later, when something has happened.
bool may_block(const std::string& command) {
  constexpr std::array<std::string_view, 11> names{
      "BLPOP", "BRPOP",      "BLMOVE", "BLMPOP",  "BZPOPMIN",  "BZPOPMAX",
      "XREAD", "XREADGROUP", "WAIT",   "WAITAOF", "BRPOPLPUSH"};
  return std::find(names.begin(), names.end(), command) != names.end();
}

}  // namespace

void Network::note(const SearchedClient& client, const ClientConnection& connection,
                   const MessageInFlight& message, Kind kind) {
  json data{{"text", world_.journal.in_words(message.message)}};
  data[kind == Kind::command ? "to" : "from"] = world_.server_of(connection);
  if (kind == Kind::reply) data["command"] = message.command;
  if (kind == Kind::command && !faults::digest_in(message.message).empty()) {
    data["script"] = message.label;
  }
  world_.journal.add(client.name(), kind, std::move(data));
}

void Network::note_fault(const SearchedClient& client, const ClientConnection& connection,
                         const MessageInFlight& message, std::string_view what,
                         std::string_view side) {
  world_.journal.add(client.name(), Kind::fault,
                     {{"what", what},
                      {"side", side},
                      {"command", message.command},
                      {"server", world_.server_of(connection)},
                      {"text", world_.journal.in_words(message.message)}});
}

void Network::send(SearchedClient& client, ClientConnection& connection) {
  const auto command = std::move(connection.commands.front());
  connection.commands.pop_front();
  note(client, connection, command, Kind::command);
  if (!connection.is_of_storage()) return carry_out(client, connection, command);
  faults::RespReader reader;
  reader.feed(world_.accounts->answer(command.message.words));
  connection.replies.push_back(
      {.message = *reader.next(), .command = command.command, .label = command.label});
}

void Network::carry_out(SearchedClient& client, ClientConnection& connection,
                        const MessageInFlight& command) {
  connection.unanswered.add({.name = command.command, .label = command.label}, command.message);
  auto& server = world_.servers[connection.server];
  if (world_.plan.script_calls && world_.journal.is_open()) {
    server.record_call(command.message, *world_.plan.script_calls);
  }
  server.expect_changes(keeps_copies_ && world_.journal.is_open());
  if (!send_all(connection.upstream, command.message.bytes)) {
    throw faults::CannotRun(server.name() + " has hung up");
  }
  if (may_block(command.command)) {
    server.catch_up_unanswered(client.name());
    server.catch_up_unanswered(client.name());
  } else {
    await_replies(connection);
    server.catch_up(client.name());
  }
  // The command may have caused messages to other clients.
  for (auto* other : server.readable_connections()) {
    take_replies(*other, receive_all(other->upstream).bytes);
  }
}

void Network::await_replies(ClientConnection& connection) {
  while (!connection.unanswered.empty()) {
    const auto received = wait_and_receive(connection.upstream);
    if (received.ended) throw faults::CannotRun(world_.server_of(connection) + " has hung up");
    take_replies(connection, received.bytes);
  }
}

void Network::take_replies(ClientConnection& connection, std::string_view bytes) {
  connection.from_server.feed(bytes);
  while (auto reply = connection.from_server.next()) {
    const auto answered = connection.unanswered.answered_by(*reply);
    if (answered) {
      connection.replies.push_back(
          {.message = std::move(*reply), .command = answered->name, .label = answered->label});
      continue;
    }
    connection.replies.push_back({.message = *reply,
                                  .command = faults::push_name(*reply),
                                  .label = world_.server_of(connection),
                                  .is_push = true});
  }
}

void Network::reply(SearchedClient& client, ClientConnection& connection) {
  note(client, connection, connection.replies.front(), Kind::reply);
  client.deliver(connection);
}

void Network::lose_reply(SearchedClient& client, ClientConnection& connection) {
  const auto& reply = connection.replies.front();
  note(client, connection, reply, Kind::reply);
  note_fault(client, connection, reply, faults::fault::reset, "reply");
  client.lose_reply(connection);
}

void Network::slow_down(SearchedClient& client, ClientConnection& connection) {
  const bool is_reply = !connection.replies.empty();
  auto& message = is_reply ? connection.replies.front() : connection.commands.front();
  message.slow_since = world_.now();
  message.slow_until = world_.now() + world_.plan.lease * 5 / 4;
  note_fault(client, connection, message, faults::fault::delayed, is_reply ? "reply" : "command");
}

}  // namespace explore
