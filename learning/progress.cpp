#include "learning/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/errors.h"

namespace learning {

namespace fs = std::filesystem;
using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Attempt, state, checks, hints, asked_for_solution,
                                                scenario, sentence)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Guess, lock, scenario, guessed, happened,
                                                guessed_at, happened_at)

bool Guess::was_right() const {
  const bool place_too =
      guessed_at.empty() || happened_at.empty() ||
      std::find(happened_at.begin(), happened_at.end(), guessed_at) != happened_at.end();
  return guessed == happened && place_too;
}

std::string Guess::said() const {
  return guessed_at.empty() ? guessed : guessed + ", " + guessed_at;
}

std::string Guess::came() const {
  if (happened_at.empty()) return happened;
  return fmt::format("{}, {}", happened, fmt::join(happened_at, " and "));
}

Progress read_progress(const fs::path& directory) {
  const auto file = directory / "progress.json";
  std::ifstream input(file);
  if (!input) return {};
  try {
    const auto object = json::parse(input);
    return {.at = object.value("at", std::string{}),
            .attempts = object.value("exercises", std::map<std::string, Attempt>{}),
            .guesses = object.value("guesses", std::vector<Guess>{})};
  } catch (const json::exception& error) {
    throw faults::CannotRun(
        fmt::format("{} cannot be read ({}): mend it, or delete it to begin anew", file.native(),
                    error.what()));
  }
}

void write_progress(const fs::path& directory, const Progress& progress) {
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  const auto file = directory / "progress.json";
  // Into another file first: who is interrupted keeps what there was.
  const auto next = directory / ".progress.json.new";
  const json object{
      {"at", progress.at}, {"exercises", progress.attempts}, {"guesses", progress.guesses}};
  std::error_code error;
  {
    std::ofstream output(next);
    output << object.dump(2) << std::endl;
    if (!output) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(next, file, error);
  if (error) throw faults::CannotRun(fmt::format("cannot write {}", file.native()));
}

}  // namespace learning
