#include "faults/scenarios/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "faults/scenarios/scenarios.h"
#include "faults/world/tested_lock.h"

namespace faults {
namespace {

// In the order in which the lesson meets them.
constexpr std::array in_order{killed_holder,
                              killed_mid_acquire,
                              frozen_mid_acquire,
                              stranger_release,
                              second_release,
                              overrun_release,
                              frozen_mid_release,
                              slow_holder,
                              work_throws,
                              graceful_stop,
                              reply_lost_acquire,
                              slow_acquire,
                              reply_lost_release,
                              command_lost_release,
                              reply_lost_renew,
                              slow_renewal,
                              late_renewal,
                              late_extend,
                              hung_holder,
                              cut_off_holder,
                              half_open,
                              removed_lock,
                              relock_loop,
                              script_flush,
                              refused_writes,
                              missing_right,
                              nested_lock,
                              two_locks,
                              inner_unlock,
                              joined_hold,
                              shrinking_lease,
                              same_thread_id,
                              failover,
                              failover_bare_majority,
                              failover_sentinel,
                              failover_cluster,
                              slot_moves,
                              minority_down,
                              majority_down,
                              one_slow_node,
                              split_vote,
                              amnesia,
                              clock_jump,
                              client_clock_jump,
                              frozen_holder,
                              killed_writer,
                              stale_write_between,
                              same_token,
                              late_acquire,
                              killed_waiter,
                              frozen_waiter,
                              interrupted_waiter,
                              cut_off_waiter,
                              waiter_clock_jump,
                              lost_word,
                              gave_up_as_granted,
                              no_overtaking,
                              redis_away};

// The capability in a sentence: what a lock that has it does.
std::string_view say_capability(std::string_view word) {
  static const std::map<std::string_view, std::string_view> sentences{
      {"lease", "a lease that ends by itself"},
      {"token", "that only its owner releases it"},
      {"renewal", "that it renews its lease"},
      {"freed", "a lock that ends by itself when its holder is gone"},
      {"max_hold", "a maximal hold"},
      {"extend", "that its holder can extend its lease"},
      {"interrupt", "a waiter that can be interrupted"},
      {"loss_notice", "a notice of loss"},
      {"reentrant", "re-entrancy"},
      {"join", "a hold that can be handed on"},
      {"quorum", "a quorum of servers"},
      {"fencing", "a fencing token"},
      {"queue", "a queue of its waiters"},
      {"discovery", "that it finds its server by itself"},
      {"fallback", "a lock without its server"}};
  const auto found = sentences.find(word);
  return found == sentences.end() ? word : found->second;
}

bool is_promised(std::string_view word, const LockFacts& facts) {
  if (word == "freed") return facts.promises("lease") || facts.promises("session");
  return facts.promises(word);
}

// Why the times of a foreign lock leave no room for `scenario`; empty if they do.
std::string why_times_do_not_fit(const Scenario& scenario, const LockFacts& facts) {
  if (scenario.needs_timeout && facts.gives_up_after().count() == 0) {
    return "it waits without end for a reply, or for longer than the lab, or that is not known";
  }
  if (scenario.name == "slow_renewal" && facts.lease_that_outlasts_a_loss().count() == 0) {
    return "no lease leaves it time to renew once more when it has given up on a reply";
  }
  const bool about_silence = scenario.name == "cut_off_holder" || scenario.name == "half_open";
  const auto needed = facts.lease_told_of_silence();
  if (about_silence && needed > LockFacts::longest_lease) {
    return fmt::format(
        "{}: its holder is told in time of a lease of {} ms or more, and the lab waits for none "
        "above {} ms",
        cannot_be_judged, needed.count(), LockFacts::longest_lease.count());
  }
  return {};
}

}  // namespace

const std::vector<Scenario>& all_scenarios() {
  static const auto all = [] {
    std::vector<Scenario> made;
    for (const auto make : in_order) made.push_back(make());
    return made;
  }();
  return all;
}

std::string why_not_applicable(const Scenario& scenario, const TestedLock& lock) {
  if (!lock.facts) return {};
  if (!lock.stands_on_redis() && !scenario.on_any_server) {
    return "it is about a Redis server, or about single messages to it";
  }
  if (!lock.stands_on_redis() && lock.nodes < scenario.fewest_that_elect) {
    return "it stands on one server";
  }
  auto promises = scenario.promises;
  if (scenario.is_beside_the_stages()) promises.push_back(scenario.beyond_stages);
  for (const auto word : promises) {
    if (is_promised(word, *lock.facts)) continue;
    const bool by_user = lock.facts->renewal && lock.facts->renewal->by_user && word == "renewal";
    return fmt::format("not promised: {}{}", say_capability(word),
                       by_user ? ": its user does" : "");
  }
  if (lock.nodes < scenario.fewest_servers) {
    return lock.nodes == 1 ? "it stands on one server"
                           : fmt::format("it stands on {} servers, and not on {}", lock.nodes,
                                         scenario.fewest_servers);
  }
  if (scenario.name == "removed_lock" && lock.key_on_server().empty()) {
    return "its key on the server is not known";
  }
  if (scenario.name == "lost_word" && lock.facts->waiting != "notified") {
    return "a waiter gets no message, and asks again";
  }
  if (auto why = why_times_do_not_fit(scenario, *lock.facts); !why.empty()) return why;
  if (scenario.name == "waiter_clock_jump" && lock.facts->waiting == "none") {
    return "it does not wait by itself";
  }
  return {};
}

const Scenario* find_scenario(std::string_view name) {
  const auto& all = all_scenarios();
  const auto found = std::find_if(
      all.begin(), all.end(), [name](const Scenario& scenario) { return scenario.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace faults
