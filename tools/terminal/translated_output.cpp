#include "tools/terminal/translated_output.h"

#include <utility>

namespace terminal {

TranslatedOutput::Lines::int_type TranslatedOutput::Lines::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  line_ += traits_type::to_char_type(letter);
  if (line_.back() == '\n') out_ << language_(std::exchange(line_, {}));
  return letter;
}

int TranslatedOutput::Lines::sync() {
  out_ << language_(std::exchange(line_, {})) << std::flush;
  return out_ ? 0 : -1;
}

}  // namespace terminal
