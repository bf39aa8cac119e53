#include "tools/learning/difference/behaviour.h"

#include <algorithm>

namespace learning {
namespace {

// The effects of which people speak: a hash that is set is a key that is set.
std::string effect_name(const std::string& effect) {
  return effect == "hset" || effect == "incrby" ? "set" : effect;
}

std::string answer_to(const Sent& sent) {
  if (sent.was_refused()) return "an error";
  if (sent.heard == faults::never) return "nothing";
  if (sent.looks()) return sent.reply == "nil" ? "nil" : "a value";
  return sent.said_yes() ? "yes" : "no";
}

Step step_of(const TraceQuery& query, const Sent& sent) {
  Step step{.name = sent.is_script() ? "a script" : sent.name(),
            .answer = answer_to(sent),
            .servers = {sent.server},
            .place = sent.place};
  const bool anothers = query.is_on_anothers(sent);
  for (const auto& effect : sent.effects) {
    (anothers ? step.others : step.effects).insert(effect_name(effect));
  }
  return step;
}

// Adds a command to the steps of an act: the same to another server is the same step.
void add_step(std::vector<Step>& steps, Step step) {
  if (!steps.empty() && steps.back().name == step.name) {
    auto& last = steps.back();
    if (last.is_like(step)) {
      last.servers.merge(step.servers);
      return;
    }
  }
  steps.push_back(std::move(step));
}

std::string what_is(const TraceQuery& query, const Operation& call) {
  if (call.name != "acquire" && call.name != "release") return call.name;
  const auto depth = query.depth_before(call);
  const bool inner = call.name == "acquire" ? depth > 0 : depth > 1;
  return inner ? "inner " + call.name : call.name;
}

// All renewals of a client are one act.
void add_renewals(std::vector<Act>& acts, const TraceQuery& query) {
  for (const auto* sent : query.renewals()) {
    const auto of_that_client = [&](const Act& act) {
      return act.client == sent->client && act.what == "by itself";
    };
    auto found = std::find_if(acts.begin(), acts.end(), of_that_client);
    if (found == acts.end()) {
      acts.push_back({.client = sent->client,
                      .what = "by itself",
                      .outcome = {},
                      .steps = {},
                      .place = sent->place});
      found = acts.end() - 1;
    }
    add_step(found->steps, step_of(query, *sent));
  }
}

}  // namespace

bool Step::is_like(const Step& other) const {
  return name == other.name && answer == other.answer && effects == other.effects &&
         others == other.others;
}

std::vector<Act> behaviour_of(const TraceQuery& query) {
  std::vector<Act> acts;
  const auto calls = query.calls(
      [](const Operation& call) { return call.name == "acquire" || call.name == "release"; });
  for (const auto* one : calls) {
    const auto& call = *one;
    Act act{.client = call.client,
            .what = what_is(query, call),
            .outcome = call.outcome,
            .was_answered = call.answered != faults::never,
            .steps = {},
            .place = call.called};
    for (const auto* sent : query.commands_of(call)) add_step(act.steps, step_of(query, *sent));
    const bool again = !acts.empty() && act.outcome == "contended" &&
                       acts.back().client == act.client && acts.back().what == act.what &&
                       acts.back().outcome == act.outcome;
    if (!again) acts.push_back(std::move(act));
  }
  add_renewals(acts, query);
  std::stable_sort(acts.begin(), acts.end(),
                   [](const Act& a, const Act& b) { return a.place < b.place; });
  return acts;
}

}  // namespace learning
