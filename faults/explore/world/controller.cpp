#include "faults/explore/world/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faults/judging/trace.h"
#include "faults/kit/errors.h"
#include "faults/running/setting.h"

namespace explore {
namespace {

using faults::Kind;
using nlohmann::json;

// How far a server's clock jumps.
constexpr int jump_in_leases = 2;

// Letters, as in the scenarios.
std::string letter(int number) {
  return {static_cast<char>('A' + number)};
}

}  // namespace

Controller::Controller(WorldPlan plan, faults::Reaper& reaper, std::optional<int> number)
    : plan_(std::move(plan)),
      cpu_(number),
      reaper_(reaper),
      directory_(reaper),
      time_(directory_.path()),
      journal_(time_),
      program_(plan_.stage.command, directory_.path(), reaper),
      around_{.program = program_,
              .environment = plan_.stage.environment,
              .directory = directory_.path(),
              .lease = plan_.lease,
              .task = plan_.program,
              .time = time_,
              .journal = journal_,
              .servers = servers_} {
  if (!plan_.stage.stands_on_redis()) {
    throw faults::CannotRun(fmt::format(
        "{} stands on {}, and a search starts Redis servers only; the scenarios of ./lab run do",
        plan_.stage.name, plan_.stage.facts->server));
  }
  for (int i = 1; i <= plan_.stage.nodes; ++i) {
    const auto name = plan_.stage.nodes == 1 ? "redis" : fmt::format("node{}", i);
    servers_.push_back(std::make_unique<LockServer>(plan_.stage, plan_.redis, name,
                                                    directory_.path(), time_, journal_, reaper_));
  }
  for (int i = 0; i < plan_.clients; ++i) {
    clients_.push_back(std::make_unique<ExploredClient>(letter(i), around_));
  }
  latecomer_ = std::make_unique<ExploredClient>(letter(plan_.clients), around_);
}

Controller::~Controller() = default;

void Controller::begin() {
  journal_.pause();
  accounts_ = std::make_unique<faults::Accounts>(
      plan_.stage.storage, [this](const std::string& client, json seen) {
        journal_.add(client, Kind::storage, std::move(seen));
      });
  // A new client of a foreign lock may find scripts that another has loaded in an earlier run.
  if (plan_.fresh_clients && plan_.stage.facts) {
    for (const auto& server : servers_) server->forget_scripts();
  }
  for (const auto& client : clients_) {
    const bool is_new = client->begin();
    if (to_warm_up_.erase(client->name()) > 0 || is_new) warm_up(*client);
  }
  begin_a_millisecond();
  for (const auto& server : servers_) server->clear();
  last_step_ = {};
  may_fail_over_ = false;
  rested_.clear();
  journal_.begin(fmt::format("lock{}", ++runs_));
  journal_.add("", Kind::setting,
               faults::setting_of(plan_.stage, {.scenario = "explore",
                                                .sentence = plan_.sentence,
                                                .lease = plan_.lease,
                                                .judged = plan_.judged,
                                                .with_facts = false}));
}

// A key is there until a millisecond of its server is over, so the part of a millisecond in which a
// run begins must be the same for all. A waiter's pauses end
// anywhere in a millisecond.
void Controller::begin_a_millisecond() {
  const auto next = std::chrono::ceil<std::chrono::milliseconds>(now());
  if (next > now()) go_on_to(next);
}

ExploredClient& Controller::client(const std::string& name) {
  for (const auto& client : clients_) {
    if (client->name() == name) return *client;
  }
  return *latecomer_;
}

void Controller::choose(const Event& event) {
  const auto start = std::chrono::steady_clock::now();
  act(event);
  if (cpu_.is_better_elsewhere(std::chrono::steady_clock::now() - start)) move_to_another_cpu();
}

void Controller::move_to_another_cpu() {
  std::vector<pid_t> processes;
  for (const auto& server : servers_) processes.push_back(server->process());
  for (const auto& client : clients_) {
    if (client->process() != 0) processes.push_back(client->process());
  }
  if (latecomer_->process() != 0) processes.push_back(latecomer_->process());
  if (program_.process() != 0) processes.push_back(program_.process());
  cpu_.move_on(processes);
}

void Controller::act(const Event& event) {
  remember(event);
  if (event.deed == Deed::advance) {
    if (const auto moment = next_moment()) go_on_to(moment->time);
    return;
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i].get() == event.place) return strike(i, event.deed);
  }
  act_on_client(event);
}

