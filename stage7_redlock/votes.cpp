#include "stage7_redlock/votes.h"

#include <fmt/format.h>

#include "core/error.h"

namespace stage7 {
namespace {

std::size_t said(const Votes& votes, ReleaseAnswer answer) {
  return count(votes, [answer](const Vote& vote) { return vote.number() == answer; });
}

// The outcome of a release that no majority decided.
core::Release undecided(const Nodes& nodes, const Votes& votes) {
  const auto unreachable = count(votes, [](const Vote& vote) { return vote.unreachable; });
  const auto errors = count(votes, [](const Vote& vote) { return vote.is_error(); });
  if (unreachable == votes.size()) throw core::Unreachable("none of the nodes can be reached");
  if (nodes.prevent_majority(errors)) {
    const auto is_error = [](const Vote& vote) { return vote.is_error(); };
    throw core::ErrorReply(
        std::string(std::find_if(votes.begin(), votes.end(), is_error)->reply->text()));
  }
  return core::Release::unknown;
}

}  // namespace

bool is_decided(const Nodes& nodes, const Votes& votes) {
  if (count(votes, [](const Vote& vote) { return vote.is_yes(); }) >= nodes.majority()) return true;
  if (!nodes.prevent_majority(count(votes, [](const Vote& vote) { return vote.is_no(); }))) {
    return false;
  }
  const auto tally = Tally::of(votes);
  return tally.holders.empty() || tally.is_held(nodes) ||
         count(votes, [](const Vote& vote) { return vote.is_open(); }) == 0;
}

bool is_release_decided(const Nodes& nodes, const Votes& votes) {
  const auto freed = said(votes, removed);
  const auto had_it = freed + said(votes, still_held);
  const auto answered = count(votes, [](const Vote& vote) { return !vote.is_open(); });
  if (freed >= nodes.majority()) return true;
  // Not removed: is it still held?
  return nodes.prevent_majority(answered - freed) &&
         (had_it >= nodes.majority() || nodes.prevent_majority(answered - had_it));
}

Tally Tally::of(const Votes& votes) {
  Tally tally;
  for (const auto& vote : votes) tally.add(vote);
  return tally;
}

bool Tally::is_held(const Nodes& nodes) const {
  return std::any_of(holders.begin(), holders.end(),
                     [&](const auto& hold) { return hold.second >= nodes.majority(); });
}

std::chrono::milliseconds Tally::busy_for(const Nodes& nodes) const {
  if (yes > 0 && !is_held(nodes)) return std::chrono::milliseconds(0);
  auto sorted = taken_for;
  std::sort(sorted.begin(), sorted.end());
  return sorted[nodes.majority() - 1];
}

Tally Tally::all_yes(const Nodes& nodes) {
  Tally tally;
  tally.heard.assign(nodes.count(), true);
  tally.may_have_it = tally.heard;
  return tally;
}

bool Tally::has_answered_again(const Votes& votes) const {
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (heard[i] && votes[i].is_open()) return false;
  }
  return true;
}

std::size_t Tally::still_there(const Votes& votes) const {
  std::size_t left = 0;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (may_have_it[i] && !votes[i].number()) ++left;
  }
  return left;
}

void Tally::add(const Vote& vote) {
  heard.push_back(!vote.is_open());
  may_have_it.push_back(!vote.is_no());
  taken_for.emplace_back(std::max(0LL, -vote.number().value_or(0)));
  if (const auto holder = vote.holder(); !holder.empty()) ++holders[holder];
  if (vote.is_yes()) {
    const std::chrono::milliseconds given(*vote.number());
    lease = yes == 0 ? given : std::min(lease, given);
    ++yes;
  } else if (vote.number()) {
    ++no;
    if (vote.number() == 0) ++over;
  } else if (vote.is_error()) {
    ++abstained;
    why = vote.reply->text();
  } else if (vote.unreachable) {
    ++unreachable;
    if (!vote.why.empty()) why = vote.why;
  }
}

core::Acquire refusal(const Nodes& nodes, const Tally& tally, std::size_t left) {
  if (nodes.prevent_majority(tally.unreachable)) {
    throw core::Unreachable(
        fmt::format("{} of {} nodes cannot be reached: there is no majority{}{}", tally.unreachable,
                    nodes.count(), tally.why.empty() ? "" : "; ", tally.why));
  }
  if (nodes.prevent_majority(tally.unreachable + tally.abstained)) {
    const auto away = tally.unreachable == 0
                          ? std::string{}
                          : fmt::format(", and {} cannot be reached", tally.unreachable);
    throw core::ErrorReply(fmt::format("{} of {} nodes do not vote{}: {}", tally.abstained,
                                       nodes.count(), away, tally.why));
  }
  // One other client's hold is enough. That a hold has ended takes more: a node can have lost it.
  const bool is_refused = tally.no > tally.over || nodes.prevent_majority(tally.over);
  return is_refused && left < nodes.majority() ? core::Acquire::contended : core::Acquire::unknown;
}

core::Release release_of(const Nodes& nodes, const Votes& votes) {
  const auto freed = said(votes, removed);
  const auto gone = said(votes, no_lock);
  const auto stolen = said(votes, other_hold);
  if (freed >= nodes.majority()) return core::Release::released;
  if (freed + said(votes, still_held) >= nodes.majority()) return core::Release::still_held;
  if (!nodes.prevent_majority(gone + stolen)) return undecided(nodes, votes);
  return stolen > gone ? core::Release::stolen : core::Release::expired;
}

bool removal_of(const Nodes& nodes, const Votes& votes) {
  const auto answered = count(votes, [](const Vote& vote) { return vote.number().has_value(); });
  if (!nodes.prevent_majority(answered)) {
    throw core::LostReply(
        fmt::format("{} of {} nodes answered: the others may be a majority for who holds the lock",
                    answered, nodes.count()));
  }
  return count(votes, [](const Vote& vote) { return vote.is_yes(); }) > 0;
}

}  // namespace stage7
