#include "explore/world/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "explore/world/unix_socket.h"
#include "faults/judging/trace.h"
#include "faults/kit/errors.h"

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

json setting_of(const WorldPlan& plan) {
  std::vector<std::string> judged;
  for (const auto property : plan.judged) judged.emplace_back(faults::to_string(property));
  return {{"stage", plan.stage.name},
          {"scenario", "explore"},
          {"sentence", "an order of events that a search has chosen"},
          {"boundary", ""},
          {"lease_ms", plan.lease.count()},
          {"nodes", plan.stage.nodes},
          {"judged", judged},
          {"needs", json::array()},
          {"depends_on_time", false}};
}

[[noreturn]] void never_answers(const ExploredClient& client) {
  client.must_take_part();
  throw faults::ClientFailed(
      fmt::format("{} never answers {}; if it is a script that starts the client, name the program "
                  "itself",
                  client.name(), client.operation()));
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
              .directory = directory_.path(),
              .lease = plan_.lease,
              .operations = plan_.program.operations,
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
  for (const auto& client : clients_) {
    if (client->begin()) warm_up(*client);
  }
  for (const auto& server : servers_) server->clear();
  last_actor_.clear();
  just_begun_ = false;
  last_server_.reset();
  just_waited_ = may_fail_over_ = false;
  rested_.clear();
  journal_.begin(fmt::format("lock{}", ++runs_));
  journal_.add("", Kind::setting, setting_of(plan_));
}

// As the kit does it: connected, and the scripts are loaded.
void Controller::warm_up(ExploredClient& client) {
  ask_alone(client, {{"op", "hello"}});
  client.must_take_part();
  for (const auto* operation : {"acquire", "release"}) {
    ask_alone(client, {{"op", operation}, {"key", "warm-up"}, {"lease_ms", 60'000}});
  }
  (void)client.begin();
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
  last_actor_ = event.client;
  just_begun_ = event.deed == Deed::begin;
  just_waited_ = event.deed == Deed::advance;
  last_server_.reset();
  if (event.deed == Deed::advance) {
    for (const auto& client : clients_) {
      if (client->is_frozen()) rested_.insert(client->name());
    }
    if (const auto moment = next_moment()) go_on_to(moment->time);
    return;
  }
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i].get() == event.place) return strike(i, event.deed);
  }
  auto& actor = client(event.client);
  Exchange* exchange = nullptr;
  for (auto& one : actor.exchanges()) {
    if (&one == event.place) exchange = &one;
  }
  if (exchange != nullptr && !exchange->is_of_storage()) last_server_ = exchange->server;
  switch (event.deed) {
    case Deed::begin: return actor.start();
    case Deed::send: return send(actor, *exchange);
    case Deed::reply: return reply(actor, *exchange);
    case Deed::thaw: rested_.erase(actor.name()); return actor.thaw();
    case Deed::freeze: return actor.freeze();
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
    if (client->begin()) warm_up(*client);
  }
  journal_.go_on();
  for (const auto& client : clients_) {
    if (client->has_begun() && !client->is_killed()) client->lose_all_to(server);
  }
}

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
  server.expect_changes(may_fail_over_);
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

void Controller::go_on_to(Duration time) {
  for (const auto& server : servers_) (void)server->next_expiry();
  time_.go_on_to(time);
  for (const auto& server : servers_) server->look_at_time();
  for (const auto& client : clients_) client->look_at_time();
  latecomer_->look_at_time();
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

void Controller::ask_alone(ExploredClient& client, json request) {
  client.ask(std::move(request));
  constexpr int most_messages = 10'000;
  for (int messages = 0; messages < most_messages; ++messages) {
    if (!answer_once(client)) break;
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

// Every lease ends, but for one that a client renews although it has nothing to do any more.
void Controller::let_leases_end() {
  const auto last = now() + 10 * plan_.lease;
  for (;;) {
    std::optional<Duration> next;
    for (const auto& server : servers_) {
      const auto end = server->next_expiry();
      if (end && (!next || *end < *next)) next = end;
    }
    if (!next || *next > last) return;
    if (const auto deadline = next_deadline(); deadline && *deadline < *next) next = deadline;
    go_on_to(*next);
    answer_everybody();
  }
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

void Controller::probe() {
  // Servers that have nothing give the lock as they did at first.
  const auto is_clear = [](const auto& server) { return server->is_clear(); };
  if (std::all_of(servers_.begin(), servers_.end(), is_clear)) return;
  const auto has_given_back = [](const auto& client) { return client->has_given_back(); };
  if (std::all_of(clients_.begin(), clients_.end(), has_given_back)) {
    return latecomer_must_get_in(plan_.lease / 2);
  }
  let_leases_end();
  if (std::all_of(servers_.begin(), servers_.end(), is_clear)) return;
  // If nobody waits for a moment, no moment changes anything.
  latecomer_must_get_in(next_deadline() ? 8 * plan_.lease : plan_.lease / 2);
}

void Controller::latecomer_must_get_in(std::chrono::milliseconds wait) {
  journal_.pause();
  if (latecomer_->begin()) warm_up(*latecomer_);
  journal_.go_on();
  const json acquire{{"op", "acquire"}, {"key", journal_.key()}, {"wait_ms", 0}};
  ask_and_answer(*latecomer_, acquire);
  if (latecomer_->outcome() != "acquired") {
    auto once_more = acquire;
    once_more["wait_ms"] = wait.count();
    once_more["must_get_in"] = true;
    ask_and_answer(*latecomer_, once_more);
  }
  if (latecomer_->outcome() != "acquired") return;
  ask_and_answer(*latecomer_, {{"op", "release"}, {"key", journal_.key()}});
}

void Controller::end() {
  journal_.pause();
  for (const auto& client : clients_) {
    const bool is_done = !client->is_under_way() && !client->is_frozen();
    // It may not have noticed yet that a connection is broken: the next run would.
    const bool is_used = plan_.fresh_clients && client->has_begun();
    if (!is_done || is_used || client->has_lost_server()) client->discard();
  }
  const auto let_go = [this](ExploredClient& client) {
    ask_and_answer(client, {{"op", "let_go"}, {"key", journal_.key()}});
  };
  for (const auto& client : clients_) {
    if (client->process() != 0 && client->has_begun()) let_go(*client);
  }
  const auto& last = latecomer_->operation();
  if (!last.empty() && last != "let_go") let_go(*latecomer_);
  if (plan_.fresh_clients && !last.empty()) latecomer_->discard();
  let_timers_pass();
}

// A client's thread may still mean to look after something that is over: the next run begins
// without such waits.
void Controller::let_timers_pass() {
  constexpr int most_timers = 50;
  for (int i = 0; i < most_timers; ++i) {
    const auto deadline = next_deadline();
    if (!deadline) return;
    go_on_to(*deadline);
    answer_everybody();
  }
}

}  // namespace explore
