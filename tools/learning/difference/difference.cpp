#include "tools/learning/difference/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tools/learning/difference/behaviour.h"

namespace learning {
namespace {

using Effects = std::set<std::string>;

std::string say_effects(const std::string& name, const Effects& effects, const std::string& whose) {
  const bool sets = effects.contains("set");
  const bool leases = effects.contains("expire");
  std::vector<std::string> said;
  if (effects.contains("del")) said.push_back("removed " + whose);
  if (sets && leases) said.push_back("set the key and its lease");
  // A hash, or a script, may have come to a key that has its lease.
  const bool is_new = name == "SET" || name == "SETNX" || name == "GETSET";
  if (sets && !leases) said.push_back(is_new ? "set the key, without a lease" : "wrote the key");
  if (!sets && leases) said.push_back("set the lease of " + whose);
  if (effects.contains("hdel") && said.empty()) said.push_back("left it to who else is inside");
  return fmt::format("{}", fmt::join(said, ", and "));
}

std::string say_step(const Step& step) {
  auto text = step.name;
  if (step.servers.size() > 1) text += fmt::format(" to {} servers", step.servers.size());
  const auto did = step.others.empty()
                       ? say_effects(step.name, step.effects, "the key")
                       : say_effects(step.name, step.others, "another client's lock");
  if (!did.empty()) return text + ", which " + did;
  return text + (step.answer == "nothing" ? ", and heard nothing" : ", answered " + step.answer);
}

std::string say_act(const Act& act) {
  constexpr std::size_t most = 3;
  std::vector<std::string> steps;
  for (const auto& step : act.steps) {
    auto text = say_step(step);
    if (steps.empty() || steps.back() != text) steps.push_back(std::move(text));
  }
  const bool has_more = steps.size() > most;
  if (has_more) steps.resize(most);
  auto text = steps.empty() ? std::string("sent nothing")
                            : fmt::format("sent {}", fmt::join(steps, ", then "));
  if (has_more) text += ", and more";
  if (act.what == "by itself") return text;
  if (!act.was_answered) return text + ", and never answered";
  return text + (act.outcome.empty() ? ", and ended with an error"
                                     : fmt::format(", and said \"{}\"", act.outcome));
}

// The effect of an act on the servers, all of its steps together.
Effects effects_of(const Act& act, bool on_anothers) {
  Effects all;
  for (const auto& step : act.steps) {
    const auto& some = on_anothers ? step.others : step.effects;
    all.insert(some.begin(), some.end());
  }
  return all;
}

bool comes_to_the_same(const Act& yours, const Act& ours) {
  return yours.outcome == ours.outcome && effects_of(yours, true) == effects_of(ours, true) &&
         effects_of(yours, false) == effects_of(ours, false);
}

bool goes_the_same_way(const Act& yours, const Act& ours) {
  return yours.steps.size() == ours.steps.size() &&
         std::equal(yours.steps.begin(), yours.steps.end(), ours.steps.begin(),
                    [](const Step& a, const Step& b) { return a.is_like(b); });
}

// The acts by client and kind, such that the third release of A meets the third release of A.
std::map<std::pair<std::string, std::string>, std::vector<const Act*>> sorted(
    const std::vector<Act>& acts) {
  std::map<std::pair<std::string, std::string>, std::vector<const Act*>> by;
  for (const auto& act : acts) by[{act.client, act.what}].push_back(&act);
  return by;
}

Difference told(const TraceQuery& query, const Act& yours, const Act* ours) {
  const auto what = yours.what == "by itself" ? fmt::format("{}, by itself,", yours.client)
                                              : fmt::format("{}'s {}", yours.client, yours.what);
  return {.where = fmt::format("{} at {} ms", what, query.trace().ms(yours.place)),
          .yours = say_act(yours),
          .ours = ours == nullptr ? "did not come to that" : say_act(*ours)};
}

// The first act of ours for which there is none of that kind in yours.
std::optional<Difference> in_ours_alone(const std::vector<Act>& mine,
                                        const std::vector<Act>& theirs) {
  const auto mine_by = sorted(mine);
  for (const auto& act : theirs) {
    if (mine_by.contains({act.client, act.what})) continue;
    const auto what = act.what == "by itself" ? fmt::format("{}, by itself", act.client)
                                              : fmt::format("{}'s {}", act.client, act.what);
    return Difference{.where = what, .yours = "did nothing there", .ours = say_act(act)};
  }
  return std::nullopt;
}

}  // namespace

std::string Difference::sentence() const {
  return fmt::format("{}: yours {}; ours {}", where, yours, ours);
}

std::string Difference::without_ours() const {
  return fmt::format("{}: yours {}; there ours does something else", where, yours);
}

std::optional<Difference> first_difference(const TraceQuery& yours, const TraceQuery& ours) {
  const auto mine = behaviour_of(yours);
  const auto theirs = behaviour_of(ours);
  const auto by = sorted(theirs);
  std::map<std::pair<std::string, std::string>, std::size_t> passed;
  const Act* softly = nullptr;
  const Act* soft_ours = nullptr;
  for (const auto& act : mine) {
    const std::pair kind{act.client, act.what};
    const auto found = by.find(kind);
    const auto nth = passed[kind]++;
    const bool is_there = found != by.end() && nth < found->second.size();
    if (!is_there) {
      if (softly != nullptr) break;
      return told(yours, act, nullptr);
    }
    const auto& other = *found->second[nth];
    if (!comes_to_the_same(act, other)) return told(yours, act, &other);
    if (softly == nullptr && !goes_the_same_way(act, other)) {
      softly = &act;
      soft_ours = &other;
    }
  }
  if (mine.empty()) return std::nullopt;  // it did not come to the scenario
  if (auto alone = in_ours_alone(mine, theirs)) return alone;
  if (softly == nullptr) return std::nullopt;
  return told(yours, *softly, soft_ours);
}

}  // namespace learning
