#include "learning/rules/in_general.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "learning/rules/known_words.h"

namespace learning {
namespace {

using faults::Property;

std::string_view broken_promise(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "your lock let two inside";
    case Property::owner_only_release: return "your lock was removed by who did not own it";
    case Property::liveness: return "your lock keeps everybody out";
    case Property::truthful_outcomes: return "your lock answered what is not so";
    case Property::owner_only_renewal: return "your lock's lease was changed by who did not own it";
    case Property::holder_was_told: return "your lock did not tell its holder of the loss in time";
    case Property::bounded_renewal: return "your lock renews more than it holds";
    case Property::first_come: return "your lock let somebody in who had come later";
  }
  return "your lock broke a promise";
}

constexpr std::string_view likely_cause_of_death =
    "a function that calls itself without end dies like this, and so does one that reads past the "
    "end of a vector, or in a hold that is not there";

}  // namespace

std::string with_likely_cause(const std::string& why) {
  if (says(why, known::killed_by_segmentation_fault)) {
    return fmt::format("{}; {}", why, likely_cause_of_death);
  }
  if (says(why, known::not_given_back)) {
    return why +
           "; look at which key each command names: one that is written out is one and the same "
           "for every lock, the lock's own is key_, and in a script KEYS[1]";
  }
  if (says(why, known::readonly_table)) {
    return why +
           "; a script may not set global variables: in Lua a variable is one unless it is "
           "declared with local";
  }
  if (says(why, known::no_argument)) {
    return why +
           "; one of KEYS or ARGV that the caller did not give is nil: count what your C++ hands "
           "to run(), KEYS and ARGV each from 1";
  }
  if (says(why, known::abstain)) {
    return why +
           "; each server has its marker unless the story took it away, so look at which of KEYS "
           "the script looks for it under";
  }
  if (says(why, known::killed_by_abort)) {
    return why +
           "; a program ends like this when an exception leaves a destructor, a function that is "
           "noexcept, or the function of a thread, when what is thrown is no std::exception, so "
           "that nobody catches it, when a std::thread is destroyed that was not joined, when an "
           "empty std::optional is read, or when memory is freed twice";
  }
  return why;
}

Diagnosis crash(const std::string& how) {
  return {.key = "crashes", .sentence = "your lock crashed: " + with_likely_cause(how), .place = 0};
}

std::optional<Diagnosis> crash_seen(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.outcome != "died" || call.name == "bye") continue;
    const bool was_ended =
        std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
          const auto what = event.text("what");
          return event.is(faults::Kind::fault, call.client) &&
                 (what == faults::fault::killed || what == faults::fault::terminated);
        });
    if (was_ended) continue;
    return crash(
        fmt::format("{} was asked for its {} at {} ms and died of it, with nobody to kill it; {}",
                    call.client, call.name, evidence.ms(call.called), likely_cause_of_death));
  }
  return std::nullopt;
}

Diagnosis in_general(const Evidence& evidence) {
  const auto& judgement = evidence.judgement;
  if (judgement.findings.empty() && says(judgement.why, known::answered_died)) {
    return crash(judgement.why);
  }
  if (judgement.findings.empty()) {
    return {.key = "not_shown",
            .sentence =
                "the story could not be told with your lock: " + with_likely_cause(judgement.why),
            .in_general = true};
  }
  const auto& first = judgement.findings.front();
  return {.key = std::string(to_string(first.property)),
          .sentence = fmt::format("{}: {}", broken_promise(first.property), first.sentence),
          .in_general = true};
}

Diagnosis of_the_machine(const std::string& why) {
  return {.key = std::string(Diagnosis::of_the_machine),
          .sentence = "the machine did not keep up, so this says nothing of your lock: " + why +
                      "; check again",
          .in_general = true};
}

std::string end_of_a_hang(const Evidence& evidence, const std::string& why) {
  const auto text = "your lock hangs: " + why;
  std::vector<const Sent*> sent;
  for (const auto& command : evidence.sent) {
    const bool is_its_own = says(why, fmt::format(" {}{}", command.client, known::answer_to)) ||
                            !says(why, known::answer_to);
    if (is_its_own) sent.push_back(&command);
  }
  if (sent.empty()) return text + "; it has sent nothing to the server";
  const auto& last = *sent.back();
  const auto times = std::count_if(sent.begin(), sent.end(), [&](const Sent* command) {
    return command->name() == last.name() && command->operation == last.operation &&
           command->said_no();
  });
  constexpr int many = 10;
  const auto* call = evidence.call_of(last);
  const bool beyond_its_patience =
      call != nullptr &&
      evidence.ms(last.place) - evidence.ms(call->called) > call->asked.value("wait_ms", 0LL);
  if (times > many && beyond_its_patience) {
    return fmt::format(
        "{}; it sent {} again and again in that one call, and was answered {}: each call asks once "
        "and answers \"contended\" when it is refused, and who wants to wait calls it again",
        text, last.name(), last.reply);
  }
  return text + "; the last that it sent was " + last.name() +
         (last.reply.empty() ? ", which was not answered" : ", which was answered " + last.reply);
}

bool a_script_runs_on(const Evidence& evidence, const std::string& why) {
  return says(why, known::busy_with_a_script) ||
         std::any_of(evidence.sent.begin(), evidence.sent.end(),
                     [](const Sent& command) { return command.reply.starts_with("error BUSY "); });
}

std::string script_without_end(const Evidence& evidence) {
  const auto script = std::find_if(
      evidence.sent.begin(), evidence.sent.end(),
      [](const Sent& command) { return command.is_script() && command.reply.empty(); });
  std::string which;
  if (script != evidence.sent.end()) {
    const auto* call = evidence.call_of(*script);
    which = fmt::format(": {}, which {} sent{}, was never answered", script->name(), script->client,
                        call == nullptr ? "" : " in its " + call->name);
  }
  return "your script runs without end" + which +
         "; a server carries out one command after the other, each as a whole, and tells everybody "
         "else that it is BUSY meanwhile, so a script may not wait: look at how its loops end, and "
         "wait in the client";
}

}  // namespace learning
