#include "faults/explore/world/end_of_run.h"

#include <algorithm>

#include "faults/kit/client_protocol.h"
#include "faults/kit/errors.h"

namespace explore {

void EndOfRun::probe() {
  auto& servers = world_.servers;
  const auto is_clear = [](auto& server) { return server.is_clear(); };
  // Servers that have nothing give the lock as they did at first.
  if (std::all_of(servers.begin(), servers.end(), is_clear)) return;
  const auto& lease = world_.plan.lease;
  const auto has_given_back = [](const auto& client) { return client.has_given_back(); };
  if (std::all_of(world_.clients.begin(), world_.clients.end(), has_given_back)) {
    // It may have to ask again, and do so only after a while.
    const auto pace = world_.plan.stage.pace();
    return latecomer_must_get_in(lease / 2 + pace.retry + pace.longest_try);
  }
  let_leases_end();
  if (std::all_of(servers.begin(), servers.end(), is_clear)) return;
  // A scenario waits as long. By then a lease that was asked for has ended, even if no server knows
  // of it.
  latecomer_must_get_in(8 * lease);
}

// Every lease ends, except one that a client still renews although it has nothing left to do.
void EndOfRun::let_leases_end() {
  const auto last = world_.now() + 10 * world_.plan.lease;
  for (;;) {
    std::optional<Duration> next;
    for (auto& server : world_.servers) {
      const auto end = server.next_expiry();
      if (end && (!next || *end < *next)) next = end;
    }
    if (!next || *next > last) return;
    if (const auto deadline = world_.next_deadline(); deadline && *deadline < *next) {
      next = deadline;
    }
    world_.advance_to(*next);
    requests_.deliver_all();
  }
}

void EndOfRun::latecomer_must_get_in(std::chrono::milliseconds wait) {
  auto& latecomer = world_.latecomer;
  const auto& key = world_.journal.key();
  world_.journal.pause();
  if (latecomer.begin()) requests_.warm_up(latecomer);
  world_.journal.resume();
  requests_.ask(latecomer, to_json(faults::AcquireRequest{.key = key}));
  if (latecomer.outcome() != "acquired") {
    requests_.ask(latecomer,
                  to_json(faults::AcquireRequest{.wait = wait, .must_get_in = true, .key = key}));
  }
  if (latecomer.outcome() != "acquired") return;
  requests_.ask(latecomer, to_json(faults::ReleaseRequest{.key = key}));
}

void EndOfRun::clean_up() {
  world_.journal.pause();
  for (auto& client : world_.clients) {
    const bool is_done = !client.is_under_way() && !client.is_frozen() && !client.is_cut_off();
    const bool is_used = world_.plan.fresh_clients && client.has_begun();
    if (is_used || may_remember(client)) {
      client.discard();
    } else if (client.is_killed() || !is_done) {
      revive_or_discard(client);
    }
  }
  for (auto& client : world_.clients) {
    if (client.process() != 0 && client.has_begun()) destroy_lock_of(client);
  }
  auto& latecomer = world_.latecomer;
  const bool has_come = !latecomer.operation().empty();
  if (has_come && latecomer.operation() != "let_go") destroy_lock_of(latecomer);
  if (has_come && world_.plan.fresh_clients) latecomer.discard();
}

// A client that has lost a server may not have noticed yet: the next run would. And a server may
// break a connection that a new process does not have, such as a watchdog's. A library that waits
// by chance before it connects again would wait for another time in the next run.
bool EndOfRun::may_remember(const SearchedClient& client) const {
  const bool is_foreign = world_.plan.stage.facts.has_value();
  const bool has_connected = client.has_lost_reply() || client.has_connected_since_cut();
  return client.has_lost_server() || (is_foreign && has_connected) ||
         (world_.servers_may_fail && client.has_other_connections());
}

void EndOfRun::revive_or_discard(SearchedClient& client) {
  if (!world_.context.killed_only_stops) return client.discard();
  try {
    client.resume_after_run();
    requests_.await_answer(client);
    destroy_lock_of(client);
    requests_.try_out(client);
    for (auto& server : world_.servers) server.clear();
    requests_.warm_up(client);
  } catch (const faults::ClientFailed&) {
    client.discard();
  }
}

void EndOfRun::destroy_lock_of(SearchedClient& client) {
  requests_.ask(client, {{"op", "let_go"}, {"key", world_.journal.key()}});
}

}  // namespace explore
