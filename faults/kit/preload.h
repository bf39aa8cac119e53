// Makes a process load a library of ours before its program's.
//
// Thread-safety: reads this program's environment.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace faults {

// The variable of a process that lives in virtual time (faults/explore/preload/shared_page.h).
inline constexpr std::string_view virtual_time_variable = "LAB_VIRTUAL_TIME";

// The variables that it needs for that. The library comes after those that are preloaded already.
[[nodiscard]] std::map<std::string, std::string> preload(const std::filesystem::path& library);

}  // namespace faults
