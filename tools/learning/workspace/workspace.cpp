#include "tools/learning/workspace/workspace.h"

#include <fmt/format.h>

#include <set>

#include "faults/kit/errors.h"
#include "tools/book/documents.h"
#include "tools/terminal/console.h"

namespace learning {

namespace fs = std::filesystem;

Workspace::Workspace(const Exercise& exercise, fs::path learn)
    : start_(exercise.start()), learn_(std::move(learn)), path_(learn_ / exercise.lock_name()) {}

bool Workspace::exists() const {
  return fs::exists(path_);
}

bool Workspace::has(const std::string& file) const {
  return fs::exists(path_ / file);
}

std::string Workspace::shown(const std::string& file) const {
  return terminal::as_seen_from_here(file.empty() ? path_ : path_ / file).native();
}

void Workspace::complete() const {
  try {
    fs::create_directories(path_);
    for (const auto& [name, text] : start_) {
      if (!fs::exists(path_ / name)) book::write_file(path_ / name, text);
    }
  } catch (const fs::filesystem_error& error) {
    throw faults::CannotRun(
        fmt::format("cannot put the exercise into {}: {}", path_.native(), error.code().message()));
  }
}

fs::path Workspace::make_anew() const {
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

std::vector<std::string> Workspace::files() const {
  std::set<std::string> names;
  for (const auto& [name, text] : start_) names.insert(name);
  for (const auto& entry : fs::directory_iterator(path_)) {
    const auto kind = entry.path().extension();
    if (kind == ".h" || kind == ".cpp" || kind == ".lua" || kind == ".py") {
      names.insert(entry.path().filename().native());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace learning
