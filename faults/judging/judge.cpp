#include "faults/judging/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace faults {
namespace {

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

// Why the history shows nothing, if it does not.
std::optional<std::string> not_exercised(const Story& story) {
  for (const auto& event : story.events) {
    if (event.kind == Kind::not_exercised) return event.text("why");
  }
  if (story.setting.empty()) return "the history does not say what was run";
  if (story.holds.empty()) return "nobody ever held the lock";
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
    case Property::bounded_renewal: return judge_bounded_renewal(story);
  }
  return {};
}

// Was `lane` the server's owner of the lock at some time between two places?
bool owned_between(const Story& story, const std::string& lane, std::size_t from, std::size_t to) {
  return std::any_of(story.holds.begin(), story.holds.end(), [&](const ServerHold& hold) {
    return hold.owner == lane && hold.from < to && hold.to > from;
  });
}

// What is untrue about the answer to an acquire, if anything.
std::optional<std::string> untrue_acquire(const Story& story, const Operation& operation) {
  const bool set = std::any_of(story.holds.begin(), story.holds.end(), [&](const ServerHold& hold) {
    return hold.owner == operation.lane && operation.open_at(hold.from);
  });
  if (operation.outcome == "acquired" && !set) return "the server never gave it the lock";
  if (operation.outcome == "contended" && set) return "the server had given it the lock";
  return std::nullopt;
}

// The same for a release. "unknown" is never untrue.
std::optional<std::string> untrue_release(const Story& story, const Operation& operation) {
  const ServerHold* removed = nullptr;
  for (const auto& hold : story.holds) {
    if (hold.end == "del" && operation.open_at(hold.to) && hold.ended_by == operation.lane) {
      removed = &hold;
    }
  }
  const bool removed_own = removed != nullptr && removed->owner == operation.lane;
  const auto& outcome = operation.outcome;
  if (outcome == "released" && removed == nullptr) return "no lock was removed";
  if (outcome == "released" && !removed_own) {
    return fmt::format("the lock that was removed was {}'s", removed->owner);
  }
  if (outcome == "released" || outcome == "unknown") return std::nullopt;
  if (removed_own) return "its lock was removed by this very call";
  if (owned_between(story, operation.lane, operation.answered, operation.answered + 1)) {
    return "the server still holds the lock for it";
  }
  const auto* now = story.hold_at(operation.answered);
  if (outcome == "stolen" && now == nullptr) return "nobody else holds the lock";
  if (outcome == "expired" && !owned_between(story, operation.lane, 0, operation.called)) {
    return "it never had the lock";
  }
  return std::nullopt;
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

}  // namespace

std::vector<Finding> judge_mutual_exclusion(const Story& story) {
  // For each client and account the last read; every accepted write.
  std::map<std::pair<std::string, std::string>, std::size_t> last_reads;
  std::vector<std::size_t> writes;
  std::vector<Finding> findings;
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
           .evidence = {lost, place}});
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

std::vector<Finding> judge_liveness(const Story& story) {
  std::vector<Finding> findings;
  for (const auto& operation : story.operations) {
    const auto& call = story.events[operation.called];
    if (!call.data.value("must_get_in", false) || operation.outcome == "acquired") continue;
    const auto* hold = story.hold_at(operation.called);
    findings.push_back(
        {.property = Property::liveness,
         .sentence = fmt::format(
             "{} tried for {} ms, {} leases long, and never got in: the lock {} was never freed",
             operation.lane, call.data.value("wait_ms", 0),
             call.data.value("wait_ms", 0) / std::max(1, story.setting.value("lease_ms", 1)),
             hold == nullptr || hold->owner.empty() ? "that was left behind"
                                                    : "that " + hold->owner + " left behind"),
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
  std::map<std::string, int> on_the_way;  // commands without a reply, by client
  std::vector<Finding> findings;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    if (event.kind == Kind::command && event.text("to") != "storage") ++on_the_way[event.lane];
    if (event.kind == Kind::reply && event.text("from") != "storage") --on_the_way[event.lane];
    if (event.kind != Kind::server || event.text("what") != "expire") continue;
    const auto* hold = story.hold_at(place);
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
  std::vector<Finding> findings;
  for (const auto& hold : story.holds) {
    if (hold.end != "expired" || !believes(story, hold.owner, hold.to)) continue;
    const auto told =
        std::find_if(story.events.begin() + static_cast<std::ptrdiff_t>(hold.from),
                     story.events.end(), [&](const Event& event) {
                       return event.is(Kind::told, hold.owner) && event.text("event") == "lost";
                     });
    const auto place = static_cast<std::size_t>(told - story.events.begin());
    if (place < hold.to) continue;
    const bool close = told != story.events.end() && story.ms(place) - story.ms(hold.to) < 100;
    findings.push_back(
        {.property = Property::holder_was_told,
         .sentence = fmt::format("{}'s lease ended at {} ms, and {}", hold.owner, story.ms(hold.to),
                                 told == story.events.end()
                                     ? "it was never told"
                                     : fmt::format("it was told only at {} ms", story.ms(place))),
         .may_be_the_machine = close,
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
    const auto sent = std::count_if(
        story.events.begin() + static_cast<std::ptrdiff_t>(operation.answered),
        story.events.begin() + static_cast<std::ptrdiff_t>(next), [&](const Event& event) {
          return event.is(Kind::command, operation.lane) && event.text("to") != "storage";
        });
    const auto span = story.ms(next - 1) - story.ms(operation.answered);
    const auto periods = span / every + 1;
    constexpr auto retries = 2;  // a reply that is slow to come is asked for again
    if (sent <= periods + retries) continue;
    findings.push_back(
        {.property = Property::bounded_renewal,
         .sentence = fmt::format("{} sent {} renewals within {} ms, where {} were due at most",
                                 operation.lane, sent, span, periods),
         .evidence = {operation.answered, next - 1}});
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
    return {.verdict = Verdict::not_exercised, .findings = {}, .why = *why};
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
  if (close) judgement.why = judgement.findings.front().sentence + "; the machine may be too slow";
  return judgement;
}

}  // namespace faults
