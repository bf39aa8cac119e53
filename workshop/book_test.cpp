// What the Markdown files say is so: their links lead somewhere, their commands run and end as they
// say, their C++ is compiled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include "faults/run.h"
#include "workshop/child.h"
#include "workshop/documents.h"
#include "workshop/markdown.h"
#include "workshop/stages.h"

namespace faults {
Scenario frozen_reader();  // in docs/example_scenario.cpp
}

namespace workshop {
namespace {

namespace fs = std::filesystem;

std::string name_of(const Page& page) {
  return fs::relative(page.path, LAB_SOURCE_DIR).native();
}

TEST(Links, LeadSomewhere) {
  for (const auto& page : all_pages()) {
    for (const auto& link : page.links) {
      if (link.find("://") != std::string::npos) continue;
      const auto hash = std::min(link.find('#'), link.size());
      const auto target =
          hash == 0 ? page.path : page.path.parent_path() / fs::path(link.substr(0, hash));
      EXPECT_TRUE(fs::exists(target)) << name_of(page) << " has a link to " << link;
      if (hash == link.size() || target.extension() != ".md" || !fs::exists(target)) continue;
      EXPECT_THAT(read_page(target).anchors, testing::Contains(link.substr(hash + 1)))
          << name_of(page) << " has a link to " << link;
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

TEST(ExampleScenario, BreaksALockThatCannotTellAndNoOtherWithALease) {
  faults::Reaper reaper;
  const faults::TempDir runs(reaper);
  const faults::RunPlan plan{.redis = faults::find_redis(), .runs = runs.path()};
  const auto stages = all_stages();
  std::vector<std::jthread> tellers;
  for (const auto& stage : stages) {
    tellers.emplace_back([&] {
      const bool has_a_lease = stage.declared.at("killed_holder").broken.empty();
      const bool tells = stage.declared.at("cut_off_holder").broken.empty();
      EXPECT_EQ(faults::run(stage, faults::frozen_reader(), plan, reaper).verdict(),
                has_a_lease && !tells ? faults::Verdict::violated : faults::Verdict::holds)
          << stage.name;
    });
  }
}

// A command in a ```sh block, and what its line says of its exit code.
struct Command {
  std::string line;
  std::string where;
  std::set<int> codes;
};

// `line` without what it says of itself, and with each stage by its number: what is the same
// command is the same text.
std::string plain(const std::string& line) {
  static const std::regex stage("(lab (run|diff) .*)stage([0-9]+)_[a-z_]+(?=[ /]|$)");
  auto words = line.substr(0, line.find(" #"));
  words.erase(words.find_last_not_of(' ') + 1);
  return std::regex_replace(words, stage, "$1$3");
}

// They build, or run everything there is: the tests do nothing else.
bool is_left_out(const std::string& line) {
  static const std::set<std::string> everything{"./lab", "./lab test", "./lab table",
                                                "./lab record", "./lab run 4"};
  return everything.contains(plain(line)) || line.starts_with("cmake ") ||
         line.starts_with("ctest ") || line.starts_with("./lab bench");
}

// A line says "# exit 1" with what follows; one that says nothing has run if it ends with 0 or 1.
std::set<int> codes_of(const std::string& line) {
  static const std::regex said("# exit ([0-9]+)");
  std::smatch match;
  if (std::regex_search(line, match, said)) return {std::stoi(match[1])};
  return {0, 1};
}

using Batch = std::vector<Command>;

// The commands of all pages, each once. What stands in one block may depend on what stands before
// it, if it keeps its runs.
std::vector<Batch> batches() {
  std::vector<Batch> all;
  std::map<std::string, std::size_t> seen;  // which batch, of one command, has it
  for (const auto& page : all_pages()) {
    for (const auto& block : page.blocks) {
      if (block.language != "sh") continue;
      const auto keeps = [](const auto& line) { return line.find("runs/") != std::string::npos; };
      const bool depends = std::any_of(block.lines.begin(), block.lines.end(), keeps);
      Batch batch;
      for (const auto& line : block.lines) {
        if (line.empty() || is_left_out(line)) continue;
        const Command command{.line = line,
                              .where = fmt::format("{}:{}", name_of(page), block.line),
                              .codes = codes_of(line)};
        if (depends) {
          batch.push_back(command);
        } else if (const auto [place, is_new] = seen.try_emplace(plain(line), all.size()); is_new) {
          all.push_back({command});
        } else if (command.codes.size() == 1) {  // it says more than another page, or the same
          auto& known = all[place->second].front();
          EXPECT_TRUE(known.codes.contains(*command.codes.begin()))
              << command.where << ": " << line;
          known = command;
        }
      }
      if (depends) all.push_back(batch);
    }
  }
  return all;
}

// A place that looks like the repository after `./lab` has built: nothing in it is written to.
void furnish(const Playground& house) {
  for (const auto& entry : fs::directory_iterator(LAB_SOURCE_DIR)) {
    const auto name = entry.path().filename().native();
    if (name.starts_with(".") || name.starts_with("build") || name == "runs" || name == "lab") {
      continue;
    }
    fs::create_symlink(entry.path(), house.path(name));
  }
  fs::create_symlink(LAB_BINARY_DIR, house.path("build"));
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
  const auto all = batches();
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
}  // namespace workshop
