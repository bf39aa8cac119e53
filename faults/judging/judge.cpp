#include "faults/judging/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace faults {
namespace {

using std::chrono::milliseconds;

bool happened(const Story& story, std::string_view what) {
  return std::any_of(story.events.begin(), story.events.end(), [what](const Event& event) {
    return event.kind == Kind::fault && event.text("what") == what;
  });
}

bool contended(const Story& story) {
  return std::any_of(story.operations.begin(), story.operations.end(),
                     [&](const Operation& operation) {
                       const auto* hold = story.hold_at(operation.called);
                       return hold != nullptr && hold->owner != operation.lane &&
                              (operation.name == "acquire" || operation.name == "release");
                     });
}

// One that is held by a minority of the servers only is nobody's, unless somebody claims it.
bool nobody_held(const Story& story) {
  const bool claimed =
      std::any_of(story.operations.begin(), story.operations.end(),
                  [](const Operation& operation) { return operation.outcome == "acquired"; });
  const bool by_majority =
      std::any_of(story.holds.begin(), story.holds.end(),
                  [&](const ServerHold& hold) { return story.hold_at(hold.from) != nullptr; });
  return story.holds.empty() || (!claimed && !by_majority);
}

// For how long the machine stood still at a stretch, during the story and at the worst.
milliseconds longest_stall(const Story& story) {
  milliseconds longest{0};
  for (const auto& event : story.events) {
    if (event.kind != Kind::stood_still || event.at.count() < 0) continue;
    longest = std::max(longest, milliseconds(event.data.value("for_ms", 0)));
  }
  return longest;
}

bool stood_still(const Story& story) {
  return longest_stall(story).count() > 0;
}

// What may have been the machine.
std::string excuse_for(const Story& story) {
  return stood_still(story)
             ? fmt::format("; the machine stood still for {} ms", longest_stall(story).count())
             : "; the machine may be too slow";
}

// Why the history shows nothing, if it does not.
std::optional<std::string> not_exercised(const Story& story) {
  for (const auto& event : story.events) {
    if (event.kind == Kind::not_exercised) return event.text("why");
  }
  if (story.setting.empty()) return "the history does not say what was run";
  if (nobody_held(story)) return "nobody ever held the lock";
  for (const auto& need : story.setting.value("needs", std::vector<std::string>{})) {
    if (need == needs_contention ? contended(story) : happened(story, need)) continue;
    return need == needs_contention ? "nobody wanted the lock while another had it"
                                    : fmt::format("the fault did not happen: nothing was {}", need);
  }
  return std::nullopt;
}

std::vector<Finding> judge_property(Property property, const Story& story) {
  switch (property) {
    case Property::mutual_exclusion: return judge_mutual_exclusion(story);
    case Property::owner_only_release: return judge_owner_only_release(story);
    case Property::liveness: return judge_liveness(story);
    case Property::truthful_outcomes: return judge_truthful_outcomes(story);
    case Property::owner_only_renewal: return judge_owner_only_renewal(story);
    case Property::holder_was_told: return judge_holder_was_told(story);
    case Property::first_come: return judge_first_come(story);
    case Property::bounded_renewal: return judge_bounded_renewal(story);
  }
  return {};
}

// Did a server ever hold the lock for `lane` before `place`?
bool owned_before(const Story& story, const std::string& lane, std::size_t place) {
  return std::any_of(story.holds.begin(), story.holds.end(), [&](const ServerHold& hold) {
    return hold.owner == lane && hold.from < place;
  });
}

// What is untrue about the answer to an acquire, if anything.
std::optional<std::string> untrue_acquire(const Story& story, const Operation& operation) {
  const auto& lane = operation.lane;
  // A lock that is taken again need not be set again.
  const auto given = story.count_nodes([&](const ServerHold& hold) {
    const bool its_own = hold.owner == lane || hold.may_be.contains(lane);
    return its_own && (operation.open_at(hold.from) ||
                       (hold.from < operation.called && hold.to > operation.answered));
  });
  const auto set = story.count_nodes([&](const ServerHold& hold) {
    return hold.owner == lane && operation.open_at(hold.from) && hold.to > operation.answered;
  });
  if (operation.outcome == "acquired" && given < story.majority()) {
    return given == 0 ? "the server never gave it the lock"
                      : fmt::format("only {} of {} servers gave it the lock", given, story.nodes());
  }
  if (operation.outcome == "acquired" && story.another_thread_is_inside(operation)) {
    return "another of its threads held the lock";
  }
  if (operation.outcome == "contended" && set >= story.majority()) {
    return "the server had given it the lock";
  }
  return std::nullopt;
}

// The holds that a release removed.
std::vector<const ServerHold*> removed_by(const Story& story, const Operation& operation) {
  std::vector<const ServerHold*> removed;
  for (const auto& hold : story.holds) {
    if (hold.end == "del" && operation.open_at(hold.to) && hold.ended_by == operation.lane) {
      removed.push_back(&hold);
    }
  }
  return removed;
}

// What is untrue about the answer to a release. "unknown" is never untrue.
std::optional<std::string> untrue_release(const Story& story, const Operation& operation) {
  const auto& lane = operation.lane;
  const auto& outcome = operation.outcome;
  if (outcome == "unknown" || outcome == "error") return std::nullopt;
  const auto removed = removed_by(story, operation);
  const auto own = story.count_nodes([&](const ServerHold& hold) {
    return hold.owner == lane && std::find(removed.begin(), removed.end(), &hold) != removed.end();
  });
  const bool still_held = story.held_for(lane, operation.answered);
  if (outcome == "still_held") {
    return still_held ? std::nullopt
                      : std::optional<std::string>("the server does not hold the lock for it");
  }
  if (outcome == "released" && removed.empty()) return "no lock was removed";
  if (outcome == "released" && own == 0) {
    return fmt::format("the lock that was removed was {}'s", removed.back()->owner);
  }
  if (outcome == "released") return std::nullopt;
  if (own >= story.majority()) return "its lock was removed by this very call";
  if (still_held) return "the server still holds the lock for it";
  // When it is answered, or when the servers were asked.
  const bool exists = story.count_nodes([&](const ServerHold& hold) {
    const bool meanwhile = hold.from < operation.answered && hold.to > operation.called;
    return hold.exists_at(operation.answered) || (meanwhile && hold.owner != lane);
  }) > 0;
  if (outcome == "stolen" && !exists) return "nobody else holds the lock";
  if (outcome == "expired" && !owned_before(story, lane, operation.called)) {
    return "it never had the lock";
  }
  // All the time, so also when the server was asked. (Of several, no majority may have been.)
  const auto* others = story.nodes() == 1 ? story.hold_at(operation.called) : nullptr;
  if (outcome == "expired" && others != nullptr && others->owner != lane &&
      !others->owner.empty() && others->to > operation.answered) {
    return fmt::format("{} held the lock by then", others->owner);
  }
  return std::nullopt;
}

std::string say_shut_out(const Story& story, const Operation& operation) {
  const auto* hold = story.hold_at(operation.called);
  if (hold == nullptr && (operation.outcome == "error" || operation.outcome == "unknown")) {
    return fmt::format("{} never got in: it asked, and was not answered", operation.lane);
  }
  const auto told = story.events[operation.called].data.value("wait_ms", 0LL);
  // Who was not answered waits still.
  const auto wait = operation.answered == never
                        ? told
                        : std::min(told, story.ms(operation.answered) - story.ms(operation.called));
  if (hold != nullptr && hold->owner == operation.lane) {
    return fmt::format("{} tried for {} ms and never got in: it waited for the lock that it had",
                       operation.lane, wait);
  }
  const auto leases = wait / std::max(1, story.setting.value("lease_ms", 1));
  return fmt::format(
      "{} tried for {} ms{}, and never got in: the lock {} was never freed", operation.lane, wait,
      leases > 0 ? fmt::format(", {} leases long", leases) : std::string(),
      hold == nullptr || hold->owner.empty() ? "that was left behind"
                                             : "that " + hold->owner + " left behind");
}

// Does `lane`, running, believe at `place` that it holds the lock?
bool believes(const Story& story, const std::string& lane, std::size_t place) {
  bool holds = false;
  bool running = true;
  for (std::size_t i = 0; i < place; ++i) {
    const auto& event = story.events[i];
    if (event.lane != lane) continue;
    const auto what = event.text("what");
    if (event.kind == Kind::answer && event.text("op") == "acquire") {
      holds = holds || event.text("outcome") == "acquired";
    }
    if (event.kind == Kind::call && event.text("op") == "release") holds = false;
    if (event.kind == Kind::fault && (what == fault::killed || what == fault::frozen)) {
      running = false;
    }
    if (event.kind == Kind::fault && what == fault::thawed) running = true;
  }
  return holds && running;
}

// Is an operation of `lane` under way at `place`?
bool is_busy(const Story& story, const std::string& lane, std::size_t place) {
  return std::any_of(
      story.operations.begin(), story.operations.end(), [&](const Operation& operation) {
        return operation.lane == lane && operation.name != "work" && operation.open_at(place);
      });
}

// The place of the next call of `lane` after `place`, or the end.
std::size_t next_call_of(const Story& story, const std::string& lane, std::size_t place) {
  for (auto i = place + 1; i < story.events.size(); ++i) {
    if (story.events[i].is(Kind::call, lane)) return i;
  }
  return story.events.size();
}

// An operation that had to end, whatever its outcome, and did not in time.
std::optional<Finding> judge_end(const Story& story, const Operation& operation) {
  const auto& call = story.events[operation.called];
  const auto limit = call.data.value("must_end_within_ms", 0LL);
  const auto end = std::min(operation.answered, story.events.size() - 1);
  const auto took = story.ms(end) - story.ms(operation.called);
  if (limit == 0 || (operation.answered != never && took <= limit)) return std::nullopt;
  return Finding{
      .property = Property::liveness,
      .sentence = fmt::format(
          "{}'s {} had to end within {} ms, and {}", operation.lane, operation.name, limit,
          operation.answered == never ? std::string("never did") : fmt::format("took {} ms", took)),
      .may_be_the_machine = longest_stall(story) > milliseconds(limit) / 3,
      .evidence = {operation.called, end}};
}

// Of the commands that `lane` sent between two places, those to the server that got the most.
long most_commands_to_one_server(const Story& story, const std::string& lane, std::size_t from,
                                 std::size_t to) {
  std::map<std::string, long> sent;
  long most = 0;
  for (auto place = from; place < to; ++place) {
    const auto& event = story.events[place];
    if (!event.is(Kind::command, lane) || event.text("to") == "storage") continue;
    most = std::max(most, ++sent[event.text("to")]);
  }
  return most;
}

}  // namespace

