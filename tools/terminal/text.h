// Sentences for a person, in lines.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tools/terminal/console.h"

namespace terminal {

// The width for a text, in columns: that of the terminal, but no more than is easy to read.
[[nodiscard]] std::size_t width_of_text(std::optional<TerminalSize> terminal = terminal_size());

// Breaks `text` between words, or between Chinese characters, into lines of at most `width`
// columns, each after `indent`.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view indent = "",
                                  std::size_t width = width_of_text());

// The report of a run (faults/running/result_text.h), with its sentences in lines of at most
// `width` columns, which continue below what comes after "broken:    ". Its picture, between two
// empty lines, and commands that somebody may copy stay as they are.
[[nodiscard]] std::string wrapped_result(std::string_view result, std::size_t width);

// A program's help whose lines are at most `width` columns: what an option means is broken between
// words, and continues in its own column, `column_of_meaning`.
[[nodiscard]] std::string wrapped_help(std::string_view help, std::size_t column_of_meaning,
                                       std::size_t width = width_of_text());

// `text` with blanks after it, so that it takes at least `width` columns.
[[nodiscard]] std::string padded(std::string text, std::size_t width);

// "1 round", "2 rounds"; `more` is the plural where it is not made by an s.
[[nodiscard]] std::string counted(long number, std::string_view one, std::string_view more = {});

}  // namespace terminal
