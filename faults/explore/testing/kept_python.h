// A Python program whose time a keeper keeps: it may start others, and say one line.
//
// Thread-safety: none; one thread.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "faults/explore/virtual_time/keeper.h"
#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"

namespace explore {

class KeptPython {
 public:
  explicit KeptPython(faults::Reaper& reaper) : directory_(reaper) {}

  [[nodiscard]] static bool is_there() { return !std::string_view(LAB_PYTHON).empty(); }

  // It knows the modules below, `python`, with which it starts others, `say`, and `since`: the
  // seconds that have passed, to the microsecond. (Some versions of a program wait for a few
  // nanoseconds more.)
  [[nodiscard]] std::vector<std::string> program(const std::string& text) const {
    return {LAB_PYTHON, "-u", "-c",
            "import ctypes, fcntl, os, select, signal, socket, struct, subprocess, sys\n"
            "import threading, time\n"
            "python = [sys.executable, '-u', '-c']\n"
            "def since(start): return round(time.monotonic() - start, 6)\n"
            "def say(*words): print(*words, file=open('" +
                file().native() + "', 'w'))\n" + text};
  }

  // Runs it: returns what it has said.
  std::string said_by(const std::string& text, int code = 0) {
    EXPECT_EQ(run_in_virtual_time(program(text)), code);
    return said();
  }
  [[nodiscard]] std::string said() const {
    std::string line;
    std::ifstream input(file());
    std::getline(input, line);
    return line;
  }

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }

 private:
  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "said"; }

  faults::TempDir directory_;
};

}  // namespace explore
