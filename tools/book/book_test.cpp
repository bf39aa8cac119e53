// The Markdown files are true: their links lead somewhere, their C++ is compiled, the worked
// scenario shows what the chapter says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "faults/judging/verdict.h"
#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"
#include "faults/running/run_scenario.h"
#include "faults/scenarios/scenario.h"
#include "tools/book/documents.h"
#include "tools/book/pages.h"
#include "tools/table/stages.h"

namespace faults {
Scenario frozen_reader();  // in docs/example_scenario.cpp
}

namespace book {
namespace {

namespace fs = std::filesystem;

TEST(Pages, LeaveOutWhatIsNotOurs) {
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  for (const auto* place : {"learn/exercise1", "field/x/node_modules/y", "docs"}) {
    fs::create_directories(directory.path() / place);
    std::ofstream(directory.path() / place / "notes.md") << "notes\n";
  }
  const auto pages = all_pages(directory.path());
  ASSERT_THAT(pages, testing::SizeIs(1));
  EXPECT_EQ(pages.front().path, directory.path() / "docs/notes.md");
}

TEST(Anchors, AreHeadingsWithoutPunctuation) {
  EXPECT_EQ(anchor_of("What it does not do"), "what-it-does-not-do");
  EXPECT_EQ(anchor_of("Redis、数据库还是 etcd？"), "redis数据库还是-etcd");
}

TEST(Links, LeadSomewhere) {
  for (const auto& page : all_pages()) {
    for (const auto& link : page.links) {
      if (link.find("://") != std::string::npos) continue;
      const auto hash = std::min(link.find('#'), link.size());
      const auto target =
          hash == 0 ? page.path : page.path.parent_path() / fs::path(link.substr(0, hash));
      EXPECT_TRUE(fs::exists(target)) << page.name() << " has a link to " << link;
      if (hash == link.size() || target.extension() != ".md" || !fs::exists(target)) continue;
      EXPECT_THAT(read_page(target).anchors, testing::Contains(link.substr(hash + 1)))
          << page.name() << " has a link to " << link;
    }
  }
}

TEST(Chapters, AreAllInTheTableOfContents) {
  const auto contents = read_page(fs::path(LAB_SOURCE_DIR) / "docs" / "README.md");
  for (const auto& chapter : chapters()) {
    const auto name = chapter.filename().native();
    if (name == "README.md") continue;
    EXPECT_THAT(contents.links, testing::Contains(name));
  }
}

// The lines of `text`, without the spaces before them, so that a block may be indented less.
std::vector<std::string> bare_lines(const std::vector<std::string>& lines) {
  std::vector<std::string> bare;
  for (const auto& line : lines) {
    bare.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  }
  return bare;
}

TEST(Chapters, ShowCodeThatIsCompiled) {
  std::vector<std::string> compiled;
  for (const auto* file : {"examples.cpp", "example_scenario.cpp"}) {
    std::istringstream text(read_file(fs::path(LAB_SOURCE_DIR) / "docs" / file));
    for (std::string line; std::getline(text, line);) compiled.push_back(line);
  }
  compiled = bare_lines(compiled);
  for (const auto& chapter : chapters()) {
    for (const auto& block : read_page(chapter).blocks) {
      if (block.language != "cpp") continue;
      const auto lines = bare_lines(block.lines);
      EXPECT_NE(std::search(compiled.begin(), compiled.end(), lines.begin(), lines.end()),
                compiled.end())
          << chapter.filename() << ":" << block.line << " does not stand in docs/*.cpp";
    }
  }
}

fs::path chapter(const std::string& name) {
  return fs::path(LAB_SOURCE_DIR) / "docs" / (name + ".md");
}

TEST(Chapters, NameEveryProperty) {
  const auto page = read_file(chapter("what-a-lock-promises"));
  std::string_view name = faults::to_string(faults::Property{});
  for (int i = 0; name != "?"; name = faults::to_string(static_cast<faults::Property>(++i))) {
    EXPECT_THAT(page, testing::HasSubstr("| *" + std::string(name) + "* |"));
  }
}

TEST(Chapters, NameScenariosThatExist) {
  static const std::regex word("`([a-z]+(_[a-z]+)+)`");
  for (const auto* name :
       {"by-error-message", "cards", "questions", "what-a-lock-promises", "which-lock"}) {
    const auto page = read_file(chapter(name));
    for (std::sregex_iterator found(page.begin(), page.end(), word), end; found != end; ++found) {
      EXPECT_NE(faults::find_scenario((*found)[1].str()), nullptr) << name << ": " << (*found)[1];
    }
  }
}

// The numbers in `text`, "00100" and "1,000" as 100 and 1000.
std::set<double> numbers_in(std::string text) {
  std::erase(text, ',');
  static const std::regex number(R"([0-9]+(\.[0-9]+)?)");
  std::set<double> numbers;
  for (std::sregex_iterator found(text.begin(), text.end(), number), end; found != end; ++found) {
    numbers.insert(std::stod(found->str()));
  }
  return numbers;
}

TEST(Benchmarks, SayNoNumberThatIsNotInTheTables) {
  const auto page = read_file(chapter("benchmarks"));
  std::istringstream lines(page.substr(page.find("## What a run said")));
  std::string tables;
  std::string prose;
  for (std::string line; std::getline(lines, line) && !line.starts_with("## What these");) {
    (line.starts_with("|") || line.find("Redis ") != std::string::npos ? tables : prose) +=
        line + '\n';
  }
  EXPECT_THAT(numbers_in(tables), testing::IsSupersetOf(numbers_in(prose)));
}

TEST(ExampleScenario, BreaksOnlyLocksThatCannotReportLoss) {
  faults::Reaper reaper;
  const faults::TempDir runs(reaper);
  const faults::RunPlan plan{.redis = faults::find_redis(), .runs = runs.path()};
  const auto stages = table::all_stages();
  std::vector<std::jthread> threads;
  for (const auto& stage : stages) {
    threads.emplace_back([&] {
      const bool has_a_lease = stage.declared.at("killed_holder").broken.empty();
      const bool reports_loss = stage.declared.at("cut_off_holder").broken.empty();
      EXPECT_EQ(faults::run_scenario(stage, faults::frozen_reader(), plan, reaper).verdict(),
                has_a_lease && !reports_loss ? faults::Verdict::violated : faults::Verdict::holds)
          << stage.name;
    });
  }
}

}  // namespace
}  // namespace book
