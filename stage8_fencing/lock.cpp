#include "stage8_fencing/lock.h"

#include <stdexcept>
#include <utility>

#include "stage7_redlock/quorum_subscription.h"
#include "stage8_fencing/scripts.h"

namespace stage8 {

using std::chrono::milliseconds;

namespace {

std::string counter_of(const std::string& key) {
  const std::string ending = ":fencing";
  if (key.ends_with(ending)) {
    throw std::invalid_argument("a key must not end in :fencing, as the counters of others do");
  }
  return key + ending;
}

}  // namespace

Lock::Lock(Quorum& quorum, std::string key, Options options)
    : NotifiedLock("stage8 " + quorum.text(), key, stage7::QuorumSubscription::of(quorum, key)),
      quorum_(quorum),
      key_(std::move(key)),
      counter_(counter_of(key_)),
      lease_(lease_for(options)),
      renewal_(renewal_for(quorum.nodes().addresses().front(), scripts::renew, key_, options)) {}

core::Acquire Lock::enter(const Entry& entry) {
  const auto name = HoldName::of(entry);
  const auto connections = entry.hold ? connections_of(entry) : quorum_.connections();
  const auto keys = quorum_.with_marker({key_, counter_});
  const auto asked = Clock::now();
  // Sets the depth and does not count it up, so that it can be sent again to repair a node.
  const auto votes = connections->ask(
      scripts::acquire, keys,
      {name.token, participant(), std::to_string(entry.depth), std::to_string(lease_.count()),
       entry.how(), host_and_process(), std::to_string(name.fencing)},
      [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  auto tally = FencedTally::of(votes);
  if (entry.begins) raise(name.token, *connections, tally);
  if (tally.yes < quorum_.nodes().majority()) {
    const auto left = roll_back(entry, name, *connections, tally);
    if (quorum_.nodes().prevent_majority(tally.over)) return is_over(entry);
    if (refusal(quorum_.nodes(), tally, left) == core::Acquire::unknown)
      return core::Acquire::unknown;
    return refused(tally.busy_for(quorum_.nodes()) + stage7::QuorumSubscription::random_delay());
  }
  const auto hold =
      entry.hold ? entry.hold
                 : std::make_shared<FencedHold>(tally.fencing, std::string(name.token), tally.lease,
                                                asked, renewal_, quorum_.shared_nodes(), keys,
                                                scripts::acquire, connections);
  // Validity: what is left of the lease, less what it took to ask, less the drift of the clocks.
  const auto outcome = entered(entry, hold, tally.lease, asked);
  if (outcome == core::Acquire::acquired) quorum_hold(hold).repair_at(entry.depth);
  return outcome;
}

void Lock::raise(std::string_view token, QuorumConnections& connections, FencedTally& tally) {
  const auto majority = quorum_.nodes().majority();
  if (tally.yes < majority || tally.highest >= majority) return;
  const auto votes =
      connections.ask(scripts::raise, {key_, counter_}, {token, std::to_string(tally.fencing)},
                      [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  tally = tally.raised(votes);
}

core::Release Lock::leave(const Entry& entry) {
  const auto name = HoldName::of(entry);
  quorum_hold(entry.hold).repair_at(entry.depth - 1);
  const auto votes = connections_of(entry)->ask(
      scripts::release, {key_, counter_},
      {name.token, participant(), std::to_string(entry.depth - 1), channel(),
       std::to_string(name.fencing)},
      [this](const Votes& heard) { return is_release_decided(quorum_.nodes(), heard); });
  return release_of(quorum_.nodes(), votes);
}

void Lock::roll_back(const Entry& entry) noexcept {
  (void)roll_back(entry, HoldName::of(entry), *connections_of(entry),
                  Tally::all_yes(quorum_.nodes()));
}

std::size_t Lock::roll_back(const Entry& entry, const HoldName& name,
                            QuorumConnections& connections, const Tally& tally) {
  // Also the nodes that have not answered are told. Those that have are waited for: then nothing of
  // it is left when the caller learns the outcome.
  const auto votes = connections.ask(
      scripts::release, {key_, counter_},
      {name.token, participant(), std::to_string(entry.depth - 1), channel(),
       std::to_string(name.fencing)},
      [&tally](const Votes& heard) { return tally.has_answered_again(heard); }, tally.may_have_it);
  return tally.still_there(votes);
}

std::optional<std::uint64_t> Lock::fencing_token() const {
  const auto level = current();
  return level ? std::optional(fencing_token_of(*level->hold)) : std::nullopt;
}

std::optional<std::string> Lock::hold_token() const {
  const auto level = current();
  if (!level) return std::nullopt;
  return HoldName::of({.token = level->hold->token(), .hold = level->hold}).text();
}

}  // namespace stage8
