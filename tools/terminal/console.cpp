#include "tools/terminal/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "faults/kit/errors.h"
#include "tools/terminal/raw_keyboard.h"

namespace terminal {
namespace {

// Writes it over the progress line, if there is one.
void write_line(const std::string& sentence) {
  const std::string_view anew = can_rewrite_lines() ? "\r\x1b[K" : "";
  std::cerr << fmt::format("{}… {}\n", anew, sentence) << std::flush;
}

// True if the reader of our output is gone, as in `./lab run 4 | head`: that is no error.
bool reader_has_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

}  // namespace

bool output_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool terminal_is_dumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) == "dumb";
}

bool can_rewrite_lines() {
  return isatty(STDERR_FILENO) == 1 && !terminal_is_dumb();
}

std::optional<TerminalSize> terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return TerminalSize{.rows = size.ws_row, .columns = size.ws_col};
}

std::filesystem::path as_seen_from_here(const std::filesystem::path& path) {
  std::error_code error;
  const auto shorter = std::filesystem::proximate(path, error);
  const bool below = !error && shorter.is_relative() && *shorter.begin() != "..";
  return below ? shorter : path;
}

bool flush_output() {
  std::cout.flush();
  if (std::cout) return true;
  if (reader_has_gone()) return false;
  throw faults::CannotWrite("standard output takes no more: is the disk full?");
}

faults::Paint paint_for_output(bool wanted) {
  const char* no_color = std::getenv("NO_COLOR");
  const bool forbidden = no_color != nullptr && *no_color != '\0';
  const bool on = wanted && !forbidden && !terminal_is_dumb() && output_is_terminal();
  const auto size = terminal_size();
  return {.on = on, .columns = size ? size->columns : faults::Paint{}.columns};
}

Progress::Progress(std::string what, std::string why_it_may_take_long)
    : what_(std::move(what)),
      why_it_may_take_long_(std::move(why_it_may_take_long)),
      thread_([this](const std::stop_token& stop) { show(stop); }) {}

Progress::~Progress() {
  thread_.request_stop();
  thread_.join();
}

void Progress::change(std::string what) {
  const std::lock_guard guard(mutex_);
  what_ = std::move(what);
  changed_ = true;
}

void Progress::say(const std::string& sentence) {
  const std::lock_guard guard(mutex_);
  if (said_.insert(sentence).second) write_line(sentence);
}

void Progress::show(const std::stop_token& stop) {
  const bool terminal = can_rewrite_lines();
  std::unique_lock lock(mutex_);
  constexpr int takes_long = 10;
  constexpr int again_elsewhere = 20;
  int seconds = 0;
  int the_same_for = 0;
  bool said_why = false;
  while (!wake_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) &&
         !stop.stop_requested()) {
    ++seconds;
    the_same_for = std::exchange(changed_, false) ? 0 : the_same_for + 1;
    const bool says_why = !said_why && the_same_for == takes_long && !why_it_may_take_long_.empty();
    said_why = said_why || says_why;
    if (says_why) write_line(why_it_may_take_long_);
    if (terminal) {
      std::cerr << fmt::format("\r\x1b[K… {} ({} s)", what_, seconds);
    } else if (seconds == 1) {
      std::cerr << fmt::format("… {}\n", what_);
    } else if (seconds % again_elsewhere == 0) {
      std::cerr << fmt::format("… {} ({} s)\n", what_, seconds);
    }
    std::cerr << std::flush;
  }
  if (terminal && seconds > 0) std::cerr << "\r\x1b[K" << std::flush;
}

void wait_for_enter(const Language& language) {
  if (!output_is_terminal() || isatty(STDIN_FILENO) != 1) return;
  const RawKeyboard keyboard;  // before the question: what is typed then is an answer
  std::cout << '\n' << language("[Enter] continues, [q] leaves") << "  " << std::flush;
  char key = 0;
  while (key != '\n' && key != ctrl_d) {
    key = RawKeyboard::read_key();
    if (key == ctrl_c) {
      keyboard.restore();
      end_as_of_ctrl_c();
    }
    if (key == 'q' || key == 'Q') break;
  }
  std::cout << '\n';
  if (key == 'q' || key == 'Q') throw Leave();
}

}  // namespace terminal
