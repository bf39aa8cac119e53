#include "faults/explore/world/direct_requests.h"

#include <fmt/format.h>

#include <utility>

#include "faults/kit/client_protocol.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using nlohmann::json;

// Far more than any request needs.
constexpr int most_steps = 10'000;

[[noreturn]] void never_answers(const SearchedClient& client) {
  client.must_take_part();
  throw faults::ClientFailed(
      fmt::format("{} never answers {}; if it is a script that starts the client, name the program "
                  "itself",
                  client.name(), client.operation()));
}

// Of a client that cannot get a lock which nobody has, a search would find nothing wrong.
void must_have_warmed_up(const SearchedClient& client) {
  if (client.outcome() == "acquired") return;
  throw faults::ClientFailed(fmt::format(
      "{} did not get the key that clients warm up with: its acquire answered \"{}\"; {}",
      client.name(), client.outcome(),
      client.outcome() == "contended" ? "the client before it did not give it back"
                                      : "does it reach its server?"));
}

}  // namespace

void DirectRequests::warm_up(SearchedClient& client, bool may_time_advance) {
  for (const auto& request : faults::warm_up_requests()) {
    ask_alone(client, request, may_time_advance);
    if (request["op"] == "hello") client.must_take_part();
    if (request["op"] == "acquire") must_have_warmed_up(client);
  }
  client.note_connections();
  client.set_wall_clock();
  (void)client.begin();
}

void DirectRequests::try_out(SearchedClient& client) {
  for (const auto& request : faults::warm_up_requests()) ask(client, request);
}

void DirectRequests::ask(SearchedClient& client, json request) {
  client.ask(std::move(request));
  await_answer(client);
}

void DirectRequests::await_answer(SearchedClient& client) {
  for (int steps = 0; steps < most_steps; ++steps) {
    deliver_all();
    if (!client.is_waiting_for_answer()) return;
    const auto deadline = world_.next_deadline();
    if (!deadline) break;
    world_.advance_to(*deadline);
  }
  never_answers(client);
}

void DirectRequests::ask_alone(SearchedClient& client, json request, bool may_time_advance) {
  client.ask(std::move(request));
  for (int steps = 0; steps < most_steps; ++steps) {
    if (deliver_one(client)) continue;
    if (!client.is_waiting_for_answer()) return;
    const auto deadline = may_time_advance ? client.next_deadline() : std::nullopt;
    if (!deadline) break;
    world_.advance_to(*deadline);
  }
  if (client.is_waiting_for_answer()) never_answers(client);
}

void DirectRequests::deliver_all() {
  int messages = 0;
  for (auto* client : world_.all_clients()) {
    while (!client->is_killed() && !client->is_frozen() && deliver_one(*client)) {
      if (++messages < most_steps) continue;
      throw faults::ClientFailed(fmt::format("{} asks its servers without end", client->name()));
    }
  }
}

bool DirectRequests::deliver_one(SearchedClient& client) {
  for (auto& connection : client.connections()) {
    if (!connection.replies.empty()) {
      network_.reply(client, connection);
      return true;
    }
    if (!connection.commands.empty()) {
      network_.send(client, connection);
      return true;
    }
  }
  return false;
}

}  // namespace explore
