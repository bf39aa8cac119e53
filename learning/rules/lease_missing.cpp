// Rules about a lock without a lease: none is set, or it is set too late, on another key, or taken
// away again.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

bool sets_a_lease(const Sent& command) {
  return command.has_option("PX") || command.has_option("EX") || command.has_option("PXAT") ||
         command.has_option("EXAT") || command.did("expire");
}

// Did a call leave the lock without a lease: none was set, or what should set it never came?
bool was_left_without_lease(const Evidence& evidence) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& taken) {
    const auto* call = evidence.call_of(taken);
    const bool takes = call != nullptr && call->name == "acquire" && call->key == lock_key;
    if (!takes || !taken.wrote() || sets_a_lease(taken)) return false;
    const auto commands = evidence.of(*call);
    return std::none_of(commands.begin(), commands.end(), [&](const Sent* command) {
      return command->place > taken.place && command->did("expire");
    });
  });
}

// The first command that took a key without giving it a lease, whichever key that was.
const Sent* taken_without_lease(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const bool takes = call != nullptr && call->name == "acquire" && command.wrote();
    if (takes && !sets_a_lease(command)) return &command;
  }
  return nullptr;
}

// Does a lock stand to the end of the story that was taken like that?
bool is_left_without_lease(const Evidence& evidence) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
    if (!command.wrote() || sets_a_lease(command)) return false;
    const auto& holds = evidence.trace.holds;
    return std::any_of(holds.begin(), holds.end(), [&](const faults::ServerHold& hold) {
      const auto from = hold.from;
      return hold.server == command.server && hold.to == faults::never && command.place < from &&
             from < command.answered;
    });
  });
}

// Is a lease that is taken away at `place` of the story set again, before anybody hears of it?
bool is_set_again(const Evidence& evidence, std::size_t place) {
  for (const auto& next : evidence.trace.events) {
    if (next.number <= place) continue;
    if (next.kind == faults::Kind::reply) return false;
    if (!next.is(faults::Kind::server, evidence.record()[place].process)) continue;
    const auto what = next.text("what");
    if (what == "expire" || what == "del" || what == "set") return true;
  }
  return false;
}

}  // namespace

Says no_lease(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness)) return std::nullopt;
  const auto* taken = taken_without_lease(evidence);
  if (taken == nullptr) return std::nullopt;
  if (!is_left_without_lease(evidence)) return std::nullopt;  // what was removed bars nobody
  for (const auto* next : evidence.of(*evidence.call_of(*taken))) {
    if (sets_a_lease(*next) || only_leases(*next)) return std::nullopt;
  }
  return fmt::format(
      "your lock has no lease: {} set the key and nothing set when it ends, so what a dead holder "
      "leaves behind stays for ever",
      taken->name());
}

Says lease_taken_for_granted(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness) || evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    const auto asked = std::find_if(commands.begin(), commands.end(),
                                    [](const Sent* command) { return only_leases(*command); });
    const bool given = std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
      return sets_a_lease(*command) || (only_leases(*command) && command->said_yes());
    });
    if (asked == commands.end() || given) continue;
    return fmt::format(
        "your acquire took its lease for granted: {} answered \"acquired\" at {} ms, and {} had "
        "no yes from the server, so nothing ends the lock if {} dies; without that answer it does "
        "not know what it has: \"unknown\"",
        call->client, evidence.ms(call->answered), (*asked)->name(), call->client);
  }
  return std::nullopt;
}

Says lease_in_a_second_command(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness)) return std::nullopt;
  if (!was_left_without_lease(evidence)) return std::nullopt;
  const auto* taken = taken_without_lease(evidence);
  const auto* next = taken == nullptr ? nullptr : next_of(evidence, *taken);
  if (next == nullptr || !(only_leases(*next) || sets_a_lease(*next))) return std::nullopt;
  return fmt::format(
      "your lease comes in a second command: a holder that dies, or loses its connection, between "
      "{} and {} leaves a key without a lease, for ever",
      taken->name(), next->name());
}

Says lease_before_the_key(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    if (commands.size() < 2) continue;
    const auto& lease = *commands[commands.size() - 2];
    if (!only_leases(lease) || !lease.said_no() || !commands.back()->said_yes()) continue;
    return fmt::format(
        "your acquire sets the lease before there is a key: {} was answered 0, since there was "
        "nothing to set it on, and the key that {} made then has no lease",
        lease.name(), commands.back()->name());
  }
  return std::nullopt;
}

Says lease_on_another_key(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire") continue;
    const Sent* taken = nullptr;
    const Sent* elsewhere = nullptr;
    // Of the key that clients warm up with as well: "lock" written out is right for the other.
    for (const auto* command : evidence.of(call)) {
      const bool is_its_own = command->key() == call.key;
      if (is_its_own && command->wrote() && !sets_a_lease(*command)) taken = command;
      if (is_its_own && only_leases(*command)) taken = nullptr;
      if (!is_its_own && only_leases(*command)) elsewhere = command;
    }
    if (taken == nullptr || elsewhere == nullptr || elsewhere->place < taken->place) continue;
    return fmt::format(
        "your lease is not the lock's: {} set {}, and {} was sent for {}, so what a dead holder "
        "leaves behind stays for ever",
        taken->name(), taken->key(), elsewhere->name(), elsewhere->key());
  }
  return std::nullopt;
}

Says lease_wiped(const Evidence& evidence) {
  for (const auto& event : evidence.trace.events) {
    if (event.kind != faults::Kind::server || event.text("what") != "persist") continue;
    if (is_set_again(evidence, event.number)) continue;
    return fmt::format(
        "your lease is taken away: at {} ms the lock was left without one (PERSIST); what a dead "
        "holder leaves behind stays for ever",
        evidence.ms(event.number));
  }
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire" || !overwrites(command)) continue;
    const auto* before = next_of(evidence, command, -1);
    const bool leased = before != nullptr && (only_leases(*before) || sets_a_lease(*before));
    if (!leased || !before->said_yes() || sets_a_lease(command) || command.has_option("KEEPTTL"))
      continue;
    return fmt::format(
        "your lease is wiped out again: {} set it, and the SET after that, which names none, takes "
        "it away; what a dead holder leaves behind stays for ever",
        before->name());
  }
  return std::nullopt;
}

}  // namespace learning::rules
