#include "tools/learning/workspace/script_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/temp_dir.h"
#include "tools/book/documents.h"

namespace learning {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scripts_in(const fs::path& directory) {
  std::vector<fs::path> scripts;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".lua") scripts.push_back(entry.path());
  }
  std::sort(scripts.begin(), scripts.end());
  return scripts;
}

std::string line_of(const std::string& text, int number) {
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < number; ++i) std::getline(lines, line);
  return line;
}

}  // namespace

Built script_error(const std::string& name, const std::string& text, const std::string& said) {
  // "ERR Error compiling script (new function): user_script:5: 'then' expected near 'return'"
  static const std::regex place("user_script:([0-9]+): (.*)");
  std::smatch match;
  if (!std::regex_search(said, match, place)) return {.error = name + ": error: " + said};
  const int line = std::stoi(match[1]);
  return {.error = fmt::format("{}:{}: error: {} (so says Redis)", name, line, match[2].str()),
          .excerpt = fmt::format("{:>5} | {}\n", line, line_of(text, line))};
}

std::optional<Built> first_error_in_scripts(const fs::path& workspace,
                                            const faults::RedisBinary& redis,
                                            faults::Reaper& reaper) {
  const auto scripts = scripts_in(workspace);
  if (scripts.empty()) return std::nullopt;
  const faults::TempDir directory(reaper);
  faults::History history(directory.path() / "history.jsonl");
  faults::Loop loop;
  faults::RedisServer server(redis, loop, history, reaper, "redis", directory.path() / "redis.log");
  for (const auto& script : scripts) {
    const auto text = book::read_file(script);
    try {
      // https://redis.io/docs/latest/commands/script-load/
      (void)server.direct().command({"SCRIPT", "LOAD", text});
    } catch (const core::ErrorReply& error) {
      auto built = script_error(script.filename().native(), text, error.what());
      built.log = workspace / "build.log";
      std::ofstream(built.log) << script.filename().native() << ": " << error.what() << '\n';
      return built;
    }
  }
  return std::nullopt;
}

}  // namespace learning
