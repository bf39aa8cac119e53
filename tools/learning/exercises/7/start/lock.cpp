#include "stage7_redlock/lock.h"

#include <algorithm>
#include <utility>

#include "stage7_redlock/scripts.h"

namespace stage7 {

using std::chrono::milliseconds;

Lock::Lock(Quorum& quorum, std::string key, Options options)
    : QuorumLock("stage7", quorum, key, lease_for(options), scripts::release),
      key_(std::move(key)),
      renewal_(renewal_for(quorum.nodes().addresses().front(), scripts::renew, key_, options)) {}

core::Acquire Lock::enter(const Entry& entry) {
  const auto connections = entry.hold ? connections_of(entry) : quorum_.connections();
  const auto new_hold = [&](milliseconds lease, Clock::time_point asked) {
    return std::make_shared<QuorumHold>(entry.token, lease, asked, renewal_, quorum_.shared_nodes(),
                                        quorum_.with_marker({key_}), connections);
  };
  if (const auto handed = line_->handed_over(entry.token, lease_)) {
    return record(entry, new_hold(lease_, handed->since), lease_, handed->since);
  }
  const auto asked = Clock::now();
  // Sets the depth and does not count it up, so that it can be sent again to repair a node.
  const auto votes =
      connections->ask(scripts::acquire, quorum_.with_marker({key_}),
                       {entry.token, participant(), std::to_string(entry.depth),
                        std::to_string(lease_.count()), entry.how(), host_and_process()},
                       [](const Votes& heard) { return !heard.front().is_open(); });
  Tally tally;
  tally.add(votes.front());
  for (std::size_t i = 1; i < votes.size(); ++i) tally.add(Vote{});  // nobody listens to them yet
  // To be written: how many of quorum_.nodes() have to say yes? As it is, the first decides, as if
  // there were no others.
  if (tally.yes < 1) {
    const auto left = roll_back(entry, *connections, tally);
    if (quorum_.nodes().prevent_majority(tally.over)) mark_lost(entry);
    line_->refused(tally.majority_busy_for(quorum_.nodes()));
    return refusal(quorum_.nodes(), tally, left);
  }
  // Validity: what is left of the lease, less what it took to ask, less the drift of the clocks.
  return record(entry, entry.hold ? entry.hold : new_hold(tally.lease, asked), tally.lease, asked);
}

core::Release Lock::leave(const Entry& entry) {
  const auto next = entry.depth == 1 ? line_->begin_release(entry.token) : std::string{};
  const auto votes = connections_of(entry)->ask(
      scripts::release, {key_, line_->waiters()},
      {entry.token, participant(), std::to_string(entry.depth - 1), "release", line_->channel(),
       next},
      [this](const Votes& heard) { return is_release_decided(quorum_.nodes(), heard); });
  return line_->end_release(entry.token, release_of(quorum_.nodes(), votes));
}

void Lock::roll_back(const Entry& entry) noexcept {
  (void)roll_back(entry, *connections_of(entry), Tally::all_yes(quorum_.nodes()));
}

std::size_t Lock::roll_back(const Entry& entry, QuorumConnections& connections,
                            const Tally& tally) {
  // All nodes are told, also those that have not answered. Those that have are waited for: then
  // nothing of it is left when the caller hears of the outcome.
  const auto votes =
      connections.ask(scripts::release, {key_, line_->waiters()},
                      {entry.token, participant(), std::to_string(entry.depth - 1), "roll back",
                       line_->channel(), ""},
                      [&tally](const Votes& heard) { return tally.has_answered_again(heard); });
  return tally.still_there(votes);
}

void Lock::depth_changed(Hold& hold, int depth) {
  static_cast<QuorumHold&>(hold).repair_with(scripts::acquire, depth);
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

}  // namespace stage7
