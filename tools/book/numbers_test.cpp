// Numbers in prose are those of recorded runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tools/book/documents.h"

namespace book {
namespace {

namespace fs = std::filesystem;

std::set<std::string> times_in(const std::string& text) {
  static const std::regex time("[0-9]+ ms");
  const std::sregex_iterator first(text.begin(), text.end(), time);
  std::set<std::string> times;
  std::transform(first, {}, std::inserter(times, times.end()),
                 [](const auto& match) { return match.str(); });
  return times;
}

TEST(BreakIt, SaysNoTimeThatNoRunSaid) {
  const fs::path root(LAB_SOURCE_DIR);
  std::set<std::string> recorded;
  for (const auto& file : fs::recursive_directory_iterator(root / "faults" / "recorded")) {
    if (file.path().extension() == ".txt") recorded.merge(times_in(read_file(file.path())));
  }
  for (const auto* page : {"docs/break-it.md", "docs/zh/break-it.md"}) {
    const auto said = times_in(read_file(root / page));
    EXPECT_FALSE(said.empty());
    EXPECT_THAT(recorded, testing::IsSupersetOf(said)) << page;
  }
}

// What the report says of `scenario` on the lock of that name.
std::string said_of(const std::string& name, const std::string& scenario) {
  const auto report =
      nlohmann::json::parse(read_file(fs::path(LAB_SOURCE_DIR) / "docs" / "field-report.json"));
  const auto& locks = report.at("locks");
  const auto& rows = report.at("rows");
  const auto lock = std::find_if(locks.begin(), locks.end(),
                                 [&](const auto& one) { return one.at("name") == name; });
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const auto& one) { return one.at("scenario") == scenario; });
  if (lock == locks.end() || row == rows.end()) return "";
  return row->at("cells").at(static_cast<std::size_t>(lock - locks.begin())).value("sentence", "");
}

TEST(Findings, CountTheRenewalsOfTheReport) {
  static const std::regex counts("sent ([0-9]+) renewals within ([0-9]+) ms, where ([0-9]+) ");
  const auto sentence = said_of("redisson", "relock_loop");
  std::smatch number;
  ASSERT_TRUE(std::regex_search(sentence, number, counts)) << sentence;
  const auto docs = fs::path(LAB_SOURCE_DIR) / "docs";
  EXPECT_THAT(read_file(docs / "findings.md"),
              testing::HasSubstr(fmt::format("{} renewals within {} ms, where {} were due",
                                             number[1].str(), number[2].str(), number[3].str())));
  EXPECT_THAT(read_file(docs / "zh" / "findings.md"),
              testing::HasSubstr(fmt::format("{} ms 里本该续期 {} 次，来了 {} 次", number[2].str(),
                                             number[3].str(), number[1].str())));
}

}  // namespace
}  // namespace book
