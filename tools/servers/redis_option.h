// The option of a command line that chooses a server.
//
// Thread-safety: none; call it from one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace servers {

// Adds --redis to `line`. Once it is parsed, this program runs that server (`use`), whose name is
// in `chosen`.
void add_redis_option(CLI::App& line, std::string& chosen);

}  // namespace servers
