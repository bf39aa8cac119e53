// A new lock in field/, from a template.
//
// Thread-safety: none; call it from one thread.
#pragma once

#include <array>
#include <string>

namespace field {

// The languages of field/templates/.
inline constexpr std::array languages{"python", "node", "php", "go", "rust", "java", "cpp"};

// Copies the template of that language to field/`name`, with the name in it. Throws CannotRun if
// the name has other characters than letters, digits, - and _, or if it is taken.
void make_lock(const std::string& name, const std::string& language);

}  // namespace field
