// The pages of the field report, and the words and classes that they are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "faults/scenarios/scenario.h"
#include "tools/field/html_page.h"
#include "tools/field/lock_section.h"
#include "tools/field/lock_views.h"
#include "tools/field/locks.h"
#include "tools/field/markdown_page.h"
#include "tools/field/page_words.h"
#include "tools/field/report_data.h"
#include "tools/field/testing/small_report.h"
#include "tools/terminal/testing/known_text.h"

namespace field {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const json no_stages{{"locks", json::array()}, {"rows", json::array()}};

std::string page_of(const json& data) {
  return markdown_page(data, no_stages);
}

TEST(FaultClasses, HaveEachScenarioOnce) {
  std::map<std::string, int> count;
  for (const auto& each : fault_classes()) {
    EXPECT_TRUE(page_words().at("classes").contains(each.name)) << each.name;
    for (const auto& scenario : each.scenarios) {
      ++count[scenario];
      EXPECT_NE(faults::find_scenario(scenario), nullptr) << scenario;
    }
  }
  for (const auto& scenario : faults::all_scenarios()) {
    EXPECT_EQ(count[scenario.name], 1) << scenario.name;
  }
}

TEST(FaultClasses, AreEightAndBehaviour) {
  EXPECT_EQ(fault_classes().size(), 9U);
  EXPECT_EQ(fault_classes().back().name, behaviour);
}

TEST(LockViews, CountWhatHeldOfWhatWasJudged) {
  const auto views =
      lock_views(small_report({"cut_off_holder", "half_open", "clock_jump", "client_clock_jump",
                               "waiter_clock_jump", "slow_holder"},
                              {{.name = "mine",
                                .states = {"held", "violated", "not_judged", "not_run",
                                           "showed_nothing", "not_promised"}}}));
  std::map<std::string, json> classes;
  for (const auto& each : views.at(0).at("classes")) classes[each.at("name")] = each;
  EXPECT_EQ(classes["cut_off"].at("figure"), "1/2");
  EXPECT_EQ(classes["cut_off"].at("worst"), "half_open");
  EXPECT_EQ(classes["clock"].at("figure"), "1 ?, 1 ○, 1 □");
  EXPECT_EQ(classes["slow_work"].at("figure"), "·");
  EXPECT_EQ(classes["waiting"].at("figure"), "–");
}

TEST(LockViews, AreSortedByLanguageUseAndName) {
  const std::vector<std::string> held{"held"};
  auto data = small_report({"slow_holder"}, {{.name = "b", .language = "node", .states = held},
                                             {.name = "a/x", .language = "node", .states = held},
                                             {.name = "a", .language = "node", .states = held},
                                             {.name = "used", .language = "node", .states = held},
                                             {.name = "c", .language = "go", .states = held}});
  data["locks"][3]["downloads"] = {{"per_month", 7}};
  std::string order;
  for (const auto& view : lock_views(data)) order += view.at("name").get<std::string>() + " ";
  EXPECT_EQ(order, "c used a a/x b ");
}

TEST(MarkdownPage, HasARowForEachLockByLanguage) {
  const auto page = page_of(small_report({"cut_off_holder", "half_open"},
                                         {{.name = "mine", .states = {"held", "violated"}},
                                          {.name = "mine/x", .states = {"held", "held"}}}));
  EXPECT_THAT(page, HasSubstr("| lock | dies | answer lost | slow work | frozen | cut off | "
                              "server lost | clock | waiting |\n"));
  EXPECT_THAT(page, HasSubstr("| **Python** | | | | | | | | |\n"
                              "| [mine](#mine) | – | – | – | – | 1/2 [half_open](#mine) |"));
  EXPECT_THAT(page, Not(HasSubstr("| [mine/x]")));
  EXPECT_THAT(page, HasSubstr("**mine/x**"));
}

TEST(MarkdownPage, HasOneLineForAViolation) {
  const auto page =
      page_of(small_report({"half_open"}, {{.name = "mine", .states = {"documented"}}}));
  EXPECT_THAT(page,
              HasSubstr("- ✗ d [`half_open`](scenarios.md#half_open): two were inside. In its "
                        "source: it never looks (lock.py). `./lab run it`\n"));
  EXPECT_THAT(page, Not(HasSubstr("   ms     A")));
}

TEST(MarkdownPage, SaysWhatEachCellIs) {
  const auto page = page_of(small_report(
      {"half_open", "slow_holder", "two_locks", "clock_jump", "split_vote"},
      {{.name = "mine",
        .states = {"not_run", "not_judged", "showed_nothing", "not_promised", "held"}}}));
  EXPECT_THAT(page, HasSubstr("- □ `half_open`: so it is.\n"));
  EXPECT_THAT(page, HasSubstr("- ? `slow_holder`: so it is.\n"));
  EXPECT_THAT(page, HasSubstr("- ○ `two_locks`: so it is.\n"));
  EXPECT_THAT(page, HasSubstr("- · not promised: `clock_jump`\n"));
  EXPECT_THAT(page, HasSubstr("- ✓ held: `split_vote`\n"));
}

TEST(MarkdownPage, SaysOfAVariantWhatDiffers) {
  const auto page =
      page_of(small_report({"half_open", "slow_holder", "two_locks"},
                           {{.name = "mine", .states = {"violated", "violated", "held"}},
                            {.name = "mine/x", .states = {"violated", "held", "held"}}}));
  const auto variant = page.substr(page.find("**mine/x**"));
  EXPECT_THAT(variant, HasSubstr("- ✗ as above: `half_open`\n- ✓ held: `slow_holder`\n"));
  EXPECT_THAT(variant, Not(HasSubstr("two_locks")));
}

TEST(MarkdownPage, SaysWhatAShortenedLeaseSays) {
  auto data = small_report({"half_open", "slow_holder"},
                           {{.name = "mine", .states = {"held", "violated"}},
                            {.name = "mine/x", .states = {"held", "violated"}}});
  for (std::size_t i = 0; i < 2; ++i) data["rows"][0]["cells"][i]["shortened"] = "B overwrote A";
  const auto line = "- With its lease shortened: `half_open`: B overwrote A.\n";
  const auto page = page_of(data);
  const auto variant = page.find("**mine/x**");
  EXPECT_THAT(page.substr(0, variant), HasSubstr(line));
  EXPECT_THAT(page.substr(variant), HasSubstr(line));
}

TEST(MarkdownPage, SaysTheDefaultLease) {
  auto data = small_report({"half_open"}, {{.name = "mine", .states = {"held"}}});
  EXPECT_THAT(page_of(data), Not(HasSubstr("default lease")));
  data["locks"][0]["default_lease_ms"] = 30'000;
  EXPECT_THAT(page_of(data), HasSubstr("Its default lease: 30000 ms."));
}

TEST(MarkdownPage, SaysWhatALockIsInSixtyWords) {
  auto data = small_report({"half_open"}, {{.name = "mine", .states = {"held"}}});
  data["locks"][0]["settings"] = {std::string(500, 'x') + " y", "a b c"};
  for (int i = 0; i < 40; ++i) data["locks"][0]["settings"].push_back("some words more");
  const auto section = section_of(lock_views(data).at(0), json::array(), page_words());
  const auto from = section.find("\n\n") + 2;
  std::istringstream paragraph(section.substr(from, section.find('\n', from) - from));
  const auto words = std::distance(std::istream_iterator<std::string>(paragraph), {});
  EXPECT_LE(words, most_words_about_a_lock);
  EXPECT_GT(words, most_words_about_a_lock - 5);
}

TEST(MarkdownPage, HasRowsForStages) {
  const auto stages = small_report({"half_open"}, {{.name = "stage1", .states = {"violated"}}});
  const auto page = markdown_page(no_stages, stages);
  EXPECT_THAT(page, HasSubstr("| **The stages of this repository** |"));
  EXPECT_THAT(page, HasSubstr("| [stage1](../stage1/README.md) |"));
  EXPECT_THAT(page, HasSubstr("0/1 [half_open](scenarios.md#half_open)"));
}

// The names in the row of docs/which-lock.md that begins with `what`.
std::set<std::string> names_in_row(const std::string& what) {
  std::ifstream page(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "which-lock.md");
  const auto begin = "| " + what + " | ";
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(begin)) continue;
    line.erase(0, begin.size());
    std::erase(line, ',');
    std::istringstream row(line);
    std::set<std::string> names(std::istream_iterator<std::string>(row), {});
    names.erase("|");
    return names;
  }
  return {};
}

