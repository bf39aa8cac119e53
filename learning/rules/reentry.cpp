// Rules about a thread that takes the lock it has.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/known_words.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// An acquire that was let in while another client held the lock, by its script.
const Call* let_in(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    for (const auto* command : evidence.of(*call)) {
      // After it was answered: an end of the lease may have been noticed only with this command.
      const auto* hold = evidence.held_at(command->server, command->answered);
      const bool strangers = hold != nullptr && !hold->owner.empty() && hold->owner != call->client;
      if (strangers && command->is_script() && command->said_yes()) return call;
    }
  }
  return nullptr;
}

// Was it refused though its client was inside, so many levels deep at least, by the same thread?
bool is_refused_inside(const Evidence& evidence, const Call& call, int levels) {
  return call.is("acquire", "contended") && call.key == lock_key && !call.asked.contains("join") &&
         depth_at(evidence, call.client, call.called) >= levels &&
         !another_thread_is_inside(evidence, call);
}

// Does a release that comes after `acquire`, an inner one, remove the lock while its client is
// still inside?
bool outer_is_removed_after(const Evidence& evidence, const Call& acquire) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& sent) {
    const auto* release = evidence.call_of(sent);
    return release != nullptr && release->name == "release" && release->client == acquire.client &&
           release->called > acquire.answered && sent.did("del") &&
           depth_at(evidence, acquire.client, release->called) > 1;
  });
}

}  // namespace

Says inner_hold_not_watched(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness)) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!is_refused_inside(evidence, call, 2) || !stands_for(evidence, call)) continue;
    return fmt::format(
        "your lock forgot who holds it: {} has taken it twice and was let in, and after longer "
        "than a lease it was refused like a stranger, though its lock was renewed; the inner level "
        "went by a hold of its own, which nobody watches: all levels share one",
        call.client);
  }
  return std::nullopt;
}

Says waits_for_itself(const Evidence& evidence) {
  const bool untold = says(evidence.judgement.why, known::contended);
  if (!untold && !evidence.broke(Property::liveness)) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!is_refused_inside(evidence, call, 1) || !stands_for(evidence, call)) continue;
    return fmt::format(
        "your lock waits for itself: {} holds it, asks for it once more, and is refused like a "
        "stranger; nothing tells the server that it is the same thread",
        call.client);
  }
  return std::nullopt;
}

Says counts_in_memory(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    if (depth_at(evidence, call->client, call->called) == 0) continue;
    if (!evidence.of(*call).empty()) continue;
    if (!evidence.several_servers() && outer_is_removed_after(evidence, *call)) continue;
    return fmt::format(
        "your second acquire answered \"acquired\" without asking the server: the count is kept in "
        "this process alone{}",
        stands_for(evidence, *call)
            ? ", so a longer lease is never asked for, and a lease that is over is not noticed"
            : ", and that hold was over by then");
  }
  return std::nullopt;
}

Says inner_unlock_deletes(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "release" || !command.did("del")) continue;
    const auto depth = depth_at(evidence, call->client, call->called);
    if (call->key != lock_key || depth < 2) continue;
    // Of earlier levels the hold may have been lost.
    const auto* hold = evidence.held_at(command.server, command.place);
    const auto since = hold == nullptr ? 0 : hold->from;
    if (depth - depth_at(evidence, call->client, since) < 2) continue;
    return fmt::format(
        "your release removed the lock at an inner level: {} had taken it {} times and gave it "
        "back once; only the last release may delete the key",
        call->client, depth);
  }
  return std::nullopt;
}

Says inner_says_released(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "released") || call.key != lock_key) continue;
    const auto depth = depth_at(evidence, call.client, call.called);
    const auto* hold = evidence.held_at("redis", call.answered);
    if (depth < 2 || hold == nullptr || hold->owner != call.client) continue;
    return fmt::format(
        "your release answered \"released\" at an inner level: {} had taken the lock {} times, and "
        "the server still has it; that is \"still_held\"",
        call.client, depth);
  }
  return std::nullopt;
}

Says release_enters_anothers(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    if (!call.is("release", "still_held") || commands.empty()) continue;
    const auto* hold = evidence.held_at("redis", commands.back()->place);
    if (hold == nullptr || hold->owner.empty() || hold->owner == call.client) continue;
    return fmt::format(
        "your release answered \"still_held\" of a lock that is {}'s: {}'s own lease was over; the "
        "script has to compare the token before it looks who is inside",
        hold->owner, call.client);
  }
  return std::nullopt;
}

Says reentry_changes_token(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const bool inner = depth_at(evidence, call->client, call->called) > 0;
    const auto commands = evidence.of(*call);
    if (!inner || commands.empty() || !stands_for(evidence, *call)) continue;
    const auto outer = evidence.token_of(call->client, call->called);
    const auto arguments = commands.front()->arguments();
    if (outer.empty() || arguments.empty() || arguments.front() == outer) continue;
    return fmt::format(
        "your second acquire takes the lock under a token of its own: {} held it under {}, and "
        "came with {}; re-entry is the same hold, whose outer release and renewal name its token",
        call->client, outer, arguments.front());
  }
  return std::nullopt;
}

