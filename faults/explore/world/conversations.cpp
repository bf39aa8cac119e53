// Clients that do something beside the events of a run: every message arrives at once.
#include <fmt/format.h>

#include "faults/explore/world/controller.h"
#include "faults/kit/errors.h"

namespace explore {

using nlohmann::json;

namespace {

[[noreturn]] void never_answers(const ExploredClient& client) {
  client.must_take_part();
  throw faults::ClientFailed(
      fmt::format("{} never answers {}; if it is a script that starts the client, name the program "
                  "itself",
                  client.name(), client.operation()));
}

}  // namespace

// As the kit does it: connected, and the scripts are loaded.
void Controller::warm_up(ExploredClient& client, bool time_goes_on) {
  ask_alone(client, {{"op", "hello"}}, time_goes_on);
  client.must_take_part();
  for (const auto* operation : {"acquire", "release"}) {
    ask_alone(client, {{"op", operation}, {"key", "warm-up"}, {"lease_ms", 60'000}}, time_goes_on);
  }
  (void)client.begin();
}

void Controller::ask_and_answer(ExploredClient& client, json request) {
  client.ask(std::move(request));
  constexpr int most_moments = 10'000;
  for (int moments = 0; moments < most_moments; ++moments) {
    answer_everybody();
    if (!client.is_waiting_for_answer()) return;
    const auto deadline = next_deadline();
    if (!deadline) break;
    go_on_to(*deadline);
  }
  never_answers(client);
}

void Controller::ask_alone(ExploredClient& client, json request, bool time_goes_on) {
  client.ask(std::move(request));
  constexpr int most_moments = 10'000;
  for (int steps = 0; steps < most_moments; ++steps) {
    if (answer_once(client)) continue;
    if (!client.is_waiting_for_answer()) return;
    const auto deadline = time_goes_on ? client.next_deadline() : std::nullopt;
    if (!deadline) break;
    go_on_to(*deadline);
  }
  if (client.is_waiting_for_answer()) never_answers(client);
}

void Controller::answer_everybody() {
  constexpr int most_messages = 10'000;
  int messages = 0;
  for (auto* client : everybody()) {
    while (!client->is_killed() && !client->is_frozen() && answer_once(*client)) {
      if (++messages < most_messages) continue;
      throw faults::ClientFailed(fmt::format("{} asks its servers without end", client->name()));
    }
  }
}

bool Controller::answer_once(ExploredClient& client) {
  for (auto& exchange : client.exchanges()) {
    if (!exchange.answers.empty()) {
      reply(client, exchange);
      return true;
    }
    if (!exchange.commands.empty()) {
      send(client, exchange);
      return true;
    }
  }
  return false;
}

std::vector<ExploredClient*> Controller::everybody() const {
  std::vector<ExploredClient*> all;
  for (const auto& client : clients_) all.push_back(client.get());
  all.push_back(latecomer_.get());
  return all;
}

std::optional<Duration> Controller::next_deadline() const {
  std::optional<Duration> first;
  for (const auto* client : everybody()) {
    const auto deadline = client->next_deadline();
    if (deadline && (!first || *deadline < *first)) first = deadline;
  }
  return first;
}

}  // namespace explore
