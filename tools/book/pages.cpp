#include "tools/book/pages.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "tools/book/documents.h"

namespace book {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view fence = "```";

// `line` without the code between backquotes.
std::string without_code(const std::string& line) {
  static const std::regex code("`[^`]*`");
  return std::regex_replace(line, code, "");
}

// The targets of the links in `prose`, which may be broken over lines between [ and ].
std::vector<std::string> links_in(const std::vector<std::string>& prose) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::string text;
  for (const auto& line : prose) text += without_code(line) + '\n';
  std::vector<std::string> links;
  for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
    links.push_back((*found)[1]);
  }
  return links;
}

// `heading` without the Chinese and the typographic signs: each is three bytes of UTF-8.
std::string without_punctuation(std::string heading) {
  for (const std::string_view block : {"\xE2\x80", "\xE3\x80", "\xEF\xBC"}) {
    for (auto at = heading.find(block); at != std::string::npos; at = heading.find(block)) {
      heading.erase(at, 3);
    }
  }
  return heading;
}

// True for directories that are not ours, or come from running: also the notes of a learner.
bool is_made(const fs::path& directory) {
  const auto name = directory.filename().native();
  return name.starts_with(".") || name.starts_with("build") || name == "runs" || name == "learn" ||
         name == "node_modules";
}

}  // namespace

std::string anchor_of(const std::string& heading) {
  std::string anchor;
  const auto rest = without_punctuation(heading);
  for (const char letter : rest) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ') anchor += '-';
    const bool stays = letter == '-' || letter == '_' || byte > 127 || std::isalnum(byte) != 0;
    if (stays) anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

std::string Page::name() const {
  return fs::relative(path, LAB_SOURCE_DIR).native();
}

Page read_page(const fs::path& path) {
  return page_of(path, read_file(path));
}

Page page_of(const fs::path& path, const std::string& text) {
  Page page{.path = path, .blocks = {}, .links = {}, .anchors = {}, .prose = {}};
  std::istringstream lines(text);
  std::string line;
  bool in_block = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const auto indent = std::min(line.find_first_not_of(' '), line.size());
    if (line.compare(indent, fence.size(), fence) == 0) {
      in_block = !in_block;
      if (in_block) {
        page.blocks.push_back(
            {.language = line.substr(indent + fence.size()), .lines = {}, .line = number});
      }
    } else if (in_block) {
      page.blocks.back().lines.push_back(line);
    } else {
      if (line.starts_with("#")) {
        page.anchors.insert(anchor_of(line.substr(line.find_first_not_of("# "))));
      }
      page.prose.push_back(line);
    }
  }
  page.links = links_in(page.prose);
  return page;
}

std::vector<Page> all_pages(const fs::path& root) {
  std::vector<fs::path> paths;
  fs::recursive_directory_iterator entries(root);
  for (const auto& entry : entries) {
    if (entry.is_directory() && is_made(entry.path())) entries.disable_recursion_pending();
    if (entry.is_regular_file() && entry.path().extension() == ".md") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Page> pages;
  std::transform(paths.begin(), paths.end(), std::back_inserter(pages), read_page);
  return pages;
}

}  // namespace book
