#include "faults/explore/virtual_time/proc.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "faults/explore/shim/shim_command.h"
#include "faults/kit/descriptor.h"

namespace explore {
namespace {

// All of it, unless it is long.
std::string beginning_of(const std::filesystem::path& path) {
  const faults::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> bytes{};
  const auto size = read(file.get(), bytes.data(), bytes.size());
  return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

template <typename Visit>
void for_each_thread(pid_t process, Visit visit) {
  std::error_code gone;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), gone);
  for (; !gone && thread != end(thread); thread.increment(gone)) visit(thread->path());
}

}  // namespace

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

bool is_shim(pid_t process) {
  std::error_code none;
  const auto program = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process), none);
  return names_shim(program);
}

std::vector<Thread> threads_of(pid_t process) {
  std::vector<Thread> threads;
  for_each_thread(process, [&](const std::filesystem::path& directory) {
    const auto status = beginning_of(directory / "status");
    if (status.empty()) return;  // it has just ended
    const auto value_of = [&](std::string_view name) {
      const auto at = status.find(name);
      return at == std::string::npos ? "" : status.c_str() + at + name.size();
    };
    threads.push_back(
        {.id = std::stoi(directory.filename().native()),
         .state = *value_of("\nState:\t"),
         .switches = std::strtoull(value_of("\nvoluntary_ctxt_switches:"), nullptr, 10) +
                     std::strtoull(value_of("\nnonvoluntary_ctxt_switches:"), nullptr, 10)});
  });
  return threads;
}

bool is_dead(pid_t process) {
  const auto threads = threads_of(process);
  return std::all_of(threads.begin(), threads.end(),
                     [](const Thread& thread) { return thread.state == 'Z'; });
}

bool has_pending_signal(pid_t process) {
  constexpr std::string_view name = "\nShdPnd:\t";
  const auto status = beginning_of(fmt::format("/proc/{}/status", process));
  const auto at = status.find(name);
  return at != std::string::npos &&
         std::strtoull(status.c_str() + at + name.size(), nullptr, 16) != 0;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  for_each_thread(process, [&](const std::filesystem::path& directory) {
    std::ifstream file(directory / "children");
    for (pid_t child = 0; file >> child;) children.push_back(child);
  });
  return children;
}

// The twelfth number of each CPU's line.
std::size_t packets_under_way() {
  constexpr int count_column = 12;
  std::ifstream file("/proc/net/softnet_stat");
  std::size_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    std::size_t number = 0;
    int column = 0;
    while (column < count_column && numbers >> std::hex >> number) ++column;
    if (column == count_column) sum += number;
  }
  return sum;
}

}  // namespace explore
