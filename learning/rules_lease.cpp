// Rules about the lease that a lock is taken with.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning::rules {
namespace {

using faults::Property;

bool sets_a_lease(const Sent& command) {
  return command.has("PX") || command.has("EX") || command.has("PXAT") || command.has("EXAT") ||
         command.did("expire");
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
    const auto& holds = evidence.story.holds;
    return std::any_of(holds.begin(), holds.end(), [&](const faults::ServerHold& hold) {
      const auto from = evidence.story.events[hold.from].number;
      return hold.server == command.server && hold.to == faults::never && command.place < from &&
             from < command.answered;
    });
  });
}

// The lease that a command carries, in ms; nothing if it has none that can be read.
std::optional<long long> lease_in(const Sent& command) {
  if (const auto ms = command.number_after("PX")) return ms;
  if (const auto s = command.number_after("EX")) return *s * 1000;
  const auto own = command.number_after(command.key());
  if (command.name() == "PSETEX") return own;
  if (command.name() == "SETEX") return own ? std::optional(*own * 1000) : own;
  if (!only_leases(command) || command.name().ends_with("AT")) return std::nullopt;
  const auto number = command.number_after(command.key());
  return number && command.name() == "EXPIRE" ? std::optional(*number * 1000) : number;
}

// In which unit the lease of `command` counts, as one says it.
std::string unit_of(const Sent& command) {
  const auto name = command.name();
  if (command.has("EX") || name == "EXPIRE" || name == "SETEX") {
    return fmt::format("{} counts in seconds, PEXPIRE and PX in milliseconds",
                       command.has("EX") ? "EX" : name);
  }
  return fmt::format("{} counts in milliseconds", command.has("PX") ? "PX" : name);
}

// How long the last yes of an acquire was on its way, there and back, in ms.
long long time_to_the_last_yes(const Evidence& evidence, const Call& call) {
  long long longest = 0;
  for (const auto* command : evidence.of(call)) {
    if (!command->said_yes() || command->heard > call.answered) continue;
    longest = std::max(longest, evidence.ms(command->heard) - evidence.ms(command->place));
  }
  return longest;
}

// Is there anything for which a client may take what it has for lost, and rightly: a server that it
// cannot hear, a machine that stood still?
bool is_disturbed(const Evidence& evidence) {
  return std::any_of(evidence.record.begin(), evidence.record.end(), [](const auto& event) {
    const bool at_work = event.kind == faults::Kind::fault && event.text("server") == "storage";
    return event.kind == faults::Kind::stood_still ||
           (event.kind == faults::Kind::fault && !at_work);
  });
}

// Is a lease that is taken away at `place` of the story set again, before anybody hears of it?
bool is_set_again(const Evidence& evidence, std::size_t place) {
  const auto& events = evidence.story.events;
  for (auto next = place + 1; next < events.size(); ++next) {
    if (events[next].kind == faults::Kind::reply) return false;
    if (events[next].kind != faults::Kind::server || events[next].lane != events[place].lane)
      continue;
    const auto what = events[next].text("what");
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
        call->lane, evidence.ms(call->answered), (*asked)->name(), call->lane);
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
  for (const auto& call : evidence.calls) {
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
  for (std::size_t place = 0; place < evidence.story.events.size(); ++place) {
    const auto& event = evidence.story.events[place];
    if (event.kind != faults::Kind::server || event.text("what") != "persist") continue;
    if (is_set_again(evidence, place)) continue;
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
    if (!leased || !before->said_yes() || sets_a_lease(command) || command.has("KEEPTTL")) continue;
    return fmt::format(
        "your lease is wiped out again: {} set it, and the SET after that, which names none, takes "
        "it away; what a dead holder leaves behind stays for ever",
        before->name());
  }
  return std::nullopt;
}

Says lease_of_nothing(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto lease = lease_in(command);
    if (call == nullptr || call->name != "acquire" || !lease || *lease > 0) continue;
    const auto asked = evidence.lease_of(*call);
    return fmt::format(
        "your lease is 0: {}; {}",
        only_leases(command) ? command.name() + " with 0 deletes the key at once, so nobody has it"
                             : "the server refuses " + command.name() + " with it",
        asked < 1'000
            ? "in whole seconds, every lease below one of them is 0"
            : fmt::format("{} ms were asked for, so look at where that number is kept", asked));
  }
  return std::nullopt;
}

Says lease_is_over_at_once(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const bool taking = call != nullptr && call->name == "acquire" && call->key == lock_key;
    if (!taking || !only_leases(command) || !command.did("del")) continue;
    return fmt::format(
        "your lease is over when it begins: {} deleted the key at once, so nobody has the lock; {}",
        command.name(),
        command.name().ends_with("AT")
            ? "it wants a time of day, counted from 1970, and by the server's clock"
            : "it wants how long, which has to be more than 0");
  }
  return std::nullopt;
}