Says enters_uncounted(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    const bool inner = depth_at(evidence, call->client, call->called) > 0;
    const bool wrote = std::any_of(commands.begin(), commands.end(),
                                   [](const Sent* command) { return !command->effects.empty(); });
    if (!inner || wrote) continue;
    if (!outer_is_removed_after(evidence, *call)) continue;
    return fmt::format(
        "your lock lets its holder in again without counting: {} changed nothing on the server, "
        "and the first release of {} removed the lock from under its outer level; who may enter "
        "twice has to leave twice, so count the levels, or refuse",
        commands.empty() ? "its second acquire" : commands.back()->name(), call->client);
  }
  return std::nullopt;
}

Says reentry_brings_it_back(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto outer = evidence.token_of(call->client, call->called);
    const bool inner = depth_at(evidence, call->client, call->called) > 0;
    // A number is a lease, whatever place it stands at.
    if (!inner || outer.empty() || is_number(outer)) continue;
    for (const auto* command : evidence.of(*call)) {
      const auto arguments = command->arguments();
      const bool by_its_token = !arguments.empty() && arguments.front() == outer;
      const bool anew = command->did("hset") || command->did("set");
      const bool gone = evidence.held_at(command->server, command->place) == nullptr;
      if (!by_its_token || !anew || !gone || !command->said_yes()) continue;
      return fmt::format(
          "your second acquire brought back a hold that was over: {} asked at {} ms, the lock was "
          "not there any more, and it was set anew under the old token; another one may have been "
          "inside meanwhile, and the outer level is never told: what is entered again has to be "
          "there",
          call->client, evidence.ms(command->place));
    }
  }
  return std::nullopt;
}

Says last_release_keeps_it(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "still_held")) continue;
    if (depth_at(evidence, call.client, call.called, call.key) != 1) continue;
    return fmt::format(
        "your release never comes to the last level: {} had taken the lock once, gave it back "
        "once, and it is still held; what tells that nobody is inside any more is wrong",
        call.client);
  }
  return std::nullopt;
}

Says owner_is_the_process(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    if (!another_thread_is_inside(evidence, *call)) continue;
    return fmt::format(
        "your lock let thread {} of {} in while another thread of {} held it: its owner is the "
        "whole process; the owner is a process, by a random name, and a thread in it",
        call->asked.value("thread", 1), call->client, call->client);
  }
  return std::nullopt;
}

Says owner_is_thread_number(const Evidence& evidence) {
  const auto* inside = let_in(evidence);
  if (inside == nullptr) return std::nullopt;
  // The token comes first, then who enters: do both clients go by the same name?
  const auto arguments = evidence.of(*inside).front()->arguments();
  const bool same_name =
      std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
        const auto others = other.arguments();
        return other.client != inside->client && other.operation && arguments.size() > 1 &&
               others.size() > 1 && others[1] == arguments[1];
      });
  if (!same_name && !is_small_number(arguments.empty() ? "" : arguments[0])) return std::nullopt;
  return fmt::format(
      "your lock let {} in while another client held it: it knows its owner by the number of a "
      "thread alone, and every process has a thread of that number; the owner is a process, by a "
      "random name, and a thread in it",
      inside->client);
}

Says refusal_reads_as_yes(const Evidence& evidence) {
  const auto* inside = let_in(evidence);
  if (inside == nullptr || evidence.several_servers()) return std::nullopt;
  for (const auto* command : evidence.of(*inside)) {
    if (!command->is_script() || !command->said_yes() || !command->effects.empty()) continue;
    return fmt::format(
        "your acquire took a refusal for a yes: the script changed nothing and answered {}, which "
        "is above 0, and above 0 means entered; a refusal has to be 0 or less",
        command->reply);
  }
  return std::nullopt;
}

Says let_in_while_held(const Evidence& evidence) {
  const auto* inside = let_in(evidence);
  if (inside == nullptr || evidence.several_servers()) return std::nullopt;
  return fmt::format(
      "your acquire let {} in while another client held the lock: the script said yes without "
      "comparing whose hold is there",
      inside->client);
}

Says depth_is_counted(const Evidence& evidence) {
  const bool broken =
      evidence.broke(Property::liveness) || evidence.broke(Property::truthful_outcomes);
  const bool counts = std::any_of(evidence.sent.begin(), evidence.sent.end(),
                                  [](const Sent& command) { return command.did("hincrby"); });
  // In a key of its own, that of a counter of holds apart.
  const bool counts_apart = std::any_of(
      evidence.record().begin(), evidence.record().end(), [&](const faults::Event& event) {
        const auto key = event.text("key");
        const bool is_a_lock = std::any_of(evidence.calls().begin(), evidence.calls().end(),
                                           [&](const Call& call) { return call.key == key; });
        return event.kind == faults::Kind::server && event.text("what") == "incrby" && !is_a_lock &&
               !key.ends_with(":fencing");
      });
  if (!broken || !(counts || counts_apart)) return std::nullopt;
  return "your depth is counted up on the server: a command that was sent again, since its answer "
         "was lost, counted twice, and one release is not enough any more; set the depth that is "
         "meant, then a second time does no harm";
}

}  // namespace learning::rules