// The locks whose facts `offers` is true of, and the variants of those of which it is not.
template <typename Offers>
std::set<std::string> names_that(const Offers& offers) {
  std::set<std::string> names;
  for (const auto& lock : all_locks()) {
    if (offers(lock.facts)) {
      names.insert("`" + lock.name + "`");
      continue;
    }
    for (const auto& [variant, each] : lock.variants) {
      if (offers(each.facts)) names.insert("`" + lock.name + "/" + variant + "`");
    }
  }
  return names;
}

TEST(WhichLock, NamesTheLocksThatOfferIt) {
  using faults::LockFacts;
  const std::map<std::string, std::string> words{{"fencing", "fencing"},
                                                 {"several servers", "quorum"},
                                                 {"re-entrancy", "reentrant"},
                                                 {"renewal", "renewal"}};
  for (const auto& [row, word] : words) {
    const auto offers = [&, capability = word](const LockFacts& facts) {
      return facts.promises(capability);
    };
    EXPECT_EQ(names_in_row(row), names_that(offers)) << row;
  }
  const auto tells = [](const LockFacts& facts) { return facts.loss == "told"; };
  EXPECT_EQ(names_in_row("notice of a loss"), names_that(tells));
}

// `lock` | `scenario`、`scenario` | of its table.
TEST(ChineseChapter, NamesWhatIsViolated) {
  const auto docs = std::filesystem::path(LAB_SOURCE_DIR) / "docs";
  std::map<std::string, std::set<std::string>> violated;
  for (const auto& view : lock_views(read_report_data(docs / "field-report.json"))) {
    for (const auto& cell : view.at("cells")) {
      if (is_violated(cell)) violated[view.at("name")].insert(cell.at("scenario"));
    }
  }
  std::ifstream chapter(docs / "zh" / "field-report.md");
  static const std::regex row(R"(\| `([^`]+)` \| ([^|]+) \|.*)");
  static const std::regex name("`([^`]+)`");
  std::smatch parts;
  int rows = 0;
  for (std::string line; std::getline(chapter, line);) {
    if (!std::regex_match(line, parts, row)) continue;
    ++rows;
    const std::string lock = parts[1];
    const std::string scenarios = parts[2];
    for (std::sregex_iterator each(scenarios.begin(), scenarios.end(), name), end; each != end;
         ++each) {
      EXPECT_EQ(violated[lock].count((*each)[1]), 1U) << lock << " holds in " << (*each)[1];
    }
  }
  EXPECT_GE(rows, 5);
}