std::vector<Finding> judge_mutual_exclusion(const Story& story) {
  // For each client and account the last read; every accepted write.
  std::map<std::pair<std::string, std::string>, std::size_t> last_reads;
  std::vector<std::size_t> writes;
  std::vector<Finding> findings;
  const bool may_be_the_machine =
      story.setting.value("depends_on_time", false) && stood_still(story);
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    if (event.kind != Kind::storage) continue;
    auto& last_read = last_reads[{event.lane, event.text("account")}];
    if (event.text("what") == "read") last_read = place;
    if (event.text("what") != "write" || !event.data.value("accepted", false)) continue;
    for (const auto lost : writes) {
      const auto& victim = story.events[lost];
      if (lost < last_read || victim.lane == event.lane ||
          victim.text("account") != event.text("account")) {
        continue;
      }
      findings.push_back(
          {.property = Property::mutual_exclusion,
           .sentence = fmt::format("{}'s write at {} ms was overwritten by {} at {} ms, which "
                                   "still built on what it had read at {} ms",
                                   victim.lane, story.ms(lost), event.lane, story.ms(place),
                                   story.ms(last_read)),
           .may_be_the_machine = may_be_the_machine,
           .evidence = {lost, place},
           .inside = {victim.lane, event.lane}});
    }
    writes.push_back(place);
  }
  return findings;
}

