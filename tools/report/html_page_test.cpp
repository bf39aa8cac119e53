// The page as a file; browser_test.py tests its looks and behaviour in a browser.
#include "tools/report/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>

#include "faults/judging/testing/history_builder.h"
#include "tools/book/documents.h"
#include "tools/report/data.h"
#include "tools/report/drawing.h"
#include "tools/report/testing/recorded.h"
#include "tools/table/grid.h"
#include "tools/terminal/testing/known_text.h"

namespace report {
namespace {

using faults::HistoryBuilder;
using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(Page, HasEverythingInIt) {
  const auto page = html_page(json::object());
  EXPECT_THAT(page, HasSubstr(".drawing .bar"));
  EXPECT_THAT(page, HasSubstr("function drawTimeline"));
  EXPECT_THAT(page, HasSubstr("https://d3js.org v"));
  for (const auto* place :
       {"/* page.css */", "/* page.js */", "/* library */", "/* data */", "<!-- moment.html -->"}) {
    EXPECT_THAT(page, Not(HasSubstr(place)));
  }
}

TEST(Page, LoadsNothingFromElsewhere) {
  const auto page = html_page(json::object());
  for (const auto* asks : {" src=", "@import", "url(h", "href=\"h", "fetch(\"", "import("}) {
    EXPECT_THAT(page, Not(HasSubstr(asks)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Page, KeepsTextText) {
  const std::string name = "</script><script>alert(1)</script>";
  const auto drawing = drawing_of(HistoryBuilder().acquires(name).record);
  const auto empty = html_page(json::object());
  const auto page = html_page({{"drawing", drawing}});
  EXPECT_EQ(count_of(page, "<script"), count_of(empty, "<script"));
  EXPECT_EQ(count_of(page, "</script"), count_of(empty, "</script"));
  const auto from = page.find("id=\"data\">") + std::string("id=\"data\">").size();
  const auto data = json::parse(page.substr(from, page.find("</script", from) - from));
  EXPECT_EQ(data["drawing"]["lanes"][0][0], name);
}

// Four kilobytes a cell, and the drawing library; beside these the levels to play.
TEST(Page, IsSmallForAWholeTable) {
  const auto data = page_data(full_grid(), std::nullopt);
  const auto levels = data["trees"].dump().size();
  EXPECT_LT(levels, 2'000'000U);
  EXPECT_LT(html_page(data).size() - levels, 2'000'000U);
}

TEST(PageData, HasACellForEachStageAndScenario) {
  const auto grid = grid_of("stage4_lua_release", "slow_holder");
  const auto data = page_data(grid, std::nullopt);
  EXPECT_THAT(data["cells"], SizeIs(grid.stages.size() * grid.scenarios.size()));
  std::vector<std::string> words;
  for (const auto& cell : data["cells"]) {
    if (cell.contains("verdict")) words.push_back(cell["word"]);
  }
  EXPECT_THAT(words, ElementsAre("✗ two inside"));
  EXPECT_THAT(data["words"], Contains("✗ two inside: a write was lost"));
}

TEST(PageData, SaysWhyACellIsEmptyAndHowItDiffers) {
  auto grid = grid_of("stage4_lua_release", "slow_holder");
  auto& red = *std::find_if(grid.cells.begin(), grid.cells.end(),
                            [](const auto& cell) { return cell.result.has_value(); });
  red.difference = "it is declared to hold";
  auto& empty = *std::find_if(grid.cells.begin(), grid.cells.end(),
                              [](const auto& cell) { return !cell.does_not_apply.empty(); });
  const auto cells = page_data(grid, std::nullopt)["cells"];
  EXPECT_EQ(cells[static_cast<std::size_t>(&red - grid.cells.data())]["difference"],
            "it is declared to hold");
  EXPECT_EQ(cells[static_cast<std::size_t>(&empty - grid.cells.data())]["why"],
            empty.does_not_apply);
}

TEST(PageData, IsInTheReadersLanguage) {
  const auto grid = grid_of("stage4_lua_release", "slow_holder");
  const auto chinese = terminal::Language::named("zh");
  const auto data = page_data(grid, std::nullopt, chinese);
  EXPECT_THAT(data["words"], Contains("✗ 两个在里面：丢了一次写入"));
  EXPECT_EQ(data["texts"]["Close (Esc)"], "关闭（Esc）");
  for (const auto& cell : data["cells"]) {
    if (!cell.contains("verdict")) continue;
    EXPECT_EQ(cell["word"], "✗ 两个在里面");
    EXPECT_EQ(terminal::english_in(cell["sentence"].get<std::string>()), "");
    const auto& lines = cell["executions"][0]["lines"];
    const auto is_fault = [](const json& line) {
      return line[1].is_string() && line[1].get<std::string>() == "给 A 的 READ 响应被扣在线路上";
    };
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), is_fault)) << lines.dump();
  }
  EXPECT_FALSE(page_data(grid, std::nullopt).contains("texts"));
}

// The literal texts that follow `before` in a script: strings in single quotes, put together by +.
std::vector<std::string> texts_after(const std::string& before, const std::string& script) {
  const std::regex call(before + R"(\s*('[^']*'(\s*\+\s*'[^']*')*))");
  static const std::regex quoted("'([^']*)'");
  std::vector<std::string> texts;
  for (auto at = std::sregex_iterator(script.begin(), script.end(), call);
       at != std::sregex_iterator(); ++at) {
    const auto literals = at->str(1);
    std::string text;
    auto part = std::sregex_iterator(literals.begin(), literals.end(), quoted);
    for (; part != std::sregex_iterator(); ++part) text += part->str(1);
    texts.push_back(text);
  }
  return texts;
}

// Those in say(...).
std::vector<std::string> texts_said_in(const std::string& script) {
  return texts_after(R"(\bsay\()", script);
}

// Those of an object whose keys are texts, too.
std::vector<std::string> values_in(const std::string& script) {
  return texts_after("':", script);
}

// The texts between the tags of a page, each in one line.
std::vector<std::string> texts_of_html(const std::string& html) {
  static const std::regex between("<(?!style|script)[^>]*>([^<>]*[A-Za-z][^<>]*)(?=<)");
  static const std::regex blanks("\\s+");
  static const std::regex around("^ | $");
  std::vector<std::string> texts;
  for (auto at = std::sregex_iterator(html.begin(), html.end(), between);
       at != std::sregex_iterator(); ++at) {
    const auto one_line = std::regex_replace(at->str(1), blanks, " ");
    texts.push_back(std::regex_replace(one_line, around, ""));
  }
  return texts;
}

TEST(ChineseTexts, HaveEachTextOfThePage) {
  const auto known = json::parse(terminal::Language::named("zh").catalogue());
  const std::filesystem::path source(LAB_SOURCE_DIR);
  std::vector<std::filesystem::path> files{source / "faults/explore/stepping/moment.js",
                                           source / "faults/explore/stepping/moment.html",
                                           source / "faults/explore/stepping/step_page.html"};
  for (const auto& entry : std::filesystem::directory_iterator(source / "tools/report/page")) {
    files.push_back(entry.path());
  }
  std::size_t seen = 0;
  for (const auto& file : files) {
    const auto text = book::read_file(file);
    const bool is_html = file.extension() == ".html";
    if (!is_html && file.extension() != ".js") continue;
    if (file.filename() == "texts.js") {
      for (const auto& english : values_in(text)) {
        EXPECT_TRUE(known.contains(english)) << file.filename() << ": " << english;
      }
    }
    auto texts = texts_said_in(text);
    if (is_html) std::ranges::copy(texts_of_html(text), std::back_inserter(texts));
    for (const auto& english : texts) {
      EXPECT_TRUE(known.contains(english)) << file.filename() << ": " << english;
      ++seen;
    }
  }
  EXPECT_GT(seen, 80U);
}

TEST(PageData, OpensACellAtTheExecutionThatIsShown) {
  auto grid = grid_of("stage4_lua_release", "slow_holder");
  auto& cell = *std::find_if(grid.cells.begin(), grid.cells.end(),
                             [](const auto& one) { return one.result.has_value(); });
  auto& executions = cell.result->executions;
  auto holds = executions.front();
  holds.judgement = {.verdict = faults::Verdict::holds, .findings = {}};
  executions.insert(executions.begin(), holds);
  const auto cells = page_data(grid, std::nullopt)["cells"];
  EXPECT_EQ(cells[static_cast<std::size_t>(&cell - grid.cells.data())]["shown"], 1);
}

// From docs/field-report.json: each red cell with its sentence and the command.
TEST(PageData, HasTheFieldReport) {
  const auto field = page_data(table::empty_grid(), std::nullopt).at("field");
  ASSERT_THAT(field["rows"], Not(testing::IsEmpty()));
  std::size_t red = 0;
  for (const auto& row : field["rows"]) {
    ASSERT_THAT(row["cells"], SizeIs(field["locks"].size()));
    for (const auto& cell : row["cells"]) {
      if (!cell.contains("again")) continue;
      ++red;
      EXPECT_NE(cell.value("sentence", ""), "");
      EXPECT_FALSE(cell.contains("timeline"));
      EXPECT_THAT(cell["again"], StartsWith("./lab run "));
    }
  }
  EXPECT_GT(red, 0U);
}

TEST(PageData, HasTheFieldReportInChinese) {
  const auto page = page_data(table::empty_grid(), std::nullopt, terminal::Language::named("zh"));
  for (const auto& row : page.at("field").at("rows")) {
    for (const auto& cell : row.at("cells")) {
      const auto sentence = cell.value("sentence", "。");
      EXPECT_THAT(sentence, testing::EndsWith("。")) << cell.value("again", "");
      EXPECT_THAT(cell.value("why", ""), Not(StartsWith("not promised")));
    }
  }
}

// From tools/report/trees/: each order ends in a node without events, and a node comes after those
// that follow it.
TEST(PageData, HasLevelsToPlay) {
  const auto trees = page_data(table::empty_grid(), std::nullopt).at("trees");
  ASSERT_THAT(trees, Not(testing::IsEmpty()));
  for (const auto& tree : trees) {
    std::vector<long> orders;
    for (const auto& node : tree["nodes"]) {
      long sum = node.size() == 3 ? 1 : 0;
      for (std::size_t i = 4; i < node.size(); i += 2) sum += orders.at(node[i].get<std::size_t>());
      orders.push_back(sum);
    }
    EXPECT_EQ(orders.back(), tree["orders"].get<long>());
  }
}

TEST(PageData, HasEachStagesDifference) {
  const auto data = page_data(table::empty_grid(), std::nullopt);
  ASSERT_THAT(data["diffs"], SizeIs(data["stages"].size() - 1));
  for (const auto& diff : data["diffs"]) {
    EXPECT_THAT(diff["files"][0].get<std::string>(),
                StartsWith("--- " + diff["from"].get<std::string>() + "/lock.h\n"));
    for (const auto& file : diff["files"]) EXPECT_THAT(file.get<std::string>(), StartsWith("---"));
  }
}

}  // namespace
}  // namespace report
