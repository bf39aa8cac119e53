#include "faults/kit/preload.h"

#include <fmt/format.h>

#include <cstdlib>

namespace faults {
namespace {

// The list in that variable, with one more at its end.
std::string with(const char* variable, const std::string& another) {
  const char* others = std::getenv(variable);
  const bool alone = others == nullptr || *others == '\0';
  return alone ? another : fmt::format("{}:{}", others, another);
}

}  // namespace

// LD_PRELOAD is taken apart at spaces, which a path may have; the directories of LD_LIBRARY_PATH
// are not (ld.so(8)).
std::map<std::string, std::string> preload(const std::filesystem::path& library) {
  return {{"LD_PRELOAD", with("LD_PRELOAD", library.filename().native())},
          {"LD_LIBRARY_PATH", with("LD_LIBRARY_PATH", library.parent_path().native())}};
}

}  // namespace faults
