// Which runs a cell's verdict is of, and what the others say.
#include "tools/field/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace field {
namespace {

using faults::Verdict;

enum class Lease { its_default, shortened };

faults::Result run_of(Lease lease, Verdict verdict) {
  faults::Result result{
      .stage = {}, .scenario = {}, .directory = {}, .executions = {}, .again = {}};
  result.at_default_lease = lease == Lease::its_default;
  faults::Judgement judgement{.verdict = verdict, .findings = {}};
  if (verdict == Verdict::violated) {
    judgement.findings.push_back({.sentence = "B overwrote A", .evidence = {}, .inside = {}});
  }
  result.executions.push_back({.boundary = {}, .judgement = std::move(judgement), .history = {}});
  return result;
}

Cell cell_of_runs(std::vector<faults::Result> runs, const std::string& lock = "mine") {
  Cell cell{.lock = lock, .scenario = "killed_holder", .not_run = {}, .results = std::move(runs)};
  prefer_default_lease(cell);
  return cell;
}

TEST(PreferDefaultLease, TakesItsVerdictForTheCells) {
  const auto cell = cell_of_runs({run_of(Lease::shortened, Verdict::violated),
                                  run_of(Lease::its_default, Verdict::holds),
                                  run_of(Lease::its_default, Verdict::holds)});
  EXPECT_EQ(cell.word(), "holds");
  EXPECT_EQ(cell.results.size(), 2U);
  EXPECT_EQ(cell.shortened.size(), 1U);
}

TEST(PreferDefaultLease, NeedsARunThatCouldBeJudged) {
  for (const auto undecided : {Verdict::inconclusive, Verdict::not_exercised}) {
    const auto cell = cell_of_runs(
        {run_of(Lease::its_default, undecided), run_of(Lease::shortened, Verdict::holds)});
    EXPECT_EQ(cell.word(), "holds");
    EXPECT_EQ(cell.results.size(), 1U);
    EXPECT_TRUE(cell.shortened.empty());
  }
}

TEST(PreferDefaultLease, LeavesACellOfOneLeaseAsItIs) {
  for (const auto lease : {Lease::its_default, Lease::shortened}) {
    const auto cell = cell_of_runs({run_of(lease, Verdict::inconclusive)});
    EXPECT_EQ(cell.results.size(), 1U);
    EXPECT_TRUE(cell.shortened.empty());
  }
}

TEST(SayShortened, SpeaksWhereItSaysOtherwise) {
  const auto said = [](Verdict by_default, Verdict shortened) {
    return say_shortened(cell_of_runs(
        {run_of(Lease::its_default, by_default), run_of(Lease::shortened, shortened)}));
  };
  EXPECT_EQ(said(Verdict::violated, Verdict::holds), "held");
  EXPECT_EQ(said(Verdict::holds, Verdict::violated), "B overwrote A");
  EXPECT_EQ(said(Verdict::holds, Verdict::holds), "");
  EXPECT_EQ(said(Verdict::holds, Verdict::inconclusive), "");
  EXPECT_EQ(said(Verdict::inconclusive, Verdict::holds), "");
}

TEST(SayLeases, CountsCellsAndWhyTheyAreShortened) {
  const auto lock = [](const std::string& name, const std::string& server, bool has_default) {
    faults::TestedLock made;
    made.name = name;
    made.facts = faults::LockFacts();
    made.facts->server = server;
    if (has_default) made.facts->default_lease = std::chrono::seconds(30);
    return made;
  };
  const auto held = [](const std::string& name, Lease lease) {
    return cell_of_runs({run_of(lease, Verdict::holds)}, name);
  };
  const Grid grid{.locks = {lock("own", "redis", true), lock("etcd", "etcd", true),
                            lock("named", "redis", false)},
                  .left_out = {},
                  .cells = {held("own", Lease::its_default), held("own", Lease::shortened),
                            held("etcd", Lease::shortened), held("named", Lease::shortened),
                            held("named", Lease::shortened), cell_of_runs({}, "own")}};
  EXPECT_EQ(say_leases(grid),
            "1 of 5 cells stand on the lease that a user gets who names none. The others stand on "
            "shortened leases: 1 on another server than Redis, 2 of locks without a default lease, "
            "and 1 judged in real time only.");
}

}  // namespace
}  // namespace field
