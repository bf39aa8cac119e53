#include "tools/terminal/raw_keyboard.h"

#include <unistd.h>

#include <csignal>

namespace terminal {

RawKeyboard::RawKeyboard() {
  tcgetattr(STDIN_FILENO, &before_);
  const auto raw = by_key();
  // A key that was typed before the question is no answer to it.
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
}

void RawKeyboard::restore() const {
  tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

bool RawKeyboard::ends_in_ctrl_c() const {
  auto at_once = by_key();
  at_once.c_cc[VMIN] = 0;  // a read takes what is there, and does not wait
  at_once.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSANOW, &at_once);
  bool found = false;
  for (char key = 0; ::read(STDIN_FILENO, &key, 1) == 1;) found = found || key == ctrl_c;
  return found;
}

char RawKeyboard::read_key() {
  char key = '\n';
  return ::read(STDIN_FILENO, &key, 1) == 1 ? key : '\n';
}

termios RawKeyboard::by_key() const {
  auto raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  return raw;
}

void end_as_of_ctrl_c() {
  kill(getpid(), SIGINT);
  for (;;) pause();
}

}  // namespace terminal
