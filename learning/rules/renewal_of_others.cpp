// Rules about the renewal of what is not one's own: somebody else's lock, one that is gone, another
// key.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// A renewal that changed a lock which was another client's.
const Sent* renewal_of_a_strangers(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    if (!renewal->did("expire")) continue;
    const auto* hold = evidence.held_at(renewal->server, renewal->answered);
    if (hold == nullptr || hold->owner.empty() || hold->owner == renewal->client) continue;
    return renewal;
  }
  return nullptr;
}

// The renewal of the same client before `renewal`.
const Sent* before(const Evidence& evidence, const Sent& renewal) {
  const Sent* last = nullptr;
  for (const auto* other : evidence.renewals()) {
    if (other->client == renewal.client && other->place < renewal.place) last = other;
  }
  return last;
}

std::string owner_of(const Evidence& evidence, const Sent& renewal) {
  return evidence.held_at(renewal.server, renewal.answered)->owner;
}

// Has something been written into the hold that `renewal` found, by who is no client? Then it is
// under another token.
bool was_written_by_a_stranger(const Evidence& evidence, const Sent& renewal) {
  const auto* hold = evidence.held_at(renewal.server, renewal.answered);
  for (const auto& event : evidence.trace.events) {
    if (event.number >= renewal.answered) return false;
    const auto what = event.text("what");
    const bool is_in_it = evidence.held_at(renewal.server, event.number) == hold;
    const bool writes =
        event.is(faults::Kind::server, renewal.server) && (what == "set" || what == "hset");
    if (is_in_it && writes && evidence.trace.asking(renewal.server, event.number).empty())
      return true;
  }
  return false;
}

// Was somebody let in while it was under way? Then the key may be of his making.
bool comes_beside_a_yes(const Evidence& evidence, const Sent& renewal) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
    const auto* call = evidence.call_of(other);
    return call != nullptr && call->name == "acquire" && other.said_yes() &&
           other.server == renewal.server && other.place < renewal.answered &&
           renewal.place < other.answered;
  });
}

// Does nothing but the lock itself send it?
bool comes_by_itself(const Evidence& evidence, const Sent& command) {
  return !command.operation && command.key() == lock_key && command.is_script() &&
         !is_stopped(evidence, command);
}

// On how many servers does `lane` have the lock at `place`, those in `without` left out?
std::size_t count_servers(const Evidence& evidence, const std::string& lane, std::size_t place,
                          const std::set<std::string>& without) {
  std::set<std::string> servers;
  for (const auto& hold : evidence.trace.holds) {
    const auto* there = evidence.held_at(hold.server, place);
    const bool may_be_its =
        there != nullptr && (there->owner == lane || there->possible_owners.contains(lane));
    if (may_be_its && !without.contains(hold.server)) servers.insert(hold.server);
  }
  return servers.size();
}

}  // namespace

Says renewal_compares_part_of_the_token(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || !was_written_by_a_stranger(evidence, *renewal)) return std::nullopt;
  return fmt::format(
      "your renewal takes a token that is like its own for its own: {} had the lock, under {}'s "
      "token but for one character, and {} set its lease; compare the whole token, and ask whether "
      "the two are equal",
      owner_of(evidence, *renewal), renewal->client,
      renewal->is_script() ? "the script" : renewal->name());
}

Says checks_then_renews(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || renewal->is_script()) return std::nullopt;
  const auto* look = before(evidence, *renewal);
  if (look == nullptr || !look->name().ends_with("GET")) return std::nullopt;
  return fmt::format(
      "your watchdog renewed {}'s lock: {} said that the lock was its own, and until {} came it "
      "was not any more; the comparison and the renewal have to be one step",
      owner_of(evidence, *renewal), look->name(), renewal->name());
}

Says renews_with_set_xx(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || renewal->name() != "SET") return std::nullopt;
  return fmt::format(
      "your watchdog wrote over {}'s lock: SET XX asks whether the key is there, not whose it is, "
      "and puts your token into a lock that was somebody else's",
      owner_of(evidence, *renewal));
}

Says renewal_writes_the_key(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || (!renewal->did("set") && !renewal->did("hset"))) return std::nullopt;
  return fmt::format(
      "your watchdog took {}'s lock away: its renewal writes the key again instead of its lease "
      "alone, so a hold that is over comes back, over whoever has the lock now",
      owner_of(evidence, *renewal));
}

Says renews_whatever_is_there(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr) return std::nullopt;
  return fmt::format(
      "your watchdog renewed a lock that was {}'s: the renewal ({}) sets the lease of whatever is "
      "there, and its comparison with the token, if there is one, holds nothing up",
      owner_of(evidence, *renewal), renewal->name());
}

Says renewal_brings_it_back(const Evidence& evidence) {
  std::map<std::string, std::set<std::string>> servers;  // by client
  for (const auto& command : evidence.sent) {
    // Of several servers one that has missed a hold is told of it later, by an acquire perhaps.
    const bool repairs = evidence.several_servers() && comes_by_itself(evidence, command);
    const bool writes = command.did("set") || command.did("hset");
    if (!(command.renews || repairs) || !writes) continue;
    const auto* hold = evidence.held_at(command.server, command.place);
    if (hold != nullptr || comes_beside_a_yes(evidence, command)) continue;
    auto& brought_back = servers[command.client];
    const auto kept = count_servers(evidence, command.client, command.place, brought_back);
    if (kept >= evidence.trace.majority()) continue;
    brought_back.insert(command.server);
    if (brought_back.size() < evidence.trace.majority()) continue;
    return "your watchdog brought back a lock that was gone: its renewal makes the key if it is "
           "not there, and then nobody gives that back; a renewal may only lengthen what it finds";
  }
  return std::nullopt;
}

Says renews_another_key(const Evidence& evidence) {
  const auto is_asked_for = [&](const std::string& key) {
    return std::any_of(evidence.calls().begin(), evidence.calls().end(),
                       [&](const Call& call) { return call.key == key; });
  };
  const auto renews_the_lock = [&](const std::string& lane) {
    const auto renewals = evidence.renewals();
    return std::any_of(renewals.begin(), renewals.end(),
                       [&](const Sent* renewal) { return renewal->client == lane; });
  };
  for (const auto& command : evidence.sent) {
    const bool by_itself = !command.operation && (command.is_script() || only_leases(command));
    if (!by_itself || is_asked_for(command.key())) continue;
    if (command.key().empty() && command.arguments().empty()) continue;  // it names none
    // Who is being stopped gives back, and who renews the lock has other things to do besides.
    if (is_stopped(evidence, command) || renews_the_lock(command.client)) continue;
    return fmt::format(
        "your watchdog renews another key than the lock's: {} was sent for {}, and the lock's key "
        "is {}",
        command.name(),
        command.key().empty() ? "an empty one, such as a string that was moved away"
                              : command.key(),
        lock_key);
  }
  return std::nullopt;
}

}  // namespace learning::rules
