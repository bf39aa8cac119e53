// The commands in the Markdown files: every line of a ```sh block runs, and ends as it says.
//
//   ./lab run 1 killed_holder    # exit 1: it must end with 1
//   ./lab diff 1 2               one that says nothing must end with 0 or 1
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include "faults/testing/called_program.h"
#include "tools/book/pages.h"

namespace book {
namespace {

using faults::Playground;
namespace fs = std::filesystem;

// A command in a ```sh block, and the exit codes that its line allows.
struct Command {
  std::string line;
  std::string where;
  std::set<int> codes;
};

// `line` without its comment, and with each stage by its number, so that equal commands have equal
// texts.
std::string plain(const std::string& line) {
  static const std::regex stage("(lab (run|diff) .*)stage([0-9]+)_[a-z_]+(?=[ /]|$)");
  auto words = line.substr(0, line.find(" #"));
  words.erase(words.find_last_not_of(' ') + 1);
  return std::regex_replace(words, stage, "$1$3");
}

// Commands that build, or run everything: other tests do nothing else.
bool is_left_out(const std::string& line) {
  static const std::set<std::string> everything{"./lab", "./lab test", "./lab table",
                                                "./lab record", "./lab run 4"};
  return everything.contains(plain(line)) || line.starts_with("cmake ") ||
         line.starts_with("ctest ") || line.starts_with("./lab bench") ||
         line.starts_with("./lab suite") || line.starts_with("./lab report") ||
         line.starts_with("./lab learn");
}

// The codes in "# exit 1"; without such a comment 0 and 1 are right.
std::set<int> codes_of(const std::string& line) {
  static const std::regex said("# exit ([0-9]+)");
  std::smatch match;
  if (std::regex_search(line, match, said)) return {std::stoi(match[1])};
  return {0, 1};
}

// Commands that run one after another: one, or a block whose commands depend on each other.
using Batch = std::vector<Command>;

// The commands of all pages, each once.
class Commands {
 public:
  void add(const Page& page, const Block& block) {
    Batch batch;
    for (const auto& line : block.lines) {
      if (line.empty() || is_left_out(line)) continue;
      batch.push_back({.line = line,
                       .where = fmt::format("{}:{}", page.name(), block.line),
                       .codes = codes_of(line)});
    }
    const auto keeps_a_run = [](const Command& command) {
      return command.line.find("runs/") != std::string::npos;
    };
    if (std::any_of(batch.begin(), batch.end(), keeps_a_run)) {
      std::vector<std::string> lines;  // those of a Chinese page have other comments
      std::transform(block.lines.begin(), block.lines.end(), std::back_inserter(lines), plain);
      const bool is_new = kept_.insert(lines).second;
      if (is_new) batches_.push_back(batch);  // what follows looks at it
    } else {
      for (const auto& command : batch) add(command);
    }
  }

  [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }

 private:
  void add(const Command& command) {
    const auto [known, is_new] = places_.try_emplace(plain(command.line), batches_.size());
    if (is_new) {
      batches_.push_back({command});
      return;
    }
    auto& other = batches_[known->second].front();
    if (command.codes.size() > other.codes.size()) return;  // the other says more
    EXPECT_TRUE(std::includes(other.codes.begin(), other.codes.end(), command.codes.begin(),
                              command.codes.end()))
        << command.where << " and " << other.where << " differ on " << command.line;
    other = command;
  }

  std::vector<Batch> batches_;
  std::set<std::vector<std::string>> kept_;    // the blocks that keep a run
  std::map<std::string, std::size_t> places_;  // in which batch a plain command stands
};

Commands all_commands() {
  Commands commands;
  for (const auto& page : all_pages()) {
    for (const auto& block : page.blocks) {
      if (block.language == "sh") commands.add(page, block);
    }
  }
  return commands;
}

// Makes a place that looks like the repository after a build; nothing in the real one is written.
void furnish(const Playground& house) {
  for (const auto& entry : fs::directory_iterator(LAB_SOURCE_DIR)) {
    const auto name = entry.path().filename().native();
    const bool is_made = name.starts_with("build") || name == "runs" || name == "learn";
    if (name.starts_with(".") || is_made || name == "lab") continue;
    fs::create_symlink(entry.path(), house.path(name));
  }
  fs::create_symlink(LAB_BINARY_DIR, house.path("build-lab"));
  house.write_script("lab", fmt::format(R"(
    case "$*" in
      *--runs*) exec '{0}' "$@" ;;
      *) exec '{0}' "$@" --runs '{1}' ;;
    esac)",
                                        LAB_PROGRAM, house.path("runs").native()));
}

void run_each(const Batch& batch, Playground& house, const fs::path& place) {
  for (const auto& command : batch) {
    const auto ended =
        house.call("/bin/sh", {"-c", "cd '" + place.native() + "' || exit 9; " + command.line},
                   {{"NO_COLOR", "1"}});
    EXPECT_TRUE(command.codes.contains(ended.code))
        << command.where << ": " << command.line << "\nended with " << ended.code << "\n"
        << ended.output << ended.errors;
  }
}

constexpr int shells_at_once = 8;

TEST(ShellBlocks, EndAsTheySay) {
  Playground place;
  furnish(place);
  const auto commands = all_commands();
  const auto& all = commands.batches();
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> shells;
  for (int i = 0; i < shells_at_once; ++i) {
    shells.emplace_back([&] {
      Playground own;
      for (auto batch = next++; batch < all.size(); batch = next++) {
        run_each(all[batch], own, place.path("."));
      }
    });
  }
}

}  // namespace
}  // namespace book
