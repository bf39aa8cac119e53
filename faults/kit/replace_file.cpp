#include "faults/kit/replace_file.h"

#include <fstream>
#include <system_error>

namespace faults {

bool replace_file(const std::filesystem::path& file, std::string_view text) {
  auto beside = file;
  beside += ".new";
  std::ofstream output(beside);
  output << text << std::flush;
  std::error_code failed;
  if (output) std::filesystem::rename(beside, file, failed);
  if (output && !failed) return true;
  std::filesystem::remove(beside, failed);
  return false;
}

}  // namespace faults
