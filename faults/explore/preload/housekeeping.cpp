#include "faults/explore/preload/housekeeping.h"

#include <dlfcn.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "faults/explore/preload/raw_syscall.h"

namespace explore {
namespace {

// As HotSpot names them, as far as the kernel keeps a name (15 letters): those that wait for a time
// by themselves. The last is a thread in Java of its own library (jdk.internal.ref.CleanerFactory).
constexpr std::array<std::string_view, 11> names{
    "VM Periodic Tas", "VM Thread",       "Monitor Deflati", "C1 CompilerThre",
    "C2 CompilerThre", "Sweeper thread",  "Service Thread",  "G1 Service",
    "G1 Main Marker",  "Notification Th", "Common-Cleaner"};

bool is_java() {
  return dlsym(RTLD_DEFAULT, "JNI_CreateJavaVM") != nullptr;
}

}  // namespace

bool keeps_house() {
  std::array<char, 16> name{};
  (void)raw_syscall(SYS_prctl, PR_GET_NAME, address_of(name.data()));
  // The names of the compilers' threads end in numbers.
  const bool has_name = std::any_of(names.begin(), names.end(), [&](std::string_view known) {
    return std::string_view(name.data()).starts_with(known);
  });
  return has_name && is_java();
}

}  // namespace explore
