// The command that starts a client program, as a person writes it.
//
// Thread-safety: as getenv(3).
#pragma once

#include <string>
#include <vector>

namespace field {

// The words of a command line; quotes keep words together. Throws CannotRun if one is never closed.
[[nodiscard]] std::vector<std::string> words_of(const std::string& line);

// The program of that name, or of that path, as a path. Throws CannotRun if there is none. A shim
// of a version manager (~/.pyenv/shims/python3) is a script that starts the program: then it is
// that, as `pyenv which python3` names it.
[[nodiscard]] std::string program_named(const std::string& name);

}  // namespace field
