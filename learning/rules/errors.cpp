// Rules about servers that answer an error, and about servers that are not there.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "learning/rules/known_words.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

bool is_one_of(const std::string& outcome, std::initializer_list<std::string_view> outcomes) {
  return std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end();
}

// An error that ends the matter: after NOSCRIPT the script's text is sent.
bool is_an_end(const Sent& command) {
  return command.was_refused() && !command.reply.starts_with("error NOSCRIPT");
}

// Its first sentence.
std::string error_in(const Sent& command) {
  const auto text = command.reply.substr(std::string_view("error ").size());
  return text.substr(0, text.find('.'));
}

// Was all that `call` sent answered, so soon that its client surely heard it, and nothing done?
bool came_to_nothing(const Evidence& evidence, const Call& call) {
  constexpr long long soon = 1'000;  // ms; of several servers a silent one is given up after more
  const auto commands = evidence.of(call);
  return std::all_of(commands.begin(), commands.end(), [&](const Sent* command) {
    return command->heard < call.answered && command->effects.empty() &&
           evidence.ms(command->heard) - evidence.ms(command->place) < soon;
  });
}

// What refused `call` with an error, if so many servers did that there is no majority for it.
const Sent* error_of(const Evidence& evidence, const Call& call) {
  std::set<std::string> refusing;
  const Sent* refused = nullptr;
  for (const auto* command : evidence.of(call)) {
    if (!is_an_end(*command)) continue;
    refusing.insert(command->server);
    refused = command;
  }
  return refusing.size() < evidence.trace.majority() ? nullptr : refused;
}

// Is the answer to `call`, which was refused with an error, not so?
bool is_untrue(const Evidence& evidence, const Call& call) {
  if (call.outcome == "unknown") return true;
  if (call.name == "acquire") {
    return call.outcome == "contended" && !was_held_during(evidence, call);
  }
  return is_one_of(call.outcome, {"released", "expired", "stolen", "not_held"}) &&
         stands_for(evidence, call);
}

// Since when all servers are dead at `place`; never: they are not.
std::size_t dead_since(const Evidence& evidence, std::size_t place) {
  std::set<std::string> dead;
  std::size_t since = faults::never;
  for (const auto& event : evidence.record()) {
    if (event.number >= place || event.kind != faults::Kind::fault) continue;
    const bool is_server = event.process == "redis" || event.process.starts_with("node");
    const auto what = event.text("what");
    if (what == faults::fault::promoted) return faults::never;
    if (is_server && what == faults::fault::restarted) dead.erase(event.process);
    if (!is_server || what != faults::fault::killed) continue;
    dead.insert(event.process);
    since = event.number;
  }
  return dead.size() < evidence.trace.nodes() ? faults::never : since;
}

// How often the client of `call` had asked between `since` and `call`.
std::ptrdiff_t asked_between(const Evidence& evidence, std::size_t since, const Call& call) {
  return std::count_if(evidence.calls().begin(), evidence.calls().end(), [&](const Call& other) {
    return other.client == call.client && since < other.called && other.answered < call.called;
  });
}

}  // namespace

Says error_taken_for_an_answer(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool asks = call.name == "acquire" || call.name == "release";
    if (!asks || call.key != lock_key || call.answered == faults::never) continue;
    const auto* refused = error_of(evidence, call);
    if (refused == nullptr || !came_to_nothing(evidence, call)) continue;
    if (!is_untrue(evidence, call)) continue;
    return fmt::format(
        "your {} took an error for an answer: {} was answered \"{}\", and {} was told \"{}\"; a "
        "server that refuses a command has done nothing, and said neither yes nor no, so its "
        "ErrorReply is for the caller to see (\"unknown\" is for a LostReply)",
        call.name, refused->name(), error_in(*refused), call.client, call.outcome);
  }
  return std::nullopt;
}

