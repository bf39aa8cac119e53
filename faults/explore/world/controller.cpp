#include "faults/explore/world/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faults/explore/states/world_state.h"
#include "faults/judging/trace.h"
#include "faults/running/setting.h"

namespace explore {
namespace {

// How far a server's clock jumps.
constexpr int jump_in_leases = 2;

}  // namespace

Controller::Controller(WorldPlan plan, faults::Reaper& reaper, std::optional<int> cpu)
    : world_(std::move(plan), reaper, cpu) {
  faults::must_suit(world_.plan.redis, world_.plan.stage, reaper);
}

void Controller::begin() {
  const auto& plan = world_.plan;
  world_.journal.pause();
  world_.renew_storage();
  // A new client of a foreign lock may find scripts that another has loaded in an earlier run.
  if (plan.fresh_clients && plan.stage.facts) {
    for (auto& server : world_.servers) server.forget_scripts();
  }
  phases_.start_clients();
  begin_a_millisecond();
  world_.time.turn_back_wall_clocks();  // no run may see by its clock which one it is
  for (auto* client : world_.all_clients()) client->set_wall_clock();
  for (auto& server : world_.servers) server.clear();
  events_.begin_run();
  network_.keep_copies(false);
  // Always of one length: a state names long words (states/word_names.h), in each run the same.
  const auto key = fmt::format("lock{:08}", ++runs_);
  world_.journal.begin(key, plan.stage.facts ? plan.stage.facts->key_of(key) : std::string());
  world_.journal.add("", faults::Kind::setting,
                     faults::setting_of(plan.stage, {.scenario = "explore",
                                                     .sentence = plan.sentence,
                                                     .lease = plan.lease,
                                                     .judged = plan.judged,
                                                     .with_facts = false}));
}

// A key exists until a millisecond of its server ends, so all runs must begin in the same part of a
// millisecond. (A waiter's pauses may end anywhere in one.)
void Controller::begin_a_millisecond() {
  const auto next = std::chrono::ceil<std::chrono::milliseconds>(now());
  if (next > now()) world_.advance_to(next);
}

void Controller::end() {
  end_.clean_up();
  phases_.let_timers_pass();
}

std::vector<Event> Controller::events(const Rules& rules) {
  may_fail_over_ = (rules.faults & failover_fault) != 0;
  const bool may_fail = (rules.faults & (failover_fault | amnesia_fault)) != 0;
  world_.servers_may_fail = world_.servers_may_fail || may_fail;
  if (may_fail_over_) network_.keep_copies(true);
  return events_.list(rules);
}

void Controller::choose(const Event& event) {
  const auto start = std::chrono::steady_clock::now();
  act(event);
  world_.avoid_busy_cpu(std::chrono::steady_clock::now() - start);
}

void Controller::act(const Event& event) {
  events_.note(event);
  if (event.kind == EventKind::advance) {
    return world_.advance_to(event.until);
  }
  for (std::size_t i = 0; i < world_.servers.size(); ++i) {
    if (&world_.servers[i] == event.target) return strike_server(i, event.kind);
  }
  act_on_client(event);
}

void Controller::act_on_client(const Event& event) {
  auto& client = world_.client_named(event.client);
  auto& connections = client.connections();
  const auto connection =
      std::find_if(connections.begin(), connections.end(),
                   [&](const ClientConnection& one) { return &one == event.target; });
  switch (event.kind) {
    case EventKind::begin: return client.start();
    case EventKind::send: return network_.send(client, *connection);
    case EventKind::reply: return network_.reply(client, *connection);
    case EventKind::thaw: return client.thaw();
    case EventKind::mend: return client.mend();
    case EventKind::freeze: return client.freeze();
    case EventKind::cut: return client.cut_off();
    case EventKind::kill: return client.kill();
    case EventKind::lose: return network_.lose_reply(client, *connection);
    case EventKind::slow: return network_.slow_down(client, *connection);
    default: return;
  }
}

void Controller::strike_server(std::size_t server, EventKind kind) {
  auto& struck = world_.servers[server];
  if (kind == EventKind::jump) return struck.jump_ahead(jump_in_leases * world_.plan.lease);
  if (kind == EventKind::fail_over) struck.fail_over();
  if (kind == EventKind::come_empty) struck.come_back_empty();
  world_.latecomer.discard();  // it connects later, to the new server
  world_.journal.pause();
  for (auto& client : world_.clients) {
    if (client.has_begun()) continue;
    client.discard();  // it connects when it begins
    if (client.begin()) requests_.warm_up(client, /*may_time_advance=*/false);
  }
  world_.journal.resume();
  for (auto& client : world_.clients) {
    if (client.has_begun() && !client.is_killed()) client.lose_server(server);
  }
}

State Controller::state(const std::string& left) {
  auto state = state_of(world_, events_.rested(), may_fail_over_);
  state.push_back({"what is left", left});
  return state;
}

AnonymousState Controller::state_without_names(const std::string& left) {
  auto state = explore::state_without_names(world_, events_.rested(), may_fail_over_);
  state.state.push_back({"what is left", left});
  return state;
}

Snapshot Controller::snapshot() {
  Snapshot snapshot;
  const faults::Trace trace(record());
  const auto here = record().size() - 1;
  for (const auto& client : world_.clients) {
    snapshot.clients.push_back({.name = client.name(),
                                .state = client.state(),
                                .believes = trace.claims(client.name(), here)});
  }
  for (auto& server : world_.servers) {
    for (auto& key : server.keys()) {
      const auto* hold = key.name == faults::lock_key ? trace.hold_on(key.server, here) : nullptr;
      if (hold != nullptr) key.owner = hold->owner;
      snapshot.keys.push_back(std::move(key));
    }
  }
  return snapshot;
}

}  // namespace explore
