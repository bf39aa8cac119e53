// Rules about taking the lock.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// A SETNX, or what stands for it, that was told that it set the key.
bool was_given(const Sent& command) {
  if (command.name() == "SETNX") return command.said_yes();
  if (command.name() != "SET" || !command.has_option("NX")) return false;
  return command.reply == (command.has_option("GET") ? "nil" : "OK");
}

// It is answered with what it read, and nil says that there was nothing.
bool reads(const Sent& command) {
  const auto name = command.name();
  return name.ends_with("GET") || name == "GETEX" || name == "GETDEL";
}

// What `lane` has asked under in its acquires before `place`: tokens, or times.
std::vector<std::string> asked_under(const Evidence& evidence, const std::string& lane,
                                     std::size_t place) {
  std::vector<std::string> values;
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto words = command.arguments();
    const bool asks = call != nullptr && call->name == "acquire" && command.client == lane;
    if (asks && command.place < place && !words.empty()) values.push_back(words.front());
  }
  return values;
}

// Is `value` a token of `lane`'s own? What is cut short tells tokens apart, and not times, which
// begin alike: those are numbers every time.
bool is_own_token(const Evidence& evidence, const std::string& lane, std::size_t place,
                  const std::string& value) {
  const auto own = asked_under(evidence, lane, place);
  return std::find(own.begin(), own.end(), value) != own.end() &&
         !std::all_of(own.begin(), own.end(), may_be_a_time);
}

// Has the same call asked that server what time it is, before it sent `command`?
bool has_asked_for_the_time(const Evidence& evidence, const Call& call, const Sent& command) {
  const auto commands = evidence.of(call);
  return std::any_of(commands.begin(), commands.end(), [&](const Sent* other) {
    return other->name() == "TIME" && other->server == command.server &&
           other->answered < command.place;
  });
}

// Whose command wrote the value that `command` was answered with? Empty: that cannot be seen.
std::string writer_of_what_was_there(const Evidence& evidence, const Sent& command) {
  std::string writer;
  for (const auto& other : evidence.sent) {
    const bool is_there = other.server == command.server && other.key() == command.key();
    if (other.place >= command.place || !is_there || !other.wrote()) continue;
    writer = other.token() == command.reply ? other.client : std::string{};
  }
  return writer;
}

// Does `look` find the very word that the same call asked under before? A time would be another by
// then; one that is cut short may be.
bool is_what_it_wrote(const std::vector<const Sent*>& commands, const Sent& look) {
  if (!is_number(look.reply)) return false;
  return std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
    const auto words = command->arguments();
    return command->place < look.place && !words.empty() && words.front() == look.reply;
  });
}

}  // namespace

Says never_asks(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const bool is_inner = depth_at(evidence, call->client, call->called, call->key) > 0;
    if (!evidence.of(*call).empty() || is_inner) continue;
    return "your acquire answered \"acquired\" without asking the server: no command set the key, "
           "so nobody else can see that the lock is taken";
  }
  return std::nullopt;
}

Says answer_ignored(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    const auto is_no = [](const Sent* command) {
      return command->said_no() && !only_leases(*command) && !reads(*command);
    };
    const auto yes = std::any_of(commands.begin(), commands.end(),
                                 [](const Sent* command) { return command->said_yes(); });
    if (commands.empty() || yes || !is_no(commands.back())) continue;
    return fmt::format(
        "your acquire answered \"acquired\" although the server had said no: {} was answered {}, "
        "and nothing looked at that",
        commands.back()->name(), commands.back()->reply);
  }
  return std::nullopt;
}

Says presence_taken_for_its_own(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    const bool wrote = std::any_of(commands.begin(), commands.end(),
                                   [](const Sent* command) { return command->wrote(); });
    if (commands.empty() || wrote || commands.back()->name() != "EXISTS") continue;
    const auto* hold = evidence.held_at("redis", call->answered);
    if (hold == nullptr || hold->owner == call->client || !commands.back()->said_yes()) continue;
    return fmt::format(
        "your acquire took somebody else's lock for its own: {} was told \"acquired\" at {} ms "
        "because EXISTS was answered {}, and the lock was {}'s; that a key is there does not say "
        "whose it is",
        call->client, evidence.ms(call->answered), commands.back()->reply, hold->owner);
  }
  return std::nullopt;
}

