#include "tools/book/translations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "tools/book/documents.h"

namespace book {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string english = R"(# Stage 1

One command, [told here](https://example.org/a): `./lab run 1`.

## Run

```sh
./lab run 1 killed_holder
```

| a | b |
|---|---|
| 1 | 2 |
)";

const std::string chinese = R"([English](README.md)

# 阶段 1

一条命令，[见这里](https://example.org/a)：`./lab run 1`。

## 运行

```sh
./lab run 1 killed_holder
```

| 甲 | 乙 |
|---|---|
| 1 | 2 |
)";

std::string with(std::string text, const std::string& part, const std::string& other) {
  return text.replace(text.find(part), part.size(), other);
}

std::vector<std::string> differences_of(const std::string& other) {
  return differences(page_of("README.md", english), page_of("README.zh.md", other));
}

std::vector<std::string> changed_in(const std::string& now) {
  const auto compared = marked_as_compared(page_of("README.md", english), chinese);
  return changed_sections(page_of("README.md", now), compared);
}

TEST(Differences, AreNoneBetweenAPageAndItsTranslation) {
  EXPECT_THAT(differences_of(chinese), IsEmpty());
}

TEST(Differences, NameABlockThatIsNotTheSame) {
  EXPECT_THAT(differences_of(with(chinese, "killed_holder", "slow_holder")),
              ElementsAre("the block at line 9 is not the English one at line 7"));
}

TEST(Differences, AllowChineseWordsInADrawing) {
  const auto drawing = with(english, "```sh\n./lab run 1 killed_holder", "```text\nA → B");
  const auto drawn = with(chinese, "```sh\n./lab run 1 killed_holder", "```text\n甲 → 乙");
  EXPECT_THAT(differences(page_of("README.md", drawing), page_of("README.zh.md", drawn)),
              IsEmpty());
}

TEST(Differences, AllowAChineseCommentAfterACommand) {
  const auto command = [](const std::string& text, const std::string& comment) {
    return with(text, "1 killed_holder\n", "1 killed_holder    # exit " + comment + "\n");
  };
  const auto differences_between = [&](const std::string& one, const std::string& other) {
    return differences(page_of("README.md", command(english, one)),
                       page_of("README.zh.md", command(chinese, other)));
  };
  EXPECT_THAT(differences_between("1: violated", "1：被破坏"), IsEmpty());
  EXPECT_THAT(differences_between("1: violated", "0：守住了"), testing::SizeIs(1));
}

TEST(Differences, NameABlockThatIsMissing) {
  EXPECT_THAT(differences_of(with(chinese, "```sh\n./lab run 1 killed_holder\n```\n", "")),
              ElementsAre("1 blocks in English, 0 in Chinese"));
}

TEST(Differences, NameATableWithAnotherNumberOfRows) {
  EXPECT_THAT(differences_of(with(chinese, "| 1 | 2 |\n", "")),
              ElementsAre("the rows of the tables: 3 in English, 2 in Chinese"));
}

TEST(Differences, NameACommandInAnotherForm) {
  EXPECT_THAT(differences_of(with(chinese, "`./lab run 1`", "`./lab run 2`")),
              ElementsAre("the command ./lab run 1 is missing",
                          "the command ./lab run 2 is not in English"));
}

TEST(Differences, NameALinkThatIsMissing) {
  EXPECT_THAT(differences_of(with(chinese, "[见这里](https://example.org/a)", "见这里")),
              ElementsAre("the link https://example.org/a is missing"));
}

TEST(ChangedSections, AreNoneAfterAComparison) {
  EXPECT_THAT(changed_in(english), IsEmpty());
}

TEST(ChangedSections, AreAllBeforeTheFirstComparison) {
  EXPECT_THAT(changed_sections(page_of("README.md", english), chinese),
              ElementsAre("Stage 1", "Run"));
}

TEST(ChangedSections, AreTheOnesWithOtherWords) {
  EXPECT_THAT(changed_in(with(english, "One command", "Two commands")), ElementsAre("Stage 1"));
  EXPECT_THAT(changed_in(with(english, "| 1 | 2 |", "| 1 | 3 |")), ElementsAre("Run"));
}

TEST(ChangedSections, SayThatOneIsGone) {
  EXPECT_THAT(changed_in(english.substr(0, english.find("## Run"))),
              ElementsAre("a section is gone"));
}

TEST(ChangedSections, DoNotMindOtherLinesBlocksAndComments) {
  const auto broken = with(english, "One command,", "One\ncommand,");
  const auto recorded = with(broken, "killed_holder", "slow_holder");
  EXPECT_THAT(changed_in("[中文](README.zh.md)\n\n" + recorded + "<!-- end -->\n"), IsEmpty());
}

TEST(ChangedSections, DoNotMindTheCatalogue) {
  const auto block = [](const std::string& name) {
    return "<!-- catalogue -->\n\n## " + name + "\n\nJudged.\n\n<!-- end -->\n\nBack.\n";
  };
  const auto compared =
      marked_as_compared(page_of("scenarios.md", "# Scenarios\n\n" + block("a")), chinese);
  const auto changed = [&](const std::string& text) {
    return changed_sections(page_of("scenarios.md", "# Scenarios\n\n" + text), compared);
  };
  EXPECT_THAT(changed(block("b")), IsEmpty());
  EXPECT_THAT(changed(with(block("b"), "Back", "Home")), ElementsAre("Scenarios"));
}

TEST(MarkedAsCompared, ReplacesTheMarkThatIsThere) {
  const auto page = page_of("README.md", english);
  const auto once = marked_as_compared(page, chinese);
  EXPECT_EQ(marked_as_compared(page, once), once);
}

TEST(MarkedAsCompared, KeepsTheSettingsOfSlidesFirst) {
  const auto page = page_of("slides.md", english);
  const auto once = marked_as_compared(page, "---\nmarp: true\n---\n\n# 幻灯片\n");
  EXPECT_THAT(once, testing::StartsWith("---\nmarp: true\n---\n<!-- english: "));
  EXPECT_EQ(marked_as_compared(page, once), once);
  EXPECT_THAT(changed_sections(page, once), IsEmpty());
}

TEST(BlocksOfTheEnglishPage, ReplaceThoseOfTheChineseOne) {
  const std::string original =
      "<!-- note -->\none\n<!-- a -->\n1\n<!-- end -->\ntwo\n<!-- b -->\n2\n<!-- end -->\n";
  const std::string page = "<!-- note -->\n一\n<!-- b -->\n0\n<!-- end -->\n二\n";
  EXPECT_EQ(with_blocks_of(original, page), with(page, "0", "2"));
}

TEST(BlocksOfTheEnglishPage, HaveTimelinesInChinese) {
  const std::string original =
      "<!-- timeline: a b -->\n    7  ┃                  lease over: gone\n<!-- end -->\n";
  EXPECT_EQ(with_blocks_of(original, "<!-- timeline: a b -->\n<!-- end -->\n"),
            with(original, "lease over: gone", "租约到期，锁没了"));
}

TEST(Translations, AreThereForEachPage) {
  for (const auto& one : translations()) {
    EXPECT_TRUE(std::filesystem::exists(one.chinese)) << one.chinese << " is missing";
  }
}

TEST(Translations, HaveTheCommandsAndTablesOfTheEnglishPage) {
  for (const auto& one : translations()) {
    if (one.in_short || !std::filesystem::exists(one.chinese)) continue;
    EXPECT_THAT(differences(read_page(one.english), read_page(one.chinese)), IsEmpty())
        << one.chinese;
  }
}

TEST(Translations, TellWhatTheEnglishPageSaysNow) {
  for (const auto& one : translations()) {
    if (!std::filesystem::exists(one.chinese)) continue;
    const auto changed = changed_sections(read_page(one.english), read_file(one.chinese));
    const auto name = std::filesystem::relative(one.chinese, LAB_SOURCE_DIR).native();
    EXPECT_THAT(changed, IsEmpty())
        << name << " is out of date in these sections. Change it, then: ./lab record --compared "
        << name;
  }
}

TEST(Translations, LinkToTheOtherLanguage) {
  for (const auto& one : translations()) {
    if (!std::filesystem::exists(one.chinese)) continue;
    if (read_file(one.chinese).starts_with("---\n")) continue;  // slides: their settings come first
    const auto to_chinese = std::filesystem::relative(one.chinese, one.english.parent_path());
    const auto to_english = std::filesystem::relative(one.english, one.chinese.parent_path());
    EXPECT_THAT(read_page(one.english).prose.front(), "[中文](" + to_chinese.native() + ")")
        << one.english << ": its first line";
    EXPECT_THAT(read_page(one.chinese).links, testing::Contains(to_english.native()))
        << one.chinese;
  }
}

// The comments in `file` that say what a learner has to write, each as one line.
std::vector<std::string> tasks_in(const std::filesystem::path& file) {
  static const std::regex first_line("(.*(?://|--|#) )([Tt]o be written.*)");
  std::vector<std::string> tasks;
  std::string in_front;  // of each of the comment's lines; empty: the last line was not of one
  std::istringstream lines(read_file(file));
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, first_line)) {
      in_front = found[1];
      tasks.push_back(found[2]);
    } else if (!in_front.empty() && line.starts_with(in_front)) {
      const auto words = line.find_first_not_of(' ', in_front.size());
      if (words != std::string::npos) tasks.back() += " " + line.substr(words);
    } else {
      in_front.clear();
    }
  }
  return tasks;
}

std::vector<std::string> tasks_in_code() {
  std::vector<std::string> tasks;
  const auto exercises = std::filesystem::path(LAB_SOURCE_DIR) / "tools/learning/exercises";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(exercises)) {
    const auto in = entry.path().parent_path().filename();
    if (in != "start" && entry.path().filename() != "start.diff") continue;
    const auto found = tasks_in(entry.path());
    tasks.insert(tasks.end(), found.begin(), found.end());
  }
  return tasks;
}

TEST(ChineseExercises, ExplainEachCommentThatIsATask) {
  const auto page =
      read_file(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "zh" / "exercises.md");
  const auto tasks = tasks_in_code();
  EXPECT_GT(tasks.size(), 10U);
  for (const auto& task : tasks) EXPECT_THAT(page, testing::HasSubstr(task));
}

}  // namespace
}  // namespace book
