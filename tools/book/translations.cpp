#include "tools/book/translations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <set>
#include <sstream>

#include "tools/book/pages.h"

namespace book {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "<!-- english:";
constexpr std::string_view end_of_mark = "-->\n";

// Where the mark is, or goes: at the start, or after the settings of slides.
std::size_t place_of_mark(const std::string& text) {
  constexpr std::string_view line = "---\n";
  if (!text.starts_with(line)) return 0;
  const auto end = text.find("\n---\n", line.size());
  return end == std::string::npos ? 0 : end + 1 + line.size();
}

// A heading with its prose; blocks, comments, the catalogue, which is made in both languages, and
// the links between the languages are left out.
struct Section {
  std::string heading;
  std::string prose;  // with one space between words
};

std::vector<Section> sections_of(const Page& page) {
  std::vector<Section> sections{{.heading = "the lines before the title", .prose = ""}};
  bool is_made = false;
  for (const auto& line : page.prose) {
    if (line.starts_with("<!--")) is_made = line == "<!-- catalogue -->";
    if (is_made || line.starts_with("<!--") || line.starts_with("[中文](")) continue;
    if (line.starts_with("#")) {
      sections.push_back({.heading = line.substr(line.find_first_not_of("# ")), .prose = ""});
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) sections.back().prose += word + ' ';
  }
  if (sections.front().prose.empty()) sections.erase(sections.begin());
  return sections;
}

// FNV-1a: names a text for comparison, and protects against nothing.
std::string number_of(const Section& section) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : section.prose) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  }
  return fmt::format("{:08x}", hash);
}

std::set<std::string> compared_with(const std::string& chinese) {
  const auto from = place_of_mark(chinese);
  if (chinese.compare(from, mark.size(), mark) != 0) return {};
  const auto to = chinese.find("-->", from);
  std::istringstream words(chinese.substr(from + mark.size(), to - from - mark.size()));
  std::set<std::string> numbers;
  for (std::string word; words >> word;) numbers.insert(word);
  return numbers;
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

std::string prose_of(const Page& page) {
  std::string prose;
  for (const auto& line : page.prose) prose += line + ' ';
  return prose;
}

std::set<std::string> commands_in(const std::string& prose) {
  static const std::regex command("`(\\./lab[^`]*)`");
  return matches(prose, command);
}

std::set<std::string> outside_links_in(const std::string& prose) {
  static const std::regex link(R"(\]\((https?://[^)\s]+)\))");
  return matches(prose, link);
}

// The rows of each table, the heading's two among them.
std::vector<std::size_t> tables_in(const Page& page) {
  std::vector<std::size_t> tables;
  bool in_table = false;
  for (const auto& line : page.prose) {
    const bool is_row = line.starts_with("|");
    if (is_row && !in_table) tables.push_back(0);
    if (is_row) ++tables.back();
    in_table = is_row;
  }
  return tables;
}

// A line of a shell block, of its comment only the exit code.
std::string command_in(const std::string& line) {
  static const std::regex comment(" +#( exit [0-9]+)?.*");
  return std::regex_replace(line, comment, "$1");
}

// A drawing may have Chinese words, and a command a Chinese comment; timelines are compared with
// their recorded histories.
bool are_alike(const Block& english, const Block& chinese) {
  const bool is_drawing = english.language == "text" && chinese.language == "text";
  if (is_drawing) return english.lines.size() == chinese.lines.size();
  const auto is_alike = [&](const std::string& one, const std::string& other) {
    return english.language == "sh" ? command_in(one) == command_in(other) : one == other;
  };
  return english.language == chinese.language &&
         std::equal(english.lines.begin(), english.lines.end(), chinese.lines.begin(),
                    chinese.lines.end(), is_alike);
}

void say_where_blocks_differ(const std::vector<Block>& english, const std::vector<Block>& chinese,
                             std::vector<std::string>& said) {
  if (english.size() != chinese.size()) {
    said.push_back(
        fmt::format("{} blocks in English, {} in Chinese", english.size(), chinese.size()));
    return;
  }
  for (std::size_t i = 0; i < english.size(); ++i) {
    if (are_alike(english[i], chinese[i])) continue;
    said.push_back(fmt::format("the block at line {} is not the English one at line {}",
                               chinese[i].line, english[i].line));
  }
}

void say_what_is_in_one_only(const std::set<std::string>& english,
                             const std::set<std::string>& chinese, std::string_view what,
                             std::vector<std::string>& said) {
  for (const auto& one : english) {
    if (!chinese.contains(one)) said.push_back(fmt::format("{} {} is missing", what, one));
  }
  for (const auto& one : chinese) {
    if (!english.contains(one)) said.push_back(fmt::format("{} {} is not in English", what, one));
  }
}

}  // namespace