TEST(HtmlPage, LoadsNothingFromElsewhere) {
  const auto page = html_page(no_stages, {});
  for (const auto* asks : {" src=", "@import", "url(h", "href=\"h", "fetch(\"", "import("}) {
    EXPECT_THAT(page, Not(HasSubstr(asks)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(HtmlPage, KeepsTextText) {
  const auto page = html_page(
      small_report({"half_open"}, {{.name = "</script><b>mine</b>", .states = {"held"}}}), {});
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cb>mine"));
  EXPECT_THAT(page, Not(HasSubstr("<b>mine")));
}

TEST(HtmlPage, HasTimelines) {
  const auto page =
      html_page(small_report({"half_open"}, {{.name = "mine", .states = {"violated"}}}), {});
  EXPECT_THAT(page, HasSubstr("   ms     A"));
}

TEST(HtmlPage, SpeaksChinese) {
  auto data = small_report({"half_open"}, {{.name = "mine", .states = {"violated"}}});
  data["rows"][0]["cells"][0]["sentence"] = "every property stood.";
  data["rows"][0]["cells"][0]["at"] =
      "At 1 of 2 boundaries; here: acquire, after SET was sent, before it was applied.";
  data["rows"][0]["cells"][0]["timeline"] = "    1  ──── A is frozen (SIGSTOP) ────\n";
  const auto page = html_page(data, terminal::Language::named("zh"));
  EXPECT_THAT(page, HasSubstr("别人的锁经受得住什么？"));
  EXPECT_THAT(page, HasSubstr("每条性质都成立。"));
  EXPECT_THAT(page, HasSubstr("2 个边界里有 1 个出问题；这里是：acquire：SET 已发出，还没执行。"));
  EXPECT_THAT(page, HasSubstr("──── A 被冻住（SIGSTOP） ────"));
  EXPECT_THAT(page, HasSubstr("it never looks (lock.py)."));
}

TEST(HtmlPage, GivesItsReasonsInChinese) {
  const auto docs = std::filesystem::path(LAB_SOURCE_DIR) / "docs";
  const auto data =
      in_language(read_report_data(docs / "field-report.json"), terminal::Language::named("zh"));
  EXPECT_EQ(terminal::english_in(data.at("made")), "") << data.at("made");
  for (const auto& row : data.at("rows")) {
    for (const auto& cell : row.at("cells")) {
      for (const auto* field : {"why", "left_out", "not_always", "at", "shortened", "sentence"}) {
        const std::string text = cell.value(field, "");
        if (text.find("Error: ") != std::string::npos) continue;  // what a library printed
        EXPECT_EQ(terminal::english_in(text), "") << field << ": " << text;
        EXPECT_NE(text, "held");
      }
    }
  }
}

TEST(PageWords, AreAllThereInChinese) {
  const auto is_ascii = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 128; });
  };
  const auto chinese = page_words_in(terminal::Language::named("zh"));
  for (const auto* part : {"title", "stages", "lock", "classes", "states", "about", "page"}) {
    const auto flat = json{{part, chinese.at(part)}}.flatten();
    for (const auto& [place, text] : flat.items()) {
      if (place.ends_with("/sign")) continue;
      EXPECT_FALSE(is_ascii(text)) << place << ": " << text << ": add it to words.zh.json";
    }
  }
}

}  // namespace
}  // namespace field
