// Keys that are read as soon as they are pressed.
//
// Thread-safety: none; one thread reads keys at a time.
#pragma once

#include <termios.h>

namespace terminal {

inline constexpr char ctrl_c = '\x03';
inline constexpr char ctrl_d = '\x04';

// While it lives, a key is read as soon as it is pressed, and not shown. Ctrl-C is a key as well,
// so that the terminal is put right before the program ends of it.
class RawKeyboard {
 public:
  RawKeyboard();
  ~RawKeyboard() { restore(); }
  RawKeyboard(const RawKeyboard&) = delete;
  RawKeyboard& operator=(const RawKeyboard&) = delete;

  void restore() const;
  // Is there a Ctrl-C in what was pressed behind the key that was read?
  [[nodiscard]] bool ends_in_ctrl_c() const;
  [[nodiscard]] static char read_key();

 private:
  [[nodiscard]] termios by_key() const;

  termios before_{};
};

// Ends the program as Ctrl-C does: the signal goes to the process, since another thread listens for
// it (faults/kit/interrupt.h).
[[noreturn]] void end_as_of_ctrl_c();

}  // namespace terminal
