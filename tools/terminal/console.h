// The program on a terminal: colour only there, progress after a second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "faults/judging/timeline.h"
#include "tools/terminal/language.h"

namespace terminal {

// Colours on a terminal, unless NO_COLOR is set (https://no-color.org) or `wanted` is false.
[[nodiscard]] faults::Paint paint_for_output(bool wanted);

[[nodiscard]] bool output_is_terminal();

struct TerminalSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
};
// The size of the terminal on standard output; nothing if there is none, or it is unknown.
[[nodiscard]] std::optional<TerminalSize> terminal_size();

// `path` relative to the working directory, if it is below: shorter to read and to type.
[[nodiscard]] std::filesystem::path as_seen_from_here(const std::filesystem::path& path);

// Does TERM say that there is no more to it than text?
[[nodiscard]] bool terminal_is_dumb();

// True if standard error is a terminal whose lines can be rewritten: one that is not dumb.
[[nodiscard]] bool can_rewrite_lines();

// Flushes standard output. False: its reader has gone, as `head` does. Throws CannotWrite if this
// or an earlier write to it failed in another way.
[[nodiscard]] bool flush_output();

// While it lives, says on standard error what is going on, from the first second on: a line that is
// rewritten on a terminal, elsewhere a line now and then. Thread-safety: `change` and `say` may
// be called anywhere.
class Progress {
 public:
  // When ten seconds go by without a change it says once, on a line of its own, why it may take
  // long, if that is not empty.
  explicit Progress(std::string what, std::string why_it_may_take_long = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void change(std::string what);
  // Says that on a line of its own, once, however often it is to be said.
  void say(const std::string& sentence);

 private:
  void show(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string what_;            // guarded by mutex_
  bool changed_ = false;        // guarded by mutex_
  std::set<std::string> said_;  // guarded by mutex_
  const std::string why_it_may_take_long_;
  std::jthread thread_;
};

// Thrown where a person has said that it is enough.
struct Leave {};

// On a terminal: waits for Enter, and throws Leave for "q". Elsewhere: returns at once.
void wait_for_enter(const Language& language);

}  // namespace terminal
