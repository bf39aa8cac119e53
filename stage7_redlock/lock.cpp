#include "stage7_redlock/lock.h"

#include <utility>

#include "stage7_redlock/quorum_subscription.h"
#include "stage7_redlock/scripts.h"

namespace stage7 {

using std::chrono::milliseconds;

Lock::Lock(Quorum& quorum, std::string key, Options options)
    : NotifiedLock("stage7 " + quorum.text(), key, QuorumSubscription::of(quorum, key)),
      quorum_(quorum),
      key_(std::move(key)),
      lease_(lease_for(options)),
      renewal_(renewal_for(quorum.nodes().addresses().front(), scripts::renew, key_, options)) {}

core::Acquire Lock::enter(const Entry& entry) {
  const auto connections = entry.hold ? connections_of(entry) : quorum_.connections();
  const auto keys = quorum_.with_marker({key_});
  const auto asked = Clock::now();
  // Sets the depth and does not count it up, so that it can be sent again to repair a node.
  const auto votes =
      connections->ask(scripts::acquire, keys,
                       {entry.token, participant(), std::to_string(entry.depth),
                        std::to_string(lease_.count()), entry.how(), host_and_process()},
                       [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  const auto tally = Tally::of(votes);
  if (tally.yes < quorum_.nodes().majority()) {
    const auto left = roll_back(entry, *connections, tally);
    if (quorum_.nodes().prevent_majority(tally.over)) return is_over(entry);
    if (refusal(quorum_.nodes(), tally, left) == core::Acquire::unknown)
      return core::Acquire::unknown;
    return refused(tally.busy_for(quorum_.nodes()) + QuorumSubscription::random_delay());
  }
  const auto hold = entry.hold ? entry.hold
                               : std::make_shared<QuorumHold>(entry.token, tally.lease, asked,
                                                              renewal_, quorum_.shared_nodes(),
                                                              keys, scripts::acquire, connections);
  // Validity: what is left of the lease, less what it took to ask, less the drift of the clocks.
  const auto outcome = entered(entry, hold, tally.lease, asked);
  if (outcome == core::Acquire::acquired) quorum_hold(hold).repair_at(entry.depth);
  return outcome;
}

core::Release Lock::leave(const Entry& entry) {
  quorum_hold(entry.hold).repair_at(entry.depth - 1);
  const auto votes = connections_of(entry)->ask(
      scripts::release, {key_},
      {entry.token, participant(), std::to_string(entry.depth - 1), channel()},
      [this](const Votes& heard) { return is_release_decided(quorum_.nodes(), heard); });
  return release_of(quorum_.nodes(), votes);
}

void Lock::roll_back(const Entry& entry) noexcept {
  (void)roll_back(entry, *connections_of(entry), Tally::all_yes(quorum_.nodes()));
}

std::size_t Lock::roll_back(const Entry& entry, QuorumConnections& connections,
                            const Tally& tally) {
  // Also the nodes that have not answered are told. Those that have are waited for: then nothing of
  // it is left when the caller learns the outcome.
  const auto votes = connections.ask(
      scripts::release, {key_},
      {entry.token, participant(), std::to_string(entry.depth - 1), channel()},
      [&tally](const Votes& heard) { return tally.has_answered_again(heard); }, tally.may_have_it);
  return tally.still_there(votes);
}

}  // namespace stage7