std::vector<Finding> judge_owner_only_release(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& hold : story.holds) {
    if (hold.end != "del" || hold.ended_by == hold.owner || hold.owner.empty()) continue;
    const auto who = hold.ended_by.empty() ? std::string("somebody") : hold.ended_by;
    findings.push_back(
        {.property = Property::owner_only_release,
         .sentence = fmt::format("at {} ms {} removed the lock that {} had taken at {} ms and not "
                                 "given back",
                                 story.ms(hold.to), who, hold.owner, story.ms(hold.from)),
         .evidence = {hold.from, hold.to}});
  }
  return findings;
}

// Did a majority of the servers answer a command of `operation`, later than a lease lasts? A disk
// that is slow to take a write can hold them all up, and nobody's threads stand still.
bool answered_after_a_lease(const Story& story, const Operation& operation) {
  const milliseconds lease(story.setting.value("lease_ms", 300));
  std::map<std::string, milliseconds> asked;  // by server
  std::set<std::string> late;
  const auto end = std::min(operation.answered, story.events.size());
  for (auto place = operation.called; place < end; ++place) {
    const auto& event = story.events[place];
    if (event.lane != operation.lane) continue;
    const auto at = std::chrono::duration_cast<milliseconds>(event.at);
    if (event.kind == Kind::command) asked[event.text("to")] = at;
    if (event.kind != Kind::reply || !asked.contains(event.text("from"))) continue;
    if (at - asked[event.text("from")] > lease) late.insert(event.text("from"));
  }
  return late.size() >= story.majority();
}

