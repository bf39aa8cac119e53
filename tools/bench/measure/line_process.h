// A program of the benchmark that is spoken to in lines of text.
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <string>

#include "faults/kit/process.h"
#include "tools/bench/measure/node.h"

namespace bench {

class LineProcess {
 public:
  // Starts it; it is spoken to in words of its own.
  LineProcess(const Kit& kit, const faults::Command& command);
  // Starts `program`, tells it its `orders`, and waits until it says "ready". Throws WrongResult,
  // with its words, if it does not.
  LineProcess(const Kit& kit, const std::string& program, const std::string& orders,
              const std::filesystem::path& log);

  // Throws WrongResult if it is gone.
  void write_line(const std::string& text);
  // The next line; at the program's end the rest of it.
  [[nodiscard]] std::string read_line();

  // CPU time so far, of all its threads.
  [[nodiscard]] std::chrono::duration<double> cpu_time() const;

 private:
  faults::Process process_;
  std::string unread_;
};

// The reason that a program gives in such a line, {"error": ...}, or another one.
[[nodiscard]] std::string error_in(const std::string& line);

}  // namespace bench
