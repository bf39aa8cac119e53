#include "tools/learning/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "faults/kit/replace_file.h"

namespace learning {

namespace fs = std::filesystem;
using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Attempt, state, checks, hints, asked_for_solution,
                                                scenario, sentence, part, solved, begun_at, minutes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Guess, lock, scenario, guessed, happened,
                                                guessed_at, happened_at)

namespace {

[[noreturn]] void cannot_write(const fs::path& directory) {
  throw faults::CannotRun(fmt::format("cannot write {}", (directory / "progress.json").native()));
}

// Keeps others from changing it until the descriptor is closed. The directory is what is locked:
// the file is replaced by another.
faults::Descriptor hold_alone(const fs::path& directory) {
  faults::Descriptor held(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (flock(held.get(), LOCK_EX) != 0) {
    if (errno != EINTR) cannot_write(directory);
  }
  return held;
}

// A green exercise was solved.
std::map<std::string, Attempt> attempts_in(const json& object) {
  auto attempts = object.value("exercises", std::map<std::string, Attempt>{});
  for (auto& [exercise, attempt] : attempts) {
    attempt.solved = attempt.solved || attempt.state == "green";
  }
  return attempts;
}

void write_progress(const fs::path& directory, const Progress& progress) {
  const json object{
      {"at", progress.at}, {"exercises", progress.attempts}, {"guesses", progress.guesses}};
  const auto text = object.dump(2) + '\n';
  if (!faults::replace_file(directory / "progress.json", text)) cannot_write(directory);
}

}  // namespace

void Attempt::solve() {
  solved = true;
  if (begun_at == 0) return;
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  minutes.push_back(std::max(1, static_cast<int>((now - begun_at + 30) / 60)));
  begun_at = 0;
}

int Attempt::median_minutes() const {
  if (minutes.empty()) return 0;
  auto sorted = minutes;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

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
            .attempts = attempts_in(object),
            .guesses = object.value("guesses", std::vector<Guess>{})};
  } catch (const json::exception& error) {
    throw faults::CannotRun(
        fmt::format("{} cannot be read ({}): mend it, or delete it to begin anew", file.native(),
                    error.what()));
  }
}

void change_progress(const fs::path& directory, const std::function<void(Progress&)>& change) {
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  const auto held = hold_alone(directory);
  auto progress = read_progress(directory);
  change(progress);
  write_progress(directory, progress);
}

}  // namespace learning
