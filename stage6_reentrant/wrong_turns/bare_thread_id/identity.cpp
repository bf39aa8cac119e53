#include "stage6_reentrant/identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "core/per_thread.h"
#include "core/token.h"

namespace stage6 {

const std::string& participant() {
  thread_local const std::string name = fmt::format("thread {}", core::this_thread_number());
  return name;
}

const std::string& host_and_process() {
  static const std::string name = [] {
    std::array<char, HOST_NAME_MAX + 1> host{};
    gethostname(host.data(), HOST_NAME_MAX);
    return fmt::format("{}, process {}", host.data(), getpid());
  }();
  return name;
}

}  // namespace stage6
