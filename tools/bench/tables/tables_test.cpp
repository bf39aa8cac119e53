#include "tools/bench/tables/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/book/documents.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

BenchmarkResults some_results() {
  BenchmarkResults results;
  results.rows["uncontended/stage4/tcp/free"] = {{"pairs_per_s", {10, 30, 20}},
                                                 {"ratio", {0.97, 0.95, 0.96}}};
  return results;
}

TEST(Table, ShowsMediansAndSpreadOfEachCase) {
  EXPECT_THAT(
      table(some_results(), groups().front(), Layout::text),
      HasSubstr("stage4/tcp/free       20       –       –                –  0.960 (0.950–0.970)"));
}

TEST(Table, IsEmptyWithoutCases) {
  EXPECT_THAT(table({}, groups().front(), Layout::text), IsEmpty());
}

TEST(Table, LinesUpInADocument) {
  EXPECT_EQ(aligned({{"a", "b"}, {"c", "1"}}, Layout::markdown),
            "| a | b |\n|---|---:|\n| c | 1 |\n");
}

TEST(Summary, HasALineForEachMeasuredStage) {
  EXPECT_THAT(summary(some_results(), Layout::markdown), HasSubstr("\n| 4 | 20 | 0.96 | – |"));
}

TEST(Summary, HasALineForEachWayToWait) {
  BenchmarkResults results;
  results.rows["uncontended/stage6/tcp/free"] = {{"ratio", {0.9}}};
  for (const auto* way : {"own", "polling", "fair_queue"}) {
    results.rows[std::string("contended/held1ms_pause5ms/stage6/") + way] = {{"commands", {4}}};
  }
  const auto text = summary(results, Layout::markdown);
  EXPECT_THAT(text, HasSubstr("\n| 6 | – | 0.90 | – | – | – | 4.0 |\n"
                              "| fair_queue around 6 | – | – | – | – | – | 4.0 |\n"
                              "| 6, polling |"));
}

// The numbers in the documents are a run's; the columns must be those of today.
TEST(Documents, HaveTheTablesThatARunWrites) {
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const auto house = std::filesystem::path(LAB_SOURCE_DIR);
  const auto chapter = book::read_file(house / "docs" / "benchmarks.md");
  for (const auto& group : groups()) {
    BenchmarkResults results;
    results.rows[group.name + "/case"] = {};
    EXPECT_THAT(chapter, HasSubstr("<!-- bench: " + group.name + " -->\n" +
                                   first_line(table(results, group, Layout::markdown))));
  }
  EXPECT_THAT(chapter, HasSubstr("<!-- bench -->\n" + first_line(summary({}, Layout::markdown))));
}

}  // namespace
}  // namespace bench
