// Rules about a lock that is removed by who does not own it, or for a hold that is over.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::ServerHold;

// A command that removed a lock which was not its sender's.
struct Theft {
  const Sent* command = nullptr;
  const Sent* before = nullptr;  // what the same call sent before it, if anything
  std::string owner;             // whose lock it was, as one says it

  explicit operator bool() const { return command != nullptr; }
};

// Was it not told whose the hold is, while the sender of `command` was asking for one?
bool may_be_of(const Evidence& evidence, const ServerHold& hold, const Sent& command) {
  const auto from = hold.from;
  return hold.owner.empty() &&
         std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
           return call.client == command.client && call.name == "acquire" && call.called < from &&
                  from < call.answered;
         });
}

// Did somebody take it who is no client of the story?
bool is_a_strangers(const Evidence& evidence, const ServerHold& hold) {
  const auto from = hold.from;
  return hold.owner.empty() &&
         std::none_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
           return command.server == hold.server && command.place < from && from < command.answered;
         });
}

// Of a client's lock, or of a stranger's.
Theft theft_in(const Evidence& evidence, bool from_a_stranger = false) {
  for (const auto& command : evidence.sent) {
    if (!command.did("del") || command.key() != lock_key) continue;
    const auto removed = std::find_if(
        evidence.trace.holds.begin(), evidence.trace.holds.end(), [&](const ServerHold& hold) {
          if (hold.to == faults::never || hold.end != "del") return false;
          if (is_a_strangers(evidence, hold) != from_a_stranger) return false;
          const auto at = hold.to;
          return hold.server == command.server && command.place < at && at <= command.answered &&
                 hold.owner != command.client && hold.ended_by != hold.owner;
        });
    // Where two had asked and were not answered it may be the sender's own.
    if (removed == evidence.trace.holds.end() || may_be_of(evidence, *removed, command)) continue;
    Theft theft{.command = &command,
                .owner = removed->owner.empty() ? "somebody else" : removed->owner};
    if (const auto* call = evidence.call_of(command)) {
      for (const auto* other : evidence.of(*call)) {
        const bool only_frames = other->name() == "MULTI" || other->name() == "WATCH";
        if (other->place < command.place && !only_frames) theft.before = other;
      }
    }
    return theft;
  }
  return {};
}

// What it was told before it deleted: that the lock is its own?
bool said_own(const Sent& look, const std::string& token) {
  return look.is_script() ? look.said_yes() : look.reply == token;
}

// It deletes without having seen the answer to what comes before: in a transaction.
bool deletes_unseen(const Theft& theft) {
  return theft.before != nullptr && theft.before->answered > theft.command->place;
}

}  // namespace

Says acquire_deletes(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  const auto* call = theft ? evidence.call_of(*theft.command) : nullptr;
  if (call == nullptr || call->name != "acquire") return std::nullopt;
  const auto& first = *evidence.of(*call).front();
  const bool takes_back = theft.command->is_script() && theft.command->words != first.words &&
                          theft.command->script() != first.script() && first.said_no();
  if (takes_back) {
    return fmt::format(
        "your acquire deleted a lock that was {}'s: {} was refused it and took back what it had "
        "not got, by a script that does not look whose the lock is; take back as release gives "
        "back, only what has the token of this try",
        theft.owner, call->client);
  }
  if (theft.command->is_script() || looks(theft.before)) return std::nullopt;
  return fmt::format(
      "your acquire deleted a lock that was {}'s: it sends {}, and who wants a lock may not remove "
      "it; it comes free when its holder gives it back, or when its lease is over",
      theft.owner, theft.command->name());
}

Says ends_a_later_hold(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "release" || !command.did("del")) continue;
    for (const auto& hold : evidence.trace.holds) {
      if (hold.server != command.server || hold.to == faults::never || hold.end != "del") continue;
      const auto from = hold.from;
      const auto to = hold.to;
      const bool is_later = hold.owner == command.client && call->answered < from;
      if (!is_later || to > command.answered) continue;
      // Another command may have ended it, or an operator.
      const bool by_another =
          count_faults(evidence, faults::fault::removed, from, to) > 0 ||
          std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
            return &other != &command && other.server == command.server && other.place < to &&
                   to < other.answered && other.did("del");
          });
      if (by_another) continue;
      return fmt::format(
          "your release ends whatever hold {0} has: what it sent at {1} ms, for the hold that it "
          "had then, came late, and at {2} ms ended the one that {0} had taken since; a hold needs "
          "a token of its own, and the release has to compare that",
          command.client, evidence.ms(command.place), evidence.ms(to));
    }
  }
  return std::nullopt;
}