Says answers_for_nobody(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key || call.answered == faults::never) continue;
    const auto since = dead_since(evidence, call.called);
    if (since == faults::never || since != dead_since(evidence, call.answered)) continue;
    // Who is inside may exclude its other threads by itself.
    const bool is_no = call.outcome == "contended" && depth_at(evidence, call.client, since) <= 0;
    // What goes over a connection that has just broken may count as lost, until there is none.
    const bool is_lost = call.outcome == "unknown" && asked_between(evidence, since, call) >= 2;
    if (!is_no && !is_lost) continue;
    return fmt::format(
        "your acquire answered \"{}\" for a server that is not there: {} asked at {} ms, when {}; "
        "\"contended\" is a server's no, and \"unknown\" is for what was sent and not answered, so "
        "Unreachable (nothing was sent) is for the caller to see",
        call.outcome, call.client, evidence.ms(call.called),
        evidence.several_servers() ? "all servers were dead" : "the server was dead");
  }
  return std::nullopt;
}

Says lets_a_lost_reply_out(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool of_the_lock = call.name == "acquire" || call.name == "release";
    if (!of_the_lock || !call.answer.is_object()) continue;
    const auto error = call.answer.value("error", std::string{});
    if (call.key != lock_key || !says(error, known::lost_reply)) continue;
    return lost_reply_as_an_error(
        fmt::format("{}'s {} ended with an error, {}", call.client, call.name, error));
  }
  return std::nullopt;
}

Says denies_what_it_did_not_hear(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const bool denied = is_one_of(call.outcome, {"expired", "stolen", "not_held"});
    if (call.name != "release" || call.key != lock_key || !denied) continue;
    const auto commands = evidence.of(call);
    const auto unheard = std::find_if(commands.begin(), commands.end(), [&](const Sent* command) {
      return command->did("del") && command->heard > call.answered;
    });
    if (unheard == commands.end()) continue;
    const auto& last = *commands.back();
    const auto why =
        &last == *unheard
            ? std::string("what was not heard is neither a yes nor a no")
            : fmt::format(
                  "it asked again, and {} was {}, as it is also "
                  "after a release that was done and not heard",
                  last.name(), last.reply.empty() ? "not answered" : "answered " + last.reply);
    return fmt::format(
        "your release removed its lock and answered \"{}\": {} had removed it and the answer to "
        "that was lost; {}, so the outcome is \"unknown\"",
        call.outcome, (*unheard)->name(), why);
  }
  return std::nullopt;
}

Says refusal_thrown(const Evidence& evidence, const std::string& how) {
  for (const auto& call : evidence.calls()) {
    const bool asks = call.name == "acquire" || call.name == "release";
    const auto of_it =
        fmt::format("{}{} {} {}", call.client, known::answer_to, call.name, known::was_an_error);
    const auto commands = evidence.of(call);
    if (!asks || !how.starts_with(of_it) || commands.empty()) continue;
    const auto& last = *commands.back();
    const bool unanswered = call.answered == faults::never || call.outcome.empty();
    if (!unanswered || !last.said_no() || last.heard == faults::never) continue;
    // To look is answered with a no where the lock is free.
    if (call.name == "acquire" && !was_held_during(evidence, call)) continue;
    return fmt::format(
        "your {} answered a no with an exception: {} was answered {}, and {}; {}, and exceptions "
        "are for a server that refuses the command or is not there",
        call.name, last.name(), last.reply, how,
        call.name == "acquire"
            ? "that somebody else has the lock is an outcome, \"contended\""
            : "that there is nothing to give back, or not any more, is an outcome (\"not_held\", "
              "\"expired\", \"stolen\")");
  }
  return std::nullopt;
}

std::string lost_reply_as_an_error(const std::string& how) {
  return "your lock lets a lost reply out: " + how +
         "; what was sent may have been done all the same, which is the outcome \"unknown\": catch "
         "LostReply where you ask the server";
}

}  // namespace learning::rules
