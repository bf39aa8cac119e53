// For tests of the script ./lab: a copy of it in a directory where every program that it calls is a
// fake, so that it neither installs nor builds anything.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/testing/eventually.h"
#include "faults/testing/called_program.h"

namespace app {

class Entry : public testing::Test {
 protected:
  // A machine with a shell and the usual small programs, in a house whose name has a space.
  Entry() {
    std::filesystem::create_directories(house());
    std::filesystem::copy(LAB_SOURCE_DIR "/lab", house() / "lab");
    std::filesystem::create_directories(house() / "tools/app");
    std::filesystem::copy(LAB_SOURCE_DIR "/tools/app/entry", house() / "tools/app/entry",
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directories(house() / "tools/terminal");
    for (const auto* file :
         {"tools/app/help.txt", "tools/app/help.zh.txt", "tools/terminal/texts.zh.json"}) {
      std::filesystem::copy(std::filesystem::path(LAB_SOURCE_DIR) / file, house() / file);
    }
    std::filesystem::create_directories(playground.path("bin"));
    for (const auto* program : {"bash", "cat", "dirname", "env", "grep", "id", "kill", "mkdir",
                                "nice", "readlink", "rm", "sh", "sleep", "tail", "xargs"}) {
      add_real_program(program);
    }
  }

  std::filesystem::path house() { return playground.path("the house"); }

  void add_program(const std::string& name, const std::string& text) {
    std::filesystem::remove(playground.path("bin/" + name));
    playground.write_script("bin/" + name, text);
  }

  // One of this machine, if it has it.
  void add_real_program(const std::string& name) {
    for (const std::filesystem::path directory : {"/usr/bin", "/bin"}) {
      if (!std::filesystem::exists(directory / name)) continue;
      std::filesystem::create_symlink(directory / name, playground.path("bin") / name);
      break;
    }
  }

  // The parts of the sources that names are looked for in.
  void add_sources() {
    for (const auto& entry : std::filesystem::directory_iterator(LAB_SOURCE_DIR)) {
      const auto name = entry.path().filename().native();
      if (!name.starts_with("stage") && name != "faults") continue;
      std::filesystem::copy(entry.path(), house() / name, std::filesystem::copy_options::recursive);
    }
    for (const std::string file :
         {"tools/bench/main.cpp", "tools/servers/redis_option.cpp", "field/redis-py/lock.json"}) {
      std::filesystem::create_directories((house() / file).parent_path());
      std::filesystem::copy(std::filesystem::path(LAB_SOURCE_DIR) / file, house() / file);
    }
  }

  // All needed programs and headers; `cmake` makes a program that prints its arguments.
  void add_tools() {
    add_program("c++", "exit 0");
    add_program("spin", "exit 0");
    add_program("git", "exit 0");
    add_program("ninja", "exit 0");
    add_program("patch", "exit 0");
    add_program("python3", "exit 0");
    add_program("redis-server", "exit 0");
    add_program("cmake", "house='" + house().native() + R"('
      [ "$1" != -S ] || {
        echo "configures"
        mkdir -p "$house/build-lab/tools/app"
        echo > "$house/build-lab/build.ninja"
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$house" > "$house/build-lab/CMakeCache.txt"
      }
      program=$house/build-lab/tools/app/lab
      echo '#!/bin/sh' > "$program"
      echo 'printf "<%s>" "$@"' >> "$program"
      /bin/chmod +x "$program")");
  }

  faults::ProgramResult call(std::vector<std::string> arguments,
                             std::filesystem::path script = {}) {
    if (script.empty()) script = house() / "lab";
    return playground.call(script, std::move(arguments), environment());
  }

  faults::Playground::Environment environment() {
    return {{"PATH", playground.path("bin")}, {"CXX", ""}, {"REDIS_SERVER", ""}};
  }

  // Waits until `file` in the house is there.
  void await(const std::string& file) {
    core::eventually(file, [&] { return std::filesystem::exists(house() / file); });
  }

  // The script counts as there until it was waited for.
  void expect_nothing_left_of(faults::Process& script) {
    core::eventually("nothing is left",
                     [&] { return !script.running() && playground.processes().empty(); });
  }

  faults::Playground playground;
};

}  // namespace app