// A fault comes behind the same step as the fault before it.
void Controller::remember(const Event& event) {
  last_step_.was_begin = event.deed == Deed::begin;
  if (is_fault(event.deed)) {
    if (event.deed == Deed::kill) last_step_.died.insert(event.client);
    (event.client.empty() ? last_step_.server_fault : last_step_.client_fault) = true;
    return;
  }
  last_step_ = {.client = event.client,
                .server = {},
                .was_begin = event.deed == Deed::begin,
                .was_time = event.deed == Deed::advance};
  if (ends_a_fault(event.deed)) rested_.erase(event.client);
  if (event.deed != Deed::advance) return;
  for (const auto& client : clients_) {
    if (client->is_frozen() || client->is_cut_off()) rested_.insert(client->name());
  }
}

void Controller::act_on_client(const Event& event) {
  auto& actor = client(event.client);
  Exchange* exchange = nullptr;
  for (auto& one : actor.exchanges()) {
    if (&one == event.place) exchange = &one;
  }
  if (exchange != nullptr && !exchange->is_of_storage() && !is_fault(event.deed)) {
    last_step_.server = exchange->server;
  }
  switch (event.deed) {
    case Deed::begin: return actor.start();
    case Deed::send: return send(actor, *exchange);
    case Deed::reply: return reply(actor, *exchange);
    case Deed::thaw: return actor.thaw();
    case Deed::mend: return actor.mend();
    case Deed::freeze: return actor.freeze();
    case Deed::cut: return actor.cut_off();
    case Deed::kill: return actor.kill();
    case Deed::lose: return lose(actor, *exchange);
    case Deed::slow: return slow_down(actor, *exchange);
    default: return;
  }
}

void Controller::strike(std::size_t server, Deed deed) {
  auto& struck = *servers_[server];
  if (deed == Deed::jump) return struck.jump_ahead(jump_in_leases * plan_.lease);
  if (deed == Deed::fail_over) struck.fail_over();
  if (deed == Deed::come_empty) struck.come_back_empty();
  latecomer_->discard();  // it comes when this is long past
  journal_.pause();
  for (const auto& client : clients_) {
    if (client->has_begun()) continue;
    client->discard();  // it connects when it begins
    if (client->begin()) warm_up(*client, /*time_goes_on=*/false);
  }
  journal_.go_on();
  for (const auto& client : clients_) {
    if (client->has_begun() && !client->is_killed()) client->lose_all_to(server);
  }
}

void Controller::go_on_to(Duration time) {
  for (const auto& server : servers_) (void)server->next_expiry();
  time_.go_on_to(time);
  for (const auto& server : servers_) server->look_at_time();
  for (const auto& client : clients_) client->look_at_time();
  latecomer_->look_at_time();
}

Snapshot Controller::snapshot() {
  Snapshot snapshot;
  const faults::Trace trace(journal_.record());
  const auto here = journal_.record().size() - 1;
  for (const auto& client : clients_) {
    snapshot.clients.push_back({.name = client->name(),
                                .state = client->state(),
                                .believes = trace.claims(client->name(), here)});
  }
  for (const auto& server : servers_) {
    for (auto& key : server->keys()) {
      const auto* hold = key.name == faults::lock_key ? trace.hold_on(key.server, here) : nullptr;
      if (hold != nullptr) key.owner = hold->owner;
      snapshot.keys.push_back(std::move(key));
    }
  }
  return snapshot;
}

}  // namespace explore