Says lease_is_always_the_same(const Evidence& evidence) {
  long long other = 0;
  std::optional<long long> set;
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto lease = lease_in(command);
    if (call == nullptr || call->name != "acquire" || !lease) continue;
    const auto asked = evidence.lease_of(*call);
    if (asked == 0) continue;
    // As it was asked for once, it may be rounded for the other.
    constexpr long long far = 10;
    const bool right_for_one = asked == *lease || other == *lease;
    const bool far_apart = asked > far * other || other > far * asked;
    if (other != 0 && other != asked && set == lease && (!right_for_one || far_apart)) {
      return fmt::format(
          "your lease is {} ms whatever is asked for: {} ms were, and {} ms; the lease is what the "
          "lock was made with",
          *lease, other, asked);
    }
    other = asked;
    set = lease;
  }
  return std::nullopt;
}

Says lease_longer_than_asked(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto lease = lease_in(command);
    if (call == nullptr || call->name != "acquire" || !lease) continue;
    const auto asked = call->asked.value("lease_ms", 0LL);
    if (asked == 0 || *lease <= asked + asked / 10) continue;
    // An inner one leaves the lease of who is around it.
    if (depth_at(evidence, call->lane, call->called) > 0) continue;
    if (*lease < 100 * asked) {
      return fmt::format(
          "your lease is longer than was asked for: {} ms were asked for and {} ms were set; a "
          "dead holder's lock stays for that long",
          asked, *lease);
    }
    return fmt::format(
        "your lease is far longer than was asked for: {} ms were asked for and {} s were set; {}",
        asked, *lease / 1000, unit_of(command));
  }
  return std::nullopt;
}

Says lease_shorter_than_asked(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto lease = lease_in(command);
    if (call == nullptr || call->name != "acquire" || !lease) continue;
    const auto asked = call->asked.value("lease_ms", 0LL);
    if (asked == 0 || *lease >= asked - asked / 10) continue;
    const auto* why = *lease == asked / 1000 ? ": seconds were sent where milliseconds count" : "";
    return fmt::format(
        "your lease is shorter than was asked for: {} ms were asked for and {} ms were set{}; the "
        "lock ends while its holder still relies on it",
        asked, *lease, why);
  }
  return std::nullopt;
}

Says contender_extends(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire" || !only_leases(command)) continue;
    const auto* before = next_of(evidence, command, -1);
    if (before == nullptr || !before->said_no() || !command.said_yes()) continue;
    return fmt::format(
        "your acquire sets the lease also when it was refused: {} answered {}, and {} followed all "
        "the same; whoever waits keeps a dead holder's lock alive",
        before->name(), before->reply, command.name());
  }
  return std::nullopt;
}

Says yes_to_what_is_over(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto asked = call->asked.value("lease_ms", 0LL);
    // An inner one has the lease of the hold that it enters, which may be longer.
    const bool inner = depth_at(evidence, call->lane, call->called) > 0;
    if (inner || asked == 0 || call->asked.value("wait_ms", 0LL) > 0) continue;
    const auto took = time_to_the_last_yes(evidence, *call);
    if (took < asked) continue;
    return fmt::format(
        "your acquire said yes to a hold that was over: the answer reached {} {} ms after it had "
        "asked for a lease of {} ms; a yes that comes when its lease is over is worth nothing: "
        "give back what may be there, and answer \"unknown\"",
        call->lane, took, asked);
  }
  return std::nullopt;
}

Says gives_up_what_it_has(const Evidence& evidence) {
  if (evidence.several_servers() || is_disturbed(evidence)) return std::nullopt;
  // By so much its own deadline may not come before the server's.
  const auto too_soon = evidence.usual_lease() * 2 / 3;
  for (const auto& event : evidence.record) {
    if (event.kind != faults::Kind::told || event.text("event") != "lost") continue;
    const auto* hold = evidence.held_at("redis", event.number);
    const auto next = std::find_if(
        evidence.calls.begin(), evidence.calls.end(),
        [&](const Call& call) { return call.lane == event.lane && call.called > event.number; });
    if (hold == nullptr || hold->owner != event.lane || next == evidence.calls.end()) continue;
    const bool was_its_own = next->is("release", "released") || next->is("release", "still_held");
    if (!was_its_own || evidence.ms(next->called) - evidence.ms(event.number) < too_soon) continue;
    return fmt::format(
        "your lock gave up a hold that it had: {} was told at {} ms that it was lost, and when it "
        "released it at {} ms the server still held it for {}; what the lock knows of its lease "
        "has to be the longest that it was given, also by a second acquire",
        event.lane, evidence.ms(event.number), evidence.ms(next->called), event.lane);
  }
  return std::nullopt;
}

}  // namespace learning::rules
