#include "learning/copies/working_copy.h"

#include <fmt/format.h>

#include <set>

#include "faults/kit/errors.h"
#include "terminal/console.h"

namespace learning {

namespace fs = std::filesystem;

WorkingCopy::WorkingCopy(const Exercise& exercise, fs::path learn)
    : start_(exercise.start()),
      solution_(exercise.solution()),
      learn_(std::move(learn)),
      path_(learn_ / exercise.lock_name()) {}

bool WorkingCopy::exists() const {
  return fs::exists(path_);
}

bool WorkingCopy::has(const std::string& file) const {
  return fs::exists(path_ / file);
}

std::string WorkingCopy::shown(const std::string& file) const {
  return terminal::as_seen_from_here(file.empty() ? path_ : path_ / file).native();
}

void WorkingCopy::complete() const {
  try {
    fs::create_directories(path_);
    for (const auto& entry : fs::directory_iterator(start_)) {
      fs::copy_file(entry.path(), path_ / entry.path().filename(), fs::copy_options::skip_existing);
    }
  } catch (const fs::filesystem_error& error) {
    throw faults::CannotRun(
        fmt::format("cannot put the exercise into {}: {}", path_.native(), error.code().message()));
  }
}

fs::path WorkingCopy::make_anew() const {
  fs::path kept;
  for (int i = 1; kept.empty() || fs::exists(kept); ++i) {
    kept = learn_ / fmt::format("old/{}-{}", path_.filename().native(), i);
  }
  std::error_code error;
  fs::create_directories(kept.parent_path(), error);
  fs::rename(path_, kept, error);
  if (error) {
    throw faults::CannotRun(
        fmt::format("cannot move {} out of the way: {}", path_.native(), error.message()));
  }
  complete();
  return kept;
}

std::vector<std::string> WorkingCopy::files() const {
  std::set<std::string> names;
  for (const auto& directory : {path_, solution_}) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      const auto kind = entry.path().extension();
      if (kind == ".h" || kind == ".cpp" || kind == ".lua") {
        names.insert(entry.path().filename().native());
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace learning
