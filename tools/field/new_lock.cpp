#include "tools/field/new_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "faults/kit/errors.h"
#include "tools/field/locks.h"

namespace field {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream input(file);
  return {std::istreambuf_iterator<char>(input), {}};
}

// A template's text with the lock's name in it.
std::string with_name(std::string text, const std::string& name) {
  constexpr std::string_view placeholder = "NAME";
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != text.npos; at += name.size()) {
    text.replace(at, placeholder.size(), name);
  }
  return text;
}

// The directory for a lock of that name, which was not there before.
fs::path make_directory(const std::string& name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
  if (!is_plain || name.empty()) {
    throw faults::CannotRun("a lock's name has letters, digits, - and _ only");
  }
  const auto directory = locks_directory() / name;
  if (fs::exists(directory)) {
    throw faults::CannotRun(fmt::format("{} is there already", directory.native()));
  }
  std::error_code error;
  fs::create_directory(directory, error);
  if (!error) return directory;
  throw faults::CannotRun(fmt::format("cannot make {}: {}", directory.native(), error.message()));
}

}  // namespace

void make_lock(const std::string& name, const std::string& language) {
  const auto directory = make_directory(name);
  for (const auto& entry : fs::directory_iterator(locks_directory() / "templates" / language)) {
    std::ofstream(directory / entry.path().filename()) << with_name(read(entry.path()), name);
  }
}

}  // namespace field
