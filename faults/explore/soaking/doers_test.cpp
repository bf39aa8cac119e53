// The client that made a change is named where that can be told.
#include "faults/explore/soaking/doers.h"

#include <gmock/gmock.h>

#include "faults/judging/judge.h"
#include "faults/judging/testing/history_builder.h"

namespace {

using faults::HistoryBuilder;
using faults::Property;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Doers, AreNamedWhereOneCommandIsUnderWay) {
  HistoryBuilder history;
  history.call("A", "acquire", {{"key", "lock"}}).call("B", "acquire", {{"key", "lock"}});
  history.command("B", "SET lock b").server("set");
  const auto change = history.record.size() - 1;
  EXPECT_THAT(explore::name_doers(history.record), IsEmpty());
  EXPECT_EQ(history.record[change].text("by"), "B");
}

TEST(Doers, AreNotToldApart) {
  HistoryBuilder history;
  history.call("A", "acquire", {{"key", "lock"}}).call("B", "acquire", {{"key", "lock"}});
  history.command("A", "SET lock a").command("B", "SET lock b").server("set");
  const auto change = history.record.size() - 1;
  EXPECT_THAT(explore::name_doers(history.record), ElementsAre(change));
  EXPECT_EQ(history.record[change].text("by"), "");
}

TEST(Doers, InDoubtLeaveOutWhatFollows) {
  HistoryBuilder history;
  history.acquires("A");
  faults::Judgement judgement{.verdict = faults::Verdict::violated,
                              .findings = {{.property = Property::owner_only_release,
                                            .sentence = "B removed it",
                                            .evidence = {history.record.size() - 1}}},
                              .why = {}};
  auto certain = judgement;
  explore::leave_out_doubtful(certain, history.record, {});
  EXPECT_EQ(certain.verdict, faults::Verdict::violated);
  explore::leave_out_doubtful(judgement, history.record, {history.record.size() - 2});
  EXPECT_EQ(judgement.verdict, faults::Verdict::inconclusive);
}

}  // namespace