std::vector<Finding> judge_liveness(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& operation : story.operations) {
    const auto& call = story.events[operation.called];
    if (auto late = judge_end(story, operation)) findings.push_back(std::move(*late));
    if (!call.data.value("must_get_in", false) || operation.outcome == "acquired") continue;
    findings.push_back({.property = Property::liveness,
                        .sentence = say_shut_out(story, operation),
                        // It would have to stand still for a good part of that time; less, if
                        // one answer has only come too late.
                        .may_be_the_machine =
                            (operation.outcome == "unknown" &&
                             (stood_still(story) || answered_after_a_lease(story, operation))) ||
                            longest_stall(story) > milliseconds(call.data.value("wait_ms", 0)) / 3,
                        .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

std::vector<Finding> judge_truthful_outcomes(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& operation : story.operations) {
    if (operation.answered == never) continue;
    const auto lie = operation.name == "acquire"   ? untrue_acquire(story, operation)
                     : operation.name == "release" ? untrue_release(story, operation)
                                                   : std::nullopt;
    if (!lie) continue;
    findings.push_back({.property = Property::truthful_outcomes,
                        .sentence = fmt::format("{}'s {} answered \"{}\" at {} ms, but {}",
                                                operation.lane, operation.name, operation.outcome,
                                                story.ms(operation.answered), *lie),
                        .evidence = {operation.called, operation.answered}});
  }
  return findings;
}

std::vector<Finding> judge_owner_only_renewal(const Story& story) {
  using Ways = std::map<std::string, int>;  // commands without a reply, by client
  std::map<std::string, Ways> ways_to;      // by server
  std::vector<Finding> findings;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    if (event.kind == Kind::command) ++ways_to[event.text("to")][event.lane];
    if (event.kind == Kind::reply) --ways_to[event.text("from")][event.lane];
    if (event.kind != Kind::server || event.text("what") != "expire") continue;
    auto& on_the_way = ways_to[story.node_of(event.lane)];
    const auto* hold = story.hold_on(event.lane, place);
    if (hold == nullptr || hold->owner.empty() || is_busy(story, hold->owner, place)) continue;
    if (on_the_way[hold->owner] > 0) continue;
    const auto stranger = std::find_if(on_the_way.begin(), on_the_way.end(),
                                       [](const auto& entry) { return entry.second > 0; });
    if (stranger == on_the_way.end()) continue;
    findings.push_back(
        {.property = Property::owner_only_renewal,
         .sentence = fmt::format("at {} ms {} changed the lease of the lock that {} holds",
                                 story.ms(place), stranger->first, hold->owner),
         .evidence = {hold->from, place}});
  }
  return findings;
}

std::vector<Finding> judge_holder_was_told(const Story& story) {
  // A machine that stands still for less need not show.
  const auto close_by = story.setting.value("lease_ms", 300) / 3;
  std::vector<Finding> findings;
  for (const auto& hold : story.holds) {
    // On several servers the lock is lost with the hold that a majority needs.
    if (hold.end != "expired" || !believes(story, hold.owner, hold.to)) continue;
    const bool majority_ends =
        story.held_for(hold.owner, hold.to - 1) && !story.held_for(hold.owner, hold.to);
    if (story.nodes() > 1 && !majority_ends) continue;
    const auto told =
        std::find_if(story.events.begin() + static_cast<std::ptrdiff_t>(hold.from),
                     story.events.end(), [&](const Event& event) {
                       return event.is(Kind::told, hold.owner) && event.text("event") == "lost";
                     });
    const auto place = static_cast<std::size_t>(told - story.events.begin());
    if (place < hold.to) continue;
    const bool close = told != story.events.end() && story.ms(place) - story.ms(hold.to) < close_by;
    findings.push_back(
        {.property = Property::holder_was_told,
         .sentence = fmt::format("{}'s lease ended at {} ms, and {}", hold.owner, story.ms(hold.to),
                                 told == story.events.end()
                                     ? "it was never told"
                                     : fmt::format("it was told only at {} ms", story.ms(place))),
         .may_be_the_machine = close || stood_still(story),
         .evidence = {hold.to}});
  }
  return findings;
}

std::vector<Finding> judge_bounded_renewal(const Story& story) {
  const auto every = story.setting.value("lease_ms", 300) / 3;
  std::vector<Finding> findings;
  for (const auto& operation : story.operations) {
    if (operation.name != "acquire" || operation.outcome != "acquired") continue;
    const auto next = next_call_of(story, operation.lane, operation.answered);
    const auto sent = most_commands_to_one_server(story, operation.lane, operation.answered, next);
    const auto span = story.ms(next - 1) - story.ms(operation.answered);
    const auto periods = span / every + 1;
    constexpr auto retries = 2;  // a reply that is slow to come is asked for again
    if (sent <= periods + retries) continue;
    findings.push_back(
        {.property = Property::bounded_renewal,
         .sentence = fmt::format("{} sent {} renewals within {} ms, where {} were due at most",
                                 operation.lane, sent, span, periods),
         .may_be_the_machine = stood_still(story),
         .evidence = {operation.answered, next - 1}});
  }
  return findings;
}

std::vector<Finding> judge_first_come(const Story& story) {
  const auto waits = [&](const Operation& operation) {
    return operation.name == "acquire" &&
           story.events[operation.called].data.value("wait_ms", 0) > 0;
  };
  std::vector<Finding> findings;
  for (const auto& later : story.operations) {
    if (!waits(later) || later.outcome != "acquired") continue;
    for (const auto& earlier : story.operations) {
      if (!waits(earlier) || earlier.called >= later.called || earlier.answered < later.answered) {
        continue;
      }
      findings.push_back({.property = Property::first_come,
                          .sentence = fmt::format("{} had waited since {} ms when {}, who came at "
                                                  "{} ms, got in",
                                                  earlier.lane, story.ms(earlier.called),
                                                  later.lane, story.ms(later.called)),
                          .evidence = {later.answered}});
    }
  }
  return findings;
}

Judgement judge(const Record& record) {
  const Story story(record);
  for (const auto& event : story.events) {
    if (event.kind == Kind::stalled) {
      return {.verdict = Verdict::inconclusive, .findings = {}, .why = event.text("why")};
    }
  }
  if (const auto why = not_exercised(story)) {
    if (!stood_still(story)) {
      return {.verdict = Verdict::not_exercised, .findings = {}, .why = *why};
    }
    return {.verdict = Verdict::inconclusive, .findings = {}, .why = *why + excuse_for(story)};
  }
  Judgement judgement;
  for (const auto& name : story.setting.value("judged", std::vector<std::string>{})) {
    const auto findings = judge_property(property_from(name), story);
    judgement.findings.insert(judgement.findings.end(), findings.begin(), findings.end());
  }
  if (judgement.findings.empty()) return judgement;
  const bool close = std::all_of(judgement.findings.begin(), judgement.findings.end(),
                                 [](const Finding& finding) { return finding.may_be_the_machine; });
  judgement.verdict = close ? Verdict::inconclusive : Verdict::violated;
  if (close) judgement.why = judgement.findings.front().sentence + excuse_for(story);
  return judgement;
}

}  // namespace faults
