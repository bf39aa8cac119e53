// The learner's own files: learn/exercise3/ and so on, each a lock to work on.
//
// Nothing here touches anything outside of that folder.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/learning/workspace/exercise.h"

namespace learning {

class Workspace {
 public:
  // The workspace of `exercise` in the folder `learn`.
  Workspace(const Exercise& exercise, std::filesystem::path learn);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool exists() const;
  // Is this file of it there?
  [[nodiscard]] bool has(const std::string& file) const;
  // As a person types it from where he is.
  [[nodiscard]] std::string shown(const std::string& file = {}) const;

  // Puts those files of the exercise's start there that are missing. Throws CannotRun.
  void complete() const;
  // Moves one that exists out of the way, and puts all of the start there; says where the old files
  // went. Throws CannotRun.
  [[nodiscard]] std::filesystem::path make_anew() const;

  // The names of its files, and of those that it begins with, each once.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  const std::vector<std::pair<std::string, std::string>> start_;  // by name, the text
  const std::filesystem::path learn_;
  const std::filesystem::path path_;
};

}  // namespace learning