Says set_without_nx(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const bool with_a_lease = command.name() == "SETEX" || command.name() == "PSETEX";
    if (call == nullptr || call->name != "acquire") continue;
    if ((!overwrites(command) && !with_a_lease) || !command.wrote()) continue;
    // After it was answered: an end of the lease may have been noticed only with this command.
    const auto* hold = evidence.held_at(command.server, command.answered);
    if (hold == nullptr || hold->owner == command.client || hold->owner.empty()) continue;
    const bool for_a_value = !with_a_lease && command.has("NX");
    return fmt::format(
        "your acquire took a lock that was taken: {} answers OK whether the key is there or not, "
        "and wrote over {}'s; {}",
        with_a_lease ? command.name() : "SET without NX", hold->owner,
        for_a_value
            ? "its NX stands where the value belongs, and so it is the value: key, value, NX"
            : "only SET has an NX");
  }
  return std::nullopt;
}

Says takes_by_counting(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const bool counts = command.name() == "INCR" || command.name() == "INCRBY";
    if (call == nullptr || !call->is("acquire", "contended") || !counts) continue;
    if (command.key() != lock_key || command.number().value_or(1) == 1) continue;
    return fmt::format(
        "your acquire counts: {} was answered {} for {}, who was not let in and has changed the "
        "lock all the same, so the count no longer tells whether anybody has it; SET with NX "
        "changes nothing when it refuses, and a lock that is free is no key at all",
        command.name(), command.reply, call->client);
  }
  return std::nullopt;
}

Says refusal_writes_over(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || !call->is("acquire", "contended") || command.key() != lock_key) continue;
    if (!command.answers_what_was_there() || command.said_yes() || !command.wrote()) continue;
    if (!is_alone(evidence, command)) continue;
    const auto* hold = evidence.held_at(command.server, command.place);
    if (hold == nullptr || hold->owner.empty() || hold->owner == call->client) continue;
    if (writer_of_what_was_there(evidence, command) != hold->owner) continue;
    return fmt::format(
        "your acquire writes over what it is refused: {} answered {}, {}'s value, and had already "
        "put {}'s own in its place; SET with NX changes nothing when it refuses",
        command.name(), command.reply, hold->owner, call->client);
  }
  return std::nullopt;
}

Says get_then_set(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto name = command.name();
    const bool takes = overwrites(command) || name == "SETEX" || name == "PSETEX";
    if (call == nullptr || call->name != "acquire" || !takes) continue;
    const auto* before = next_of(evidence, command, -1);
    const bool looks = before != nullptr && (before->name() == "GET" || before->name() == "EXISTS");
    if (!looks || !(before->reply == "nil" || before->reply == "0")) continue;
    return fmt::format(
        "your acquire looks first ({}) and takes then ({}): between the two somebody else can "
        "look as well, and both take it; one command has to do both",
        before->name(), name);
  }
  return std::nullopt;
}

Says takes_what_is_overdue(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire") continue;
    const bool deletes = command.name() == "DEL" && command.did("del");
    if (!overwrites(command) && !deletes) continue;
    const auto* hold = evidence.held_at(command.server, command.place);
    const auto commands = evidence.of(*call);
    const bool takes_back = std::any_of(commands.begin(), commands.end(), [&](const Sent* other) {
      return other->place < command.place && other->wrote();
    });
    const bool removes = deletes && hold != nullptr && !hold->owner.empty() &&
                         hold->owner != call->client && !takes_back;
    if (!overwrites(command) && !removes) continue;
    const auto* before = next_of(evidence, command, -1);
    if (before == nullptr || before->name() != "GET" || before->reply == "nil") continue;
    const bool takes_back_its_own =
        is_own_token(evidence, call->client, command.place, before->reply) ||
        is_what_it_wrote(commands, *before);
    if (takes_back_its_own) continue;
    return fmt::format(
        "your acquire decides by its own clock that the lock is over: GET answered {}, and {}; "
        "clocks differ, and two who read the same both do it; let the server end the lock, with a "
        "lease on the key",
        before->reply, removes ? "DEL removed it" : "SET wrote over it");
  }
  return std::nullopt;
}

