#include "tools/bench/measure/line_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/bench/measure/wrong_result.h"

namespace bench {

LineProcess::LineProcess(const Kit& kit, const faults::Command& command)
    : process_(command, kit.reaper) {}

LineProcess::LineProcess(const Kit& kit, const std::string& program, const std::string& orders,
                         const std::filesystem::path& log)
    : LineProcess(kit,
                  {.program = program, .arguments = {"worker"}, .environment = {}, .log = log}) {
  write_line(orders);
  if (const auto line = read_line(); line != "ready") throw WrongResult(error_in(line));
}

void LineProcess::write_line(const std::string& text) {
  const auto line = text + "\n";
  if (write(process_.input().get(), line.data(), line.size()) < 0) {
    throw WrongResult("a client of the benchmark is gone");
  }
}

// A line may arrive in many pieces.
std::string LineProcess::read_line() {
  std::array<char, 65'536> bytes{};
  while (unread_.find('\n') == std::string::npos) {
    const auto count = read(process_.output().get(), bytes.data(), bytes.size());
    if (count <= 0) break;
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const auto end = std::min(unread_.find('\n'), unread_.size());
  auto line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

// Fields 14 and 15, after the name in brackets:
// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
std::chrono::duration<double> LineProcess::cpu_time() const {
  std::ifstream file(fmt::format("/proc/{}/stat", process_.id()));
  file.ignore(10'000, ')');
  std::string skipped;
  for (int field = 3; field < 14; ++field) file >> skipped;
  double in_user = 0;
  double in_kernel = 0;
  file >> in_user >> in_kernel;
  return std::chrono::duration<double>((in_user + in_kernel) /
                                       static_cast<double>(sysconf(_SC_CLK_TCK)));
}

std::string error_in(const std::string& line) {
  const auto object = nlohmann::json::parse(line, nullptr, false);
  return object.is_object() ? object.value("error", line)
                            : "a client of the benchmark ended before its time";
}

}  // namespace bench