Says deletes_then_compares(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  const auto* call = theft ? evidence.call_of(*theft.command) : nullptr;
  if (call == nullptr || call->name != "release") return std::nullopt;
  if (theft.command->name() != "GETDEL" && !deletes_unseen(theft)) return std::nullopt;
  return fmt::format(
      "your release deletes first and compares then: {} removed the lock, and only its answer says "
      "that it was {}'s; what is put back is too late for who got in between, so compare first, in "
      "the same step",
      theft.command->name(), theft.owner);
}

Says del_without_compare(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || theft.command->is_script() || looks(theft.before)) return std::nullopt;
  return fmt::format(
      "your release deleted a lock that was {}'s: it sends {} without asking whose the key is; "
      "nothing ties the lock to its holder",
      theft.owner, theft.command->name());
}

Says deletes_after_mismatch(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || !looks(theft.before)) return std::nullopt;
  const auto own = evidence.token_of(theft.command->client, theft.command->place);
  if (said_own(*theft.before, own) || own.empty()) return std::nullopt;
  return fmt::format(
      "your release saw that the lock was not its own and deleted it all the same: {} answered {}, "
      "its own token was {}, and {} followed",
      theft.before->name(), theft.before->reply, own, theft.command->name());
}

Says compare_then_del(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || !looks(theft.before)) return std::nullopt;
  const auto own = evidence.token_of(theft.command->client, theft.command->place);
  if (!said_own(*theft.before, own)) return std::nullopt;
  const auto* call = evidence.call_of(*theft.command);
  const auto commands = call == nullptr ? std::vector<const Sent*>{} : evidence.of(*call);
  const bool in_transaction = std::any_of(
      commands.begin(), commands.end(), [](const Sent* other) { return other->name() == "MULTI"; });
  return fmt::format(
      "your release deleted a lock it no longer owned: {} said that it was its own, the lease ran "
      "out, {} got in, and nothing compared the token again at {}; the comparison and the deletion "
      "have to be one step{}",
      theft.before->name(), theft.owner, theft.command->name(),
      in_transaction ? ", and MULTI begins after the comparison: a WATCH before it, or a script"
                     : "");
}

Says script_does_not_compare(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || !theft.command->is_script() || looks(theft.before)) return std::nullopt;
  const auto* call = evidence.call_of(*theft.command);
  if (call != nullptr && call->name == "acquire") return std::nullopt;  // it is no release
  const auto& effects = theft.command->effects;
  const auto deleted = std::find(effects.begin(), effects.end(), "del");
  const bool puts_it_back = std::any_of(
      deleted, effects.end(), [](const auto& what) { return what == "set" || what == "hset"; });
  // Who asks at that moment may have written it.
  if (puts_it_back && is_alone(evidence, *theft.command)) {
    return fmt::format(
        "your release script deletes first and compares then: it deleted a lock that was {}'s, and "
        "put a key there again when it saw that; compare first, and delete what is your own",
        theft.owner);
  }
  const auto own = evidence.token_of(theft.command->client, theft.command->place);
  const auto head = own.substr(0, own.find("…"));
  const auto& words = theft.command->words;
  const bool brings_it = std::any_of(words.begin(), words.end(), [&](const auto& word) {
    return std::string_view(word).starts_with(head);
  });
  if (!own.empty() && !brings_it) {
    return fmt::format(
        "your release script deleted a lock that was {}'s: it was not given the token of its "
        "caller ({}), so it has nothing to compare; what is compared after the script is too late, "
        "the lock is gone by then",
        theft.owner, own);
  }
  return fmt::format(
      "your release script deleted a lock that was {}'s: it was given the token of its caller, and "
      "deletes what is there without comparing it, without comparing all of it, or with the "
      "comparison the wrong way round",
      theft.owner);
}

Says compares_part_of_the_token(const Evidence& evidence) {
  const auto theft = theft_in(evidence, true);
  const auto* call = theft ? evidence.call_of(*theft.command) : nullptr;
  if (call == nullptr || call->name != "release") return std::nullopt;
  return fmt::format(
      "your release takes a token that is like its own for its own: somebody else had the lock, "
      "under {}'s token but for one character, and {} removed it; compare the whole token, and ask "
      "whether the two are equal",
      theft.command->client, theft.command->is_script() ? "the script" : theft.command->name());
}

}  // namespace learning::rules
