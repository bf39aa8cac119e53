// Output of a part that knows no languages, in the reader's language.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

#include "tools/terminal/language.h"

namespace terminal {

// Writes what is written to `stream()` on to another stream: each line in the language. A line that
// has not ended is written when the stream is flushed, and at the end of this object.
// Thread-safety: none; one thread.
class TranslatedOutput {
 public:
  // `language` and `out` must live as long.
  TranslatedOutput(const Language& language, std::ostream& out) : lines_(language, out) {}
  ~TranslatedOutput() { stream_.flush(); }
  TranslatedOutput(const TranslatedOutput&) = delete;
  TranslatedOutput& operator=(const TranslatedOutput&) = delete;

  [[nodiscard]] std::ostream& stream() { return stream_; }

 private:
  class Lines : public std::streambuf {
   public:
    Lines(const Language& language, std::ostream& out) : language_(language), out_(out) {}

   protected:
    int_type overflow(int_type letter) override;
    int sync() override;

   private:
    const Language& language_;
    std::ostream& out_;
    std::string line_;  // what has not been written yet
  };

  Lines lines_;
  std::ostream stream_{&lines_};
};

}  // namespace terminal
