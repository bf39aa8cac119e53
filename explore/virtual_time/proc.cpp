#include "explore/virtual_time/proc.h"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace explore {

std::string name_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  return name.empty() ? fmt::format("process {}", process) : name;
}

// The auxiliary vector says where the dynamic linker is (getauxval(3)).
bool is_static(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/auxv", process), std::ios::binary);
  std::array<unsigned long, 2> entry{};
  while (file.read(reinterpret_cast<char*>(entry.data()), sizeof entry)) {
    if (entry[0] == AT_BASE) return entry[1] == 0;
  }
  return false;
}

bool has_threads_of_its_own(const ProcessEntry& process) {
  std::error_code gone;
  const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", process.id.load()),
                                                    gone);
  const auto all = std::distance(begin(threads), end(threads));
  auto known = static_cast<std::ptrdiff_t>(process.running.load());
  for (const auto& thread : process.threads) known += thread.state.load() == waiting ? 1 : 0;
  return !gone && all > known;
}

// The twelfth number of each CPU's line.
std::size_t packets_under_way() {
  constexpr int place_of_count = 12;
  std::ifstream file("/proc/net/softnet_stat");
  std::size_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    std::size_t number = 0;
    int place = 0;
    while (place < place_of_count && numbers >> std::hex >> number) ++place;
    if (place == place_of_count) sum += number;
  }
  return sum;
}

}  // namespace explore
