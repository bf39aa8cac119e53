// A history as a picture in the terminal: one lane for each client, one for the server, faults as
// lines between the rows they fell between.
//
// A bar ┃ at the left of a client's lane: this client believes that it holds the lock. In the
// server's lane: the lock exists, and whose it is. Where the two disagree is the bug.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "faults/kit/history.h"

namespace faults {

// Colours for a terminal, or none; and how wide the page is.
struct Paint {
  bool on = false;
  std::size_t columns = 120;
  [[nodiscard]] std::string red(const std::string& text) const { return with("31", text); }
  [[nodiscard]] std::string green(const std::string& text) const { return with("32", text); }
  [[nodiscard]] std::string yellow(const std::string& text) const { return with("33", text); }
  [[nodiscard]] std::string bold(const std::string& text) const { return with("1", text); }
  [[nodiscard]] std::string dim(const std::string& text) const { return with("2", text); }

 private:
  [[nodiscard]] std::string with(const char* code, const std::string& text) const {
    return on ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }
};

// Ends with a line break. The judgement's evidence is marked. So is, by ▶, the first line from
// `marked` on, a place in the record.
[[nodiscard]] std::string draw_timeline(const Record& record, const Paint& paint,
                                        std::optional<std::size_t> marked = {});

}  // namespace faults
