#include "faults/explore/search/saved_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faults/kit/errors.h"
#include "faults/kit/replace_file.h"
#include "faults/kit/shell_word.h"
#include "faults/running/run_scenario.h"

namespace explore {
namespace {

using nlohmann::json;

void write_file(const std::filesystem::path& file, const std::string& text) {
  if (faults::replace_file(file, text)) return;
  throw faults::CannotWrite(fmt::format("cannot write {}: is the disk full?", file.native()));
}

std::string as_lines(const faults::Record& record) {
  std::string text;
  for (const auto& event : record) text += faults::to_json(event).dump() + "\n";
  return text;
}

}  // namespace

std::string again_with(const std::filesystem::path& schedule, const WorldPlan& world) {
  const auto command =
      world.redis.chosen_in(fmt::format("./lab replay {}", faults::shell_word(schedule.native())));
  if (!world.stage.directory.empty()) return command;
  std::vector<std::string> words;
  for (const auto& word : world.stage.command) words.push_back(faults::shell_word(word));
  const auto client = fmt::format("{}", fmt::join(words, " "));
  return command + fmt::format(" --client {}", faults::shell_word(client));
}

std::filesystem::path save(const SearchResult& result, const WorldPlan& world,
                           const std::filesystem::path& runs) {
  const auto& example = result.found.front();
  const auto directory = faults::make_run_directory(runs, world.stage.name + "-explore");
  const auto file = directory / "schedule";
  write_file(file, to_text(schedule_of(example.labels(), world),
                           fmt::format("{}: {}", faults::to_string(example.finding.property),
                                       example.finding.sentence)));
  std::filesystem::create_directory(directory / "1");
  write_file(directory / "1" / "history.jsonl", as_lines(example.run.record));
  const json chosen{{"stage", world.stage.name},
                    {"scenario", "explore"},
                    {"again", again_with(file, world)},
                    {"client", world.stage.command},
                    {"redis", world.redis.program.native()},
                    {"lease_ms", world.lease.count()}};
  write_file(directory / "run.json", chosen.dump(2) + "\n");
  return file;
}

}  // namespace explore
