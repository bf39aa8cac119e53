// Commands that have new names, for one version: CHANGELOG.md says what moved.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/terminal/language.h"

namespace app {

// Rewrites `words`, a command line whose command is number `at`, where it uses an old name:
// "locks …" is "field …", and "field NAME…" is "field run NAME…". Says the new form on standard
// error, in `language`.
void use_new_names(const CLI::App& lab, std::vector<std::string>& words, std::size_t at,
                   const terminal::Language& language);

}  // namespace app
