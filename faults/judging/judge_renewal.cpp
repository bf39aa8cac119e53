#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faults/judging/on_the_way.h"
#include "faults/judging/properties.h"

namespace faults {
namespace {

// Does `lane`, running, believe at `place` that it holds the lock?
bool believes(const Story& story, const std::string& lane, std::size_t place) {
  bool holds = false;
  bool running = true;
  for (std::size_t i = 0; i < place; ++i) {
    const auto& event = story.events[i];
    if (event.lane != lane || event.is_of_another_key()) continue;
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

bool contains(const std::vector<std::string>& lanes, const std::string& lane) {
  return std::find(lanes.begin(), lanes.end(), lane) != lanes.end();
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

std::vector<Finding> judge_owner_only_renewal(const Story& story) {
  OnTheWay commands(story);
  std::vector<Finding> findings;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    commands.follow(place);
    if (event.kind != Kind::server || event.text("what") != "expire") continue;
    const auto* hold = story.hold_on(event.lane, place);
    if (hold == nullptr || hold->owner.empty() || is_busy(story, hold->owner, place)) continue;
    const auto asking = commands.asking(story.node_of(event.lane));
    if (asking.empty() || contains(asking, hold->owner)) continue;
    findings.push_back(
        {.property = Property::owner_only_renewal,
         .sentence = fmt::format("at {} ms {} changed the lease of the lock that {} holds",
                                 story.ms(place), asking.front(), hold->owner),
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
    const auto told = std::find_if(story.events.begin() + static_cast<std::ptrdiff_t>(hold.from),
                                   story.events.end(), [&](const Event& event) {
                                     return event.is(Kind::told, hold.owner) &&
                                            event.text("event") == "lost" &&
                                            !event.is_of_another_key();
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
         .may_be_the_machine = close || story.stood_still(),
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
         .may_be_the_machine = story.stood_still() && sent <= 2 * periods + retries,
         .evidence = {operation.answered, next - 1}});
  }
  return findings;
}

}  // namespace faults
