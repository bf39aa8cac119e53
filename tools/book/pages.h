// The repository's Markdown files, with the parts that tests check: code blocks, links, headings.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace book {

// A fenced block.
struct Block {
  std::string language;            // after the fence; empty if there is none
  std::vector<std::string> lines;  // without the spaces before the fence
  std::size_t line = 0;            // where the fence stands, from 1
};

struct Page {
  std::filesystem::path path;
  std::vector<Block> blocks;
  std::vector<std::string> links;  // the targets in ](…), outside of code
  std::set<std::string> anchors;   // the headings, as a link names them
  std::vector<std::string> prose;  // the lines outside of blocks

  // For people: the path below the repository's directory.
  [[nodiscard]] std::string name() const;
};

// Every *.md below the repository's directory, except in build, runs and learn directories. Throws
// CannotRun.
[[nodiscard]] std::vector<Page> all_pages(const std::filesystem::path& root = LAB_SOURCE_DIR);

[[nodiscard]] Page read_page(const std::filesystem::path& path);
[[nodiscard]] Page page_of(const std::filesystem::path& path, const std::string& text);

// The name of a heading in a link: "What it does not do" is "what-it-does-not-do", "锁，安全吗？"
// is "锁安全吗".
[[nodiscard]] std::string anchor_of(const std::string& heading);

}  // namespace book
