// The help of a program's commands, in the reader's language.
//
// The English texts of the command line are the keys of texts.zh.json. Names of commands and
// options, and the commands of examples, stay as they are.
//
// Thread-safety: none; one thread.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/terminal/language.h"

namespace terminal {

// Translates what `app` and its commands say in their help. Of no effect in English.
void translate_help(CLI::App& app, const Language& language);

}  // namespace terminal
