// Rules about what a lock remembers of its answers, and what it tells of them.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// A release that was answered with `outcome`.
bool is_release(const Call& call, std::string_view outcome) {
  return call.is("release", outcome) && call.key == lock_key && call.answered != faults::never;
}

// The last answer of a server in `call`, with its command; empty if it sent nothing.
std::string last_answer(const Evidence& evidence, const Call& call) {
  const auto commands = evidence.of(call);
  return commands.empty()
             ? std::string("nothing was asked")
             : fmt::format("{} was answered {}", commands.back()->name(), commands.back()->reply);
}

// The calls of the lane of `call` before it.
std::vector<const Call*> before(const Evidence& evidence, const Call& call) {
  std::vector<const Call*> calls;
  for (const auto& other : evidence.calls()) {
    if (other.client == call.client && other.key == call.key && other.called < call.called) {
      calls.push_back(&other);
    }
  }
  return calls;
}

// Has the calling thread given back all that it had, as its own calls say?
bool has_given_back(const Evidence& evidence, const Call& call) {
  int depth = 0;
  bool has_left = false;
  for (const auto* other : before(evidence, call)) {
    if (thread_of(*other) != thread_of(call) || other->outcome == "contended") continue;
    const bool is_told = other->outcome == "acquired" || other->outcome == "done" ||
                         (other->name == "release" && other->outcome != "unknown" &&
                          other->outcome != "error" && !other->outcome.empty());
    if (!is_told) return false;
    if (other->name == "acquire") ++depth;
    if (other->name != "release") continue;
    --depth;
    has_left = true;
  }
  return has_left && depth == 0;
}

// The acquire by which the calling thread has what `call` gives back; null: that is not plain.
const Call* only_acquire_of(const Evidence& evidence, const Call& call) {
  auto calls = before(evidence, call);
  std::erase_if(calls, [](const Call* other) { return other->outcome == "contended"; });
  std::erase_if(calls, [](const Call* other) { return other->is("work", "done"); });
  if (calls.empty() || !calls.back()->is("acquire", "acquired")) return nullptr;
  return thread_of(*calls.back()) == thread_of(call) ? calls.back() : nullptr;
}

}  // namespace

Says left_without_an_answer(const Evidence& evidence) {
  if (evidence.several_servers() || !evidence.broke(Property::liveness)) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    if (!call.is("acquire", "unknown") || commands.empty()) continue;
    const auto* hold = evidence.held_at("redis", call.answered);
    if (hold == nullptr || hold->owner != call.client || !commands.back()->wrote()) continue;
    return fmt::format(
        "your acquire was not answered and left it at that: {} has set the lock, {} does not know "
        "it, and nobody gives it back before the lease is over; what may be yours is taken back "
        "before you answer \"unknown\"",
        commands.back()->name(), call.client);
  }
  return std::nullopt;
}

Says released_by_another_thread(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "released") || evidence.several_servers()) continue;
    auto calls = before(evidence, call);
    std::erase_if(calls, [](const Call* other) {
      return other->name != "acquire" || other->outcome == "contended";
    });
    const bool asked = std::any_of(calls.begin(), calls.end(), [&](const Call* other) {
      return thread_of(*other) == thread_of(call);
    });
    if (asked || depth_at(evidence, call.client, call.called) <= 0) continue;
    return fmt::format(
        "your release gave back what another thread had taken: {}'s thread {} has the lock, thread "
        "{} has nothing, and its release was answered \"released\"; what names a hold belongs to "
        "the thread that took it (core::PerThread)",
        call.client, thread_of(*calls.back()), thread_of(call));
  }
  return std::nullopt;
}

Says takes_it_and_says_no(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire" || call->outcome == "acquired") continue;
    const bool says_no = command.said_no() && command.heard < call->answered;
    if (!command.is_script() || !command.wrote() || !says_no) continue;
    const bool was_free = evidence.held_at(command.server, command.place) == nullptr;
    if (command.key() != lock_key || !was_free || command.did("del")) continue;
    if (!is_alone(evidence, command)) continue;
    // Some say nil for a yes.
    const auto acquired = evidence.acquired();
    const bool reads_as_yes = std::any_of(acquired.begin(), acquired.end(), [&](const Call* other) {
      const auto commands = evidence.of(*other);
      return !commands.empty() && commands.back()->script() == command.script() &&
             commands.back()->reply == command.reply;
    });
    if (reads_as_yes) continue;
    return fmt::format(
        "your acquire script takes the lock and does not say so: {} set it at {} ms and was "
        "answered {}, so {} was told \"{}\"; whatever way through the script takes the lock has to "
        "return what acquire reads as a yes",
        command.name(), evidence.ms(command.place), command.reply, call->client, call->outcome);
  }
  return std::nullopt;
}

Says refused_what_is_free(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    if (!call.is("acquire", "contended") || call.key != lock_key || commands.empty()) continue;
    if (call.asked.contains("join")) continue;  // a hold that is over cannot be joined
    const auto& last = *commands.back();
    const bool is_no = last.key() == lock_key && last.said_no();
    if (!is_no || was_held_during(evidence, call)) continue;
    const bool inside = depth_at(evidence, call.client, call.called) > 0;
    return fmt::format(
        "your acquire was refused a lock that nobody had: {} asked from {} to {} ms, and {}{}",
        call.client, evidence.ms(call.called), evidence.ms(call.answered),
        last_answer(evidence, call),
        inside ? "; what it remembers from before is over, so it has to begin anew, and not to "
                 "enter what is no more"
        : last.has_option("XX") ? "; XX sets only what is there already, and NX what is not"
                                : "");
  }
  return std::nullopt;
}