std::vector<Translation> translations() {
  const fs::path root = LAB_SOURCE_DIR;
  std::vector<Translation> all;
  const auto beside = [&](const fs::path& directory, const std::string& page = "README") {
    all.push_back(
        {.english = directory / (page + ".md"), .chinese = directory / (page + ".zh.md")});
  };
  beside(root);
  for (const auto* stage :
       {"stage1_setnx", "stage2_expire", "stage3_set_nx_px", "stage4_lua_release",
        "stage5_watchdog", "stage6_reentrant", "stage7_redlock", "stage8_fencing"}) {
    beside(root / stage);
  }
  for (const auto* page : {"README", "5-renewal", "6-re-entry", "7-majority", "8-fencing"}) {
    beside(root / "tools" / "learning" / "challenges", page);
  }
  const auto in_book = [&](const std::string& chapter) {
    all.push_back({.english = root / "docs" / chapter, .chinese = root / "docs" / "zh" / chapter});
  };
  for (const auto* chapter :
       {"README.md", "do-you-need-a-lock.md", "what-a-lock-promises.md", "how-long-a-lease.md",
        "lock-and-unlock.md", "re-entrancy.md", "waiting.md", "fail-over.md", "redlock.md",
        "fencing.md", "before-us.md", "which-lock.md", "beside-our-stages.md", "reading-a-run.md",
        "in-production.md", "questions.md", "by-error-message.md"}) {
    in_book(chapter);
  }
  for (const auto* chapter : {"trainers-guide.md", "handout.md", "slides.md", "cards.md",
                              "break-it.md", "scenarios.md", "findings.md"}) {
    in_book(chapter);
  }
  all.push_back({.english = root / "docs" / "searching.md",
                 .chinese = root / "docs" / "zh" / "searching.md",
                 .in_short = true});
  return all;
}

std::vector<std::string> differences(const Page& english, const Page& chinese) {
  std::vector<std::string> said;
  say_where_blocks_differ(english.blocks, chinese.blocks, said);
  const auto tables = tables_in(english);
  const auto others = tables_in(chinese);
  if (tables != others) {
    said.push_back(fmt::format("the rows of the tables: {} in English, {} in Chinese",
                               fmt::join(tables, ", "), fmt::join(others, ", ")));
  }
  const auto prose = prose_of(english);
  const auto other = prose_of(chinese);
  say_what_is_in_one_only(commands_in(prose), commands_in(other), "the command", said);
  say_what_is_in_one_only(outside_links_in(prose), outside_links_in(other), "the link", said);
  return said;
}

std::vector<std::string> changed_sections(const Page& english, const std::string& chinese) {
  const auto known = compared_with(chinese);
  const auto sections = sections_of(english);
  std::vector<std::string> changed;
  for (const auto& section : sections) {
    if (!known.contains(number_of(section))) changed.push_back(section.heading);
  }
  if (changed.empty() && known.size() > sections.size()) changed.emplace_back("a section is gone");
  return changed;
}

std::string marked_as_compared(const Page& english, const std::string& chinese) {
  auto text = chinese;
  const auto from = place_of_mark(text);
  if (text.compare(from, mark.size(), mark) == 0) {
    text.erase(from, text.find(end_of_mark, from) + end_of_mark.size() - from);
  }
  std::string numbers;
  for (const auto& section : sections_of(english)) numbers += ' ' + number_of(section);
  return text.insert(from, fmt::format("{}{} {}", mark, numbers, end_of_mark));
}

}  // namespace book
