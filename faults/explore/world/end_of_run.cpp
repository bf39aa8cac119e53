// The end of a run: whether a latecomer gets the lock, and how the next run finds a clean world.
#include <algorithm>

#include "faults/explore/world/controller.h"

namespace explore {

using nlohmann::json;

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
  const bool is_new = latecomer_->begin();
  if (to_warm_up_.erase(latecomer_->name()) > 0 || is_new) warm_up(*latecomer_);
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
    const bool is_done = !client->is_under_way() && !client->is_frozen() && !client->is_cut_off();
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
// without such waits. A wait that is far off stays, as that of a task which comes every minute;
// when it comes near, it is waited out here, so that it is in no run. What such a task does (a
// library may forget which scripts its server knows) must not differ between runs: so the client is
// warmed up anew.
void Controller::let_timers_pass() {
  constexpr int most_timers = 50;
  constexpr int far_in_leases = 100;
  for (int i = 0; i < most_timers; ++i) {
    const auto deadline = next_deadline();
    if (!deadline || *deadline > now() + far_in_leases * plan_.lease) return;
    for (const auto* client : everybody()) {
      if (client->next_deadline() == deadline) to_warm_up_.insert(client->name());
    }
    go_on_to(*deadline);
    answer_everybody();
  }
}

}  // namespace explore
