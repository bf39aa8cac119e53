// A history in real time, as steps for virtual time.
#include "faults/explore/soaking/history_steps.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "faults/judging/judge.h"
#include "faults/judging/testing/history_builder.h"

namespace {

using explore::Deed;
using faults::HistoryBuilder;
using faults::Kind;
using testing::ElementsAre;
using testing::IsEmpty;

std::string word_of(Deed deed) {
  switch (deed) {
    case Deed::begin: return "begin";
    case Deed::send: return "send";
    case Deed::reply: return "reply";
    case Deed::advance: return "time";
    case Deed::freeze: return "freeze";
    case Deed::thaw: return "thaw";
    case Deed::kill: return "kill";
    case Deed::lose: return "lose";
    case Deed::slow: return "slow";
    default: return "other";
  }
}

// The steps around the last event of the history.
std::vector<std::string> steps_of(const HistoryBuilder& history) {
  const faults::Finding finding{.property = faults::Property::liveness,
                                .sentence = {},
                                .evidence = {history.record.size() - 1}};
  std::vector<std::string> words;
  for (const auto& step : explore::steps_around(finding, history.record).steps) {
    const auto word = word_of(step.deed);
    words.push_back(fmt::format("{}{}{}{}", step.client, step.client.empty() ? "" : " ", word,
                                step.command.empty() ? "" : " " + step.command));
  }
  return words;
}

HistoryBuilder& stop(HistoryBuilder& history, std::string_view what, const std::string& side) {
  return history.add("A", Kind::fault, {{"what", what}, {"side", side}, {"server", "redis"}});
}

// A has asked for the lock, and got it.
HistoryBuilder asked() {
  HistoryBuilder history;
  history.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock a").server("set");
  return history;
}

TEST(HistorySteps, ThawsBeforeAReplyThatWasHeldBack) {
  auto history = asked();
  history.reply("A", "OK");
  history.record.back().data["command"] = "SET";
  stop(history, faults::fault::held, "reply").fault("A", faults::fault::frozen);
  stop(history, faults::fault::delivered, "reply").server("expired");
  history.fault("A", faults::fault::thawed).answer("A", "acquire", "acquired");
  EXPECT_THAT(steps_of(history),
              ElementsAre("A begin", "A send SET", "A freeze", "time", "A thaw", "A reply SET"));
}

TEST(HistorySteps, LosesAReplyWithItsConnection) {
  auto history = asked();
  history.reply("A", "OK");
  history.record.back().data["command"] = "SET";
  stop(history, faults::fault::reset, "reply").answer("A", "acquire", "unknown");
  EXPECT_THAT(steps_of(history), ElementsAre("A begin", "A send SET", "A lose SET"));
}

TEST(HistorySteps, NamesEachPassAnew) {
  HistoryBuilder history;
  history.acquires("B").releases("B");
  history.call("A", "acquire", {{"key", "lock"}}).command("A", "SET lock a").server("set");
  history.fault("A", faults::fault::killed);
  EXPECT_THAT(steps_of(history), ElementsAre("A begin", "A send SET", "A kill"));
}

TEST(HistorySteps, LeavesOutWhoWasRefused) {
  auto history = asked();
  history.is_refused("B").fault("A", faults::fault::killed);
  EXPECT_THAT(steps_of(history), ElementsAre("A begin", "A send SET", "A kill"));
}

TEST(HistorySteps, HasNoneWhereNobodyTookPart) {
  HistoryBuilder history;
  history.server("del");
  EXPECT_THAT(steps_of(history), IsEmpty());
}

}  // namespace
