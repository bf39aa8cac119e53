// Rules about how long a lease is, beside what was asked for.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// The lease that a command carries, in ms; nothing if it has none that can be read.
std::optional<long long> lease_in(const Sent& command) {
  if (const auto ms = command.number_of_option("PX")) return ms;
  if (const auto s = command.number_of_option("EX")) return *s * 1000;
  const auto own = command.number_after_key();
  if (command.name() == "PSETEX") return own;
  if (command.name() == "SETEX") return own ? std::optional(*own * 1000) : own;
  if (!only_leases(command) || command.name().ends_with("AT")) return std::nullopt;
  return own && command.name() == "EXPIRE" ? std::optional(*own * 1000) : own;
}

// Does an acquire that did not get the lock end what it may have set? A lease of 0 does that too.
bool takes_back(const Sent& command, const Call& call) {
  return only_leases(command) && call.outcome == "unknown" && command.number_after_key() == 0;
}

// In which unit the lease of `command` counts, as one says it.
std::string unit_of(const Sent& command) {
  const auto name = command.name();
  if (command.has_option("EX") || name == "EXPIRE" || name == "SETEX") {
    return fmt::format("{} counts in seconds, PEXPIRE and PX in milliseconds",
                       command.has_option("EX") ? "EX" : name);
  }
  return fmt::format("{} counts in milliseconds", command.has_option("PX") ? "PX" : name);
}

}  // namespace

Says lease_of_nothing(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto lease = lease_in(command);
    if (call == nullptr || call->name != "acquire" || !lease || *lease > 0) continue;
    if (takes_back(command, *call)) continue;
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
    if (takes_back(command, *call)) continue;
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
    if (depth_at(evidence, call->client, call->called) > 0) continue;
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
    if (asked == 0 || *lease >= asked - asked / 10 || takes_back(command, *call)) continue;
    const auto* why = *lease == asked / 1000 ? ": seconds were sent where milliseconds count" : "";
    return fmt::format(
        "your lease is shorter than was asked for: {} ms were asked for and {} ms were set{}; the "
        "lock ends while its holder still relies on it",
        asked, *lease, why);
  }
  return std::nullopt;
}

}  // namespace learning::rules
