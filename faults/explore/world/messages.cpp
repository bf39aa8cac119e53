// The course of one message between a client and a server.
#include <algorithm>
#include <array>
#include <utility>

#include "faults/explore/world/controller.h"
#include "faults/explore/world/unix_socket.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using faults::Kind;
using nlohmann::json;

// The server answers them when something has happened, and not before.
bool may_block(const std::string& command) {
  constexpr std::array<std::string_view, 11> names{
      "BLPOP", "BRPOP",      "BLMOVE", "BLMPOP",  "BZPOPMIN",  "BZPOPMAX",
      "XREAD", "XREADGROUP", "WAIT",   "WAITAOF", "BRPOPLPUSH"};
  return std::find(names.begin(), names.end(), command) != names.end();
}

// A message to a subscriber; it answers none of its commands.
bool is_push(const faults::Message& message) {
  return message.words.size() == 3 && message.words.front() == "message";
}

}  // namespace

std::string Controller::name_of(const Exchange& exchange) const {
  return exchange.is_of_storage() ? "storage" : servers_[exchange.server]->name();
}

void Controller::note(const ExploredClient& client, const Exchange& exchange,
                      const Waiting& message, Kind kind) {
  json data{{"text", journal_.in_words(message.message)}};
  data[kind == Kind::command ? "to" : "from"] = name_of(exchange);
  if (kind == Kind::reply) data["command"] = message.command;
  journal_.add(client.name(), kind, std::move(data));
}

void Controller::note_fault(const ExploredClient& client, const Exchange& exchange,
                            const Waiting& message, std::string_view what, std::string_view side) {
  journal_.add(client.name(), Kind::fault,
               {{"what", what},
                {"side", side},
                {"command", message.command},
                {"server", name_of(exchange)},
                {"text", journal_.in_words(message.message)}});
}

void Controller::send(ExploredClient& client, Exchange& exchange) {
  const auto command = std::move(exchange.commands.front());
  exchange.commands.pop_front();
  note(client, exchange, command, Kind::command);
  if (!exchange.is_of_storage()) return carry_out(client, exchange, command);
  faults::RespReader reader;
  reader.feed(accounts_->answer(command.message.words));
  exchange.answers.push_back(
      {.message = *reader.next(), .command = command.command, .label = command.label});
}

void Controller::carry_out(ExploredClient& client, Exchange& exchange, const Waiting& command) {
  exchange.unanswered.push_back(command);
  auto& server = *servers_[exchange.server];
  server.expect_changes(may_fail_over_ && journal_.is_open());
  if (!send_all(exchange.upstream, command.message.bytes)) {
    throw faults::CannotRun(name_of(exchange) + " has hung up");
  }
  if (may_block(command.command)) {
    server.catch_up_unanswered(client.name());
    server.catch_up_unanswered(client.name());
  } else {
    while (!exchange.unanswered.empty()) {
      const auto received = wait_and_receive(exchange.upstream);
      if (received.ended) throw faults::CannotRun(name_of(exchange) + " has hung up");
      take_answers(exchange, received.bytes);
    }
    server.catch_up(client.name());
  }
  collect_answers(exchange.server);
}

void Controller::take_answers(Exchange& exchange, std::string_view bytes) {
  exchange.from_server.feed(bytes);
  while (auto answer = exchange.from_server.next()) {
    if (is_push(*answer)) {
      exchange.answers.push_back({.message = std::move(*answer),
                                  .command = "message",
                                  .label = name_of(exchange),
                                  .is_push = true});
      continue;
    }
    if (exchange.unanswered.empty()) continue;
    const auto command = std::move(exchange.unanswered.front());
    exchange.unanswered.pop_front();
    exchange.answers.push_back(
        {.message = std::move(*answer), .command = command.command, .label = command.label});
  }
}

// Collects what that server has sent to others meanwhile.
void Controller::collect_answers(std::size_t server) {
  for (auto* exchange : servers_[server]->heard_from()) {
    take_answers(*exchange, receive_all(exchange->upstream).bytes);
  }
}

void Controller::reply(ExploredClient& client, Exchange& exchange) {
  note(client, exchange, exchange.answers.front(), Kind::reply);
  client.deliver(exchange);
}

void Controller::lose(ExploredClient& client, Exchange& exchange) {
  const auto& answer = exchange.answers.front();
  note(client, exchange, answer, Kind::reply);
  note_fault(client, exchange, answer, faults::fault::reset, "reply");
  client.lose(exchange);
}

void Controller::slow_down(ExploredClient& client, Exchange& exchange) {
  const bool is_answer = !exchange.answers.empty();
  auto& message = is_answer ? exchange.answers.front() : exchange.commands.front();
  message.slow_since = now();
  message.slow_until = now() + plan_.lease * 5 / 4;
  note_fault(client, exchange, message, faults::fault::delayed, is_answer ? "reply" : "command");
}

}  // namespace explore