Says refusal_takes_away(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const bool denied =
        is_release(call, "stolen") || is_release(call, "expired") || is_release(call, "not_held");
    if (!denied || holder_during(evidence, call) != call.client) continue;
    auto calls = before(evidence, call);
    std::erase_if(calls, [](const Call* other) { return other->name == "work"; });
    if (calls.empty() || !calls.back()->is("acquire", "contended")) continue;
    if (thread_of(*calls.back()) != thread_of(call)) continue;
    // A release that names the right token is refused for another reason.
    const auto token = evidence.token_of(call.client, call.called);
    const auto commands = evidence.of(call);
    const bool names_it = std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
      return std::find(command->words.begin(), command->words.end(), token) != command->words.end();
    });
    if (names_it && !token.empty()) continue;
    return fmt::format(
        "your refused acquire made {} forget what it had: it has the lock, asked for it once more, "
        "and its release was answered \"{}\"; remember a token only when the server has said yes "
        "to it",
        call.client, call.outcome);
  }
  return std::nullopt;
}

Says forgets_a_lost_release(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "not_held") || holder_during(evidence, call) != call.client) continue;
    const auto calls = before(evidence, call);
    if (calls.empty()) continue;
    if (calls.back()->is("release", "error")) {
      return fmt::format(
          "your release ended with an error and forgot the hold: asked again, {} is told "
          "\"not_held\", and the server still has its lock; an error says that nothing was done, "
          "so the hold goes on",
          call.client);
    }
    if (!calls.back()->is("release", "unknown")) continue;
    return fmt::format(
        "your release was not answered and forgot the hold: asked again, {} is told \"not_held\", "
        "and the server still has its lock; forget a hold only when the server has said that it is "
        "over",
        call.client);
  }
  return std::nullopt;
}

Says stolen_by_nobody(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "stolen")) continue;
    if (was_held_during(evidence, call)) continue;
    return fmt::format(
        "your release answered \"stolen\" where nobody had the lock: {}; a key that is not there "
        "is not another's (its value is nil, and in a script false, which is not nil)",
        last_answer(evidence, call));
  }
  return std::nullopt;
}

Says theft_kept_quiet(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "expired")) continue;
    const auto holder = holder_during(evidence, call);
    if (holder.empty() || holder == call.client) continue;
    return fmt::format(
        "your release answered \"expired\" while {} had the lock: {}; who hears \"expired\" has "
        "only been late, who hears \"stolen\" was not alone and has to look at what it wrote, so "
        "the two need two answers",
        holder, last_answer(evidence, call));
  }
  return std::nullopt;
}

Says forgets_no_release(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "expired") && !is_release(call, "stolen")) continue;
    if (!has_given_back(evidence, call)) continue;
    return fmt::format(
        "your release does not forget what it has given back: {} had given back all that it had, "
        "gave back once more at {} ms, and was told \"{}\", as if it had lost something; when a "
        "release is answered its token is over, and who has none is told \"not_held\"",
        call.client, evidence.ms(call.called), call.outcome);
  }
  return std::nullopt;
}

Says loss_called_not_held(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "not_held") || stands_for(evidence, call)) continue;
    const auto commands = evidence.of(call);
    const auto* taken = only_acquire_of(evidence, call);
    if (taken == nullptr || commands.empty()) continue;
    // A lock that has asked whose the key is knows more than one that has just deleted it.
    const auto& last = *commands.back();
    const bool has_compared = last.is_script() || last.name() == "GET" || last.name() == "HGET";
    if (!has_compared || last.was_refused() || last.heard == faults::never) continue;
    if (last.is_script() && last.said_yes()) continue;
    return fmt::format(
        "your release answered \"not_held\" where a hold was lost: {} had taken the lock at {} ms, "
        "and {}; who had it and comes too late has to hear of that: \"expired\" if there is no "
        "lock any more, \"stolen\" if it is somebody else's",
        call.client, evidence.ms(taken->answered), last_answer(evidence, call));
  }
  return std::nullopt;
}

Says enters_what_it_leaves(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!is_release(call, "still_held")) continue;
    auto calls = before(evidence, call);
    std::erase_if(calls, [](const Call* other) { return other->name == "work"; });
    const bool alone = std::all_of(calls.begin(), calls.end(), [&](const Call* other) {
      return thread_of(*other) == thread_of(call);
    });
    if (calls.size() < 3 || !alone) continue;
    const auto& again = *calls.back();
    const auto& left = *calls[calls.size() - 2];
    if (!again.is("acquire", "acquired") || !left.is("release", "unknown")) continue;
    if (again.asked.contains("join") || depth_at(evidence, call.client, left.called) != 1) continue;
    return fmt::format(
        "your acquire entered a hold that was being given back: {}'s release at {} ms was not "
        "answered, its next acquire went one deeper, and the release after that was told "
        "\"still_held\": two acquires, two releases, and nobody else gets in; who does not know "
        "whether he has left asks for that again first, and then begins anew",
        call.client, evidence.ms(left.called));
  }
  return std::nullopt;
}

}  // namespace learning::rules
