#include "faults/explore/world/searched_world.h"

#include <fmt/format.h>

#include <utility>

#include "faults/kit/errors.h"

namespace explore {
namespace {

// Letters, as in the scenarios.
std::string letter(int number) {
  return {static_cast<char>('A' + number)};
}

WorldPlan must_stand_on_redis(WorldPlan plan) {
  if (plan.stage.stands_on_redis()) return plan;
  throw faults::CannotRun(fmt::format(
      "{} stands on {}, and a search starts Redis servers only; the scenarios of ./lab run do",
      plan.stage.name, plan.stage.facts->server));
}

}  // namespace

SearchedWorld::SearchedWorld(WorldPlan world_plan, faults::Reaper& reaper,
                             std::optional<int> cpu_number)
    : plan(must_stand_on_redis(std::move(world_plan))),
      cpu(cpu_number),
      directory(reaper),
      time(directory.path()),
      journal(time),
      program(plan.stage.command, directory.path(), reaper),
      context{.program = program,
              .environment = plan.stage.environment,
              .directory = directory.path(),
              .lease = plan.lease,
              .task = plan.program,
              .time = time,
              .journal = journal,
              .servers = servers,
              .killed_only_stops = program.starts_slowly() && !plan.fresh_clients},
      latecomer(letter(plan.clients), context) {
  for (int i = 1; i <= plan.stage.nodes; ++i) {
    const auto name = plan.stage.nodes == 1 ? "redis" : fmt::format("node{}", i);
    servers.emplace_back(plan.stage, plan.redis, name, directory.path(), time, journal, reaper);
  }
  for (int i = 0; i < plan.clients; ++i) clients.emplace_back(letter(i), context);
}

void SearchedWorld::renew_storage() {
  accounts.emplace(plan.stage.storage, [this](const std::string& client, nlohmann::json seen) {
    journal.add(client, faults::Kind::storage, std::move(seen));
  });
}

void SearchedWorld::advance_to(Duration moment) {
  for (auto& server : servers) (void)server.next_expiry();
  time.advance_to(moment);
  for (auto& server : servers) server.notice_time();
  for (auto* client : all_clients()) client->notice_time();
}

std::optional<Duration> SearchedWorld::next_deadline() const {
  auto first = latecomer.next_deadline();
  for (const auto& client : clients) {
    const auto deadline = client.next_deadline();
    if (deadline && (!first || *deadline < *first)) first = deadline;
  }
  return first;
}

SearchedClient& SearchedWorld::client_named(const std::string& name) {
  for (auto& client : clients) {
    if (client.name() == name) return client;
  }
  return latecomer;
}

std::vector<SearchedClient*> SearchedWorld::all_clients() {
  std::vector<SearchedClient*> all;
  for (auto& client : clients) all.push_back(&client);
  all.push_back(&latecomer);
  return all;
}

std::string SearchedWorld::server_of(const ClientConnection& connection) const {
  return connection.is_of_storage() ? "storage" : servers[connection.server].name();
}

void SearchedWorld::avoid_busy_cpu(std::chrono::nanoseconds step) {
  if (!cpu.is_better_elsewhere(step)) return;
  std::vector<pid_t> processes{program.process()};
  for (const auto& server : servers) processes.push_back(server.process());
  for (const auto* client : all_clients()) processes.push_back(client->present_process());
  std::erase(processes, 0);
  cpu.move_on(processes);
}

}  // namespace explore
