#include "faults/kit/rest_detector.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace faults {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Neither ready to run nor at the disk. The state follows the name, which may contain anything.
bool waits(const fs::path& thread) {
  const auto stat = read(thread / "stat");
  const auto name_end = stat.rfind(')');
  return name_end == std::string::npos || stat[name_end + 2] == 'S' || stat[name_end + 2] == 'Z';
}

}  // namespace

RestDetector::RestDetector(pid_t process) : threads_(fmt::format("/proc/{}/task", process)) {}

bool RestDetector::look() {
  std::map<fs::path, std::string> now;
  bool all_wait = true;
  std::error_code gone;
  for (const auto& thread : fs::directory_iterator(threads_, gone)) {
    all_wait = all_wait && waits(thread.path());
    now.emplace(thread.path(), read(thread.path() / "schedstat"));
  }
  const bool has_not_run = now == before_;
  before_ = std::move(now);
  return all_wait && has_not_run;
}

}  // namespace faults
