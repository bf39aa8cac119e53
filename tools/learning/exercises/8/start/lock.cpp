#include "stage8_fencing/lock.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

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
    : QuorumLock("stage8", quorum, key, lease_for(options), scripts::release, {counter_of(key)}),
      key_(std::move(key)),
      counter_(counter_of(key_)),
      renewal_(renewal_for(quorum.nodes().addresses().front(), scripts::renew, key_, options)) {}

core::Acquire Lock::enter(const Entry& entry) {
  const auto name = HoldName::of(entry);
  const auto connections = entry.hold ? connections_of(entry) : quorum_.connections();
  const auto new_hold = [&](std::uint64_t fencing, milliseconds lease, Clock::time_point asked) {
    return std::make_shared<FencedHold>(fencing, std::string(name.token), lease, asked, renewal_,
                                        quorum_.shared_nodes(),
                                        quorum_.with_marker({key_, counter_}), connections);
  };
  if (const auto handed = line_->handed_over(entry.token, lease_)) {
    return record(entry, new_hold(std::stoull(handed->number), lease_, handed->since), lease_,
                  handed->since);
  }
  const auto asked = Clock::now();
  // Sets the depth and does not count it up, so that it can be sent again to repair a node.
  const auto votes = connections->ask(
      scripts::acquire, quorum_.with_marker({key_, counter_}),
      {name.token, participant(), std::to_string(entry.depth), std::to_string(lease_.count()),
       entry.how(), host_and_process(), std::to_string(name.fencing)},
      [this](const Votes& heard) { return is_decided(quorum_.nodes(), heard); });
  auto tally = FencedTally::of(votes);
  if (entry.begins) raise(name.token, *connections, tally);
  if (tally.yes < quorum_.nodes().majority()) {
    const auto left = roll_back(entry, name, *connections, tally);
    if (quorum_.nodes().prevent_majority(tally.over)) mark_lost(entry);
    line_->refused(tally.majority_busy_for(quorum_.nodes()));
    return refusal(quorum_.nodes(), tally, left);
  }
  // Validity: what is left of the lease, less what it took to ask, less the drift of the clocks.
  const auto hold = entry.hold ? entry.hold : new_hold(tally.fencing, tally.lease, asked);
  return record(entry, hold, tally.lease, asked);
}

void Lock::raise(std::string_view /*token*/, QuorumConnections& /*connections*/,
                 FencedTally& /*tally*/) {
  // To be written: the nodes have counted each for itself, and a token that only few of them know
  // can be given again. A second round makes a majority store the highest: tally.raised(votes).
}

core::Release Lock::leave(const Entry& entry) {
  const auto name = HoldName::of(entry);
  const auto next = entry.depth == 1 ? line_->begin_release(entry.token) : std::string{};
  const auto votes = connections_of(entry)->ask(
      scripts::release, {key_, line_->waiters(), counter_},
      {name.token, participant(), std::to_string(entry.depth - 1), "release", line_->channel(),
       next, std::to_string(name.fencing)},
      [this](const Votes& heard) { return is_release_decided(quorum_.nodes(), heard); });
  return line_->end_release(entry.token, release_of(quorum_.nodes(), votes));
}

void Lock::roll_back(const Entry& entry) noexcept {
  (void)roll_back(entry, HoldName::of(entry), *connections_of(entry),
                  Tally::all_yes(quorum_.nodes()));
}

std::size_t Lock::roll_back(const Entry& entry, const HoldName& name,
                            QuorumConnections& connections, const Tally& tally) {
  // All nodes are told, also those that have not answered. Those that have are waited for: then
  // nothing of it is left when the caller hears of the outcome.
  const auto votes =
      connections.ask(scripts::release, {key_, line_->waiters(), counter_},
                      {name.token, participant(), std::to_string(entry.depth - 1), "roll back",
                       line_->channel(), "", std::to_string(name.fencing)},
                      [&tally](const Votes& heard) { return tally.has_answered_again(heard); });
  return tally.still_there(votes);
}

void Lock::depth_changed(Hold& hold, int depth) {
  static_cast<FencedHold&>(hold).repair_with(scripts::acquire, depth);
}

std::optional<std::uint64_t> Lock::fencing_token() const {
  return std::nullopt;  // to be written: the hold knows it, once there is one
}

std::optional<std::string> Lock::hold_token() const {
  const auto level = current();
  if (!level) return std::nullopt;
  return HoldName::of({.token = level->hold->token(), .hold = level->hold}).text();
}

std::optional<Holder> Lock::holder() {
  const auto knows = [](const Vote& vote) { return vote.reply && vote.reply->parts() > 0; };
  const auto votes = quorum_.connections()->ask(
      scripts::holder, {key_}, {},
      [&](const Votes& heard) { return std::any_of(heard.begin(), heard.end(), knows); });
  const auto found = std::find_if(votes.begin(), votes.end(), knows);
  return found == votes.end() ? std::nullopt : holder_from(*found->reply);
}

bool Lock::force_release() {
  const auto votes = quorum_.connections()->ask(
      scripts::remove, {key_}, {line_->channel()}, [](const Votes& heard) {
        return count(heard, [](const Vote& vote) { return vote.is_open(); }) == 0;
      });
  return removal_of(quorum_.nodes(), votes);
}

}  // namespace stage8