Says lease_by_its_own_clock(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    const auto name = command.name();
    const bool until = name == "PEXPIREAT" || name == "EXPIREAT" || command.has_option("PXAT") ||
                       command.has_option("EXAT");
    if (call == nullptr || call->name != "acquire" || command.is_script() || !until) continue;
    if (has_asked_for_the_time(evidence, *call, command)) continue;
    return fmt::format(
        "your lease ends at a time of day that your own clock tells: {} sent {}, and the server "
        "ends the lock by its clock; where the two differ the lease is over too soon, or too late; "
        "say how long (PX, PEXPIRE), and not until when",
        call->client, name);
  }
  return std::nullopt;
}

Says yes_taken_for_unknown(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    if (!call.is("acquire", "unknown")) continue;
    const bool all_heard = std::all_of(commands.begin(), commands.end(), [&](const Sent* command) {
      return command->heard < call.answered && !command->was_refused();
    });
    const auto let_in = std::find_if(commands.begin(), commands.end(), [](const Sent* command) {
      return command->said_yes() && command->wrote();
    });
    if (!all_heard || let_in == commands.end()) continue;
    const auto lease = evidence.lease_of(call);
    const auto took = evidence.ms(call.answered) - evidence.ms((*let_in)->place);
    if (took > lease / 2) continue;
    return fmt::format(
        "your acquire was let in and answered \"unknown\": {} was answered {}, and {} ms of a "
        "lease of {} ms had passed; look at what it reads from the answer, and at the moment from "
        "which it counts the lease",
        (*let_in)->name(), (*let_in)->reply, took, lease);
  }
  return std::nullopt;
}

Says silence_taken_for_a_no(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    const auto lost = std::find_if(commands.begin(), commands.end(), [](const Sent* command) {
      return command->wrote() && command->heard == faults::never;
    });
    if (!call.is("acquire", "contended") || lost == commands.end()) continue;
    const auto again = std::find_if(lost + 1, commands.end(), [&](const Sent* command) {
      const auto* hold = evidence.held_at(command->server, command->place);
      const bool is_its_own =
          hold != nullptr && hold->owner == call.client && hold->from > call.called;
      return command->name() == (*lost)->name() && command->script() == (*lost)->script() &&
             command->said_no() && is_its_own;
    });
    if (again == commands.end() && lost + 1 != commands.end()) continue;
    return fmt::format(
        "your acquire does not know its own: the answer to {} was lost, which had set the lock, "
        "and acquire answered \"contended\"{}; without that answer it does not know: ask again "
        "under a token that tells whose it is, or take back what may be yours, and answer "
        "\"unknown\"",
        (*lost)->name(),
        again == commands.end() ? "" : ", since it asked again and was refused what it had itself");
  }
  return std::nullopt;
}

Says yes_taken_for_no(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("acquire", "contended")) continue;
    const auto commands = evidence.of(call);
    if (commands.empty() || commands.back()->heard > call.answered) continue;
    const auto& last = *commands.back();
    const bool sets_the_lease =
        only_leases(last) && last.said_yes() &&
        std::any_of(commands.begin(), commands.end(),
                    [](const Sent* command) { return was_given(*command); });
    if (!was_given(last) && !sets_the_lease) continue;
    return fmt::format(
        "your acquire took a yes for a no: {} was answered {}, which says that it set the {}, and "
        "acquire answered \"contended\"; nobody gives that lock back",
        last.name(), last.reply, sets_the_lease ? "lease" : "key");
  }
  return std::nullopt;
}

Says asks_for_another_key(const Evidence& evidence) {
  // The lock's key first; it may have come to no more than warming up.
  for (const bool warming_up : {false, true}) {
    for (const auto& call : evidence.calls()) {
      if ((call.key != lock_key) != warming_up) continue;
      const auto commands = evidence.of(call);
      const bool names_it = std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
        // What a script is given after its keys is no key, even if it reads the same.
        const auto& words = command->words;
        const auto rest = command->is_script() ? command->arguments() : std::vector<std::string>{};
        return std::count(words.begin(), words.end(), call.key) >
               std::count(rest.begin(), rest.end(), call.key);
      });
      if (names_it || commands.empty() || commands.front()->key().empty()) continue;
      return fmt::format(
          "your {} names another key than the lock's: {} was sent for {}, and the lock's key is "
          "{}{}; who does not use that very key excludes nobody, and frees nothing",
          call.name, commands.front()->name(), commands.front()->key(), call.key,
          warming_up ? " (each client begins with a lock of that name)" : "");
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
