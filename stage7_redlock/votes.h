// The answers of the nodes to one question, and the outcome that follows from them.
//
// Thread-safety: values.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/outcome.h"
#include "core/redis/reply.h"
#include "stage7_redlock/nodes.h"

namespace stage7 {

// One node's answer.
struct Vote {
  std::optional<core::Reply> reply;  // the answer, if it has come
  bool unreachable = false;          // no connection: it was not asked
  bool lost = false;                 // it was asked, and the connection broke before the answer
  std::string why = {};              // why the node did not let us in

  [[nodiscard]] bool is_error() const { return reply && reply->is_error(); }
  // The integer that the script returned, alone or as the first of several; nothing without an
  // answer.
  [[nodiscard]] std::optional<long long> number() const {
    if (!reply || reply->is_error()) return std::nullopt;
    return reply->parts() > 0 ? reply->integer(0) : reply->integer();
  }
  // The other hold that has the node, where an acquire was refused; otherwise empty.
  [[nodiscard]] std::string holder() const {
    return number().value_or(0) < 0 ? std::string(reply->text(1)) : std::string{};
  }
  [[nodiscard]] bool is_open() const { return !reply && !unreachable && !lost; }
  [[nodiscard]] bool is_yes() const { return number() > 0; }
  [[nodiscard]] bool is_no() const { return unreachable || (reply && !is_yes()); }
};

using Votes = std::vector<Vote>;  // in the order of the nodes

// How many votes are of one kind.
template <typename Is>
[[nodiscard]] std::size_t count(const Votes& votes, Is is) {
  return static_cast<std::size_t>(std::count_if(votes.begin(), votes.end(), is));
}

// The answers of release.lua.
enum ReleaseAnswer : long long { removed = 1, still_held = 2, no_lock = 0, other_hold = -1 };

// True once a majority has said yes, or none can any more. If the votes are split, all are heard:
// each client that has some of them tries again soon.
[[nodiscard]] bool is_decided(const Nodes& nodes, const Votes& votes);
// The same for a release: has a majority removed the lock? If none can any more (another
// participant is inside, or a node has missed a release): has a majority said that it had the lock,
// or can none?
[[nodiscard]] bool is_release_decided(const Nodes& nodes, const Votes& votes);

// The votes on an acquire, counted.
struct Tally {
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t over = 0;                              // of these: the hold to join is not there
  std::size_t abstained = 0;                         // or refused the command
  std::size_t unreachable = 0;                       // were not asked
  std::chrono::milliseconds lease{0};                // the shortest among the yes
  std::string why;                                   // of those that abstained, or let nobody in
  std::vector<bool> heard;                           // which nodes have answered, or cannot
  std::vector<bool> may_have_it;                     // which have, or may have, said yes
  std::vector<std::chrono::milliseconds> taken_for;  // by another hold; otherwise 0
  std::map<std::string, std::size_t> holders;        // other holds: how many nodes each has

  [[nodiscard]] static Tally of(const Votes& votes);
  // Every node has, or may have, said yes.
  [[nodiscard]] static Tally all_yes(const Nodes& nodes);

  void add(const Vote& vote);

  // Does another hold have a majority?
  [[nodiscard]] bool is_held(const Nodes& nodes) const;

  // How long it takes, at most, until a majority is free. 0 if the votes are split and this acquire
  // has some of them: all who have give them back, and try again. They are few, however many wait.
  [[nodiscard]] std::chrono::milliseconds busy_for(const Nodes& nodes) const;

  // A roll-back was sent after this, and is answered by `votes`. Have all answered that had
  // answered before? How many nodes may still have what they said yes to?
  [[nodiscard]] bool has_answered_again(const Votes& votes) const;
  [[nodiscard]] std::size_t still_there(const Votes& votes) const;
};

// The outcome of an acquire that has no majority. `left`: how many nodes may still have what they
// gave. Throws Unreachable if so many cannot be reached that there is no majority, and ErrorReply
// if so many abstain, or both together.
[[nodiscard]] core::Acquire refusal(const Nodes& nodes, const Tally& tally, std::size_t left);

// The outcome of a release, from answers as release.lua gives them. Throws Unreachable if no node
// was asked, and ErrorReply if so many refused that there can be no majority.
[[nodiscard]] core::Release release_of(const Nodes& nodes, const Votes& votes);

// Whether a lock was removed by force, from answers as remove.lua gives them. Throws LostReply if
// so few nodes answered that the others may still be a majority for its holder.
[[nodiscard]] bool removal_of(const Nodes& nodes, const Votes& votes);

}  // namespace stage7
