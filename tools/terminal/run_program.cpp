#include "tools/terminal/run_program.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <thread>

#include "faults/kit/errors.h"
#include "tools/terminal/spawn.h"
#include "tools/terminal/translated_output.h"

namespace terminal {
namespace {

// Until the other end is closed.
void show_translated(int from, const Language& language, std::ostream& to) {
  TranslatedOutput output(language, to);
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = read(from, bytes.data(), bytes.size())) > 0;) {
    output.stream().write(bytes.data(), got);
    to << std::flush;  // whole lines; a program may take long to the next
  }
}

int become(std::vector<std::string>& command) {
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(words[0], words.data());
  throw faults::CannotRun(fmt::format("cannot start {}: {}", command[0], std::strerror(errno)));
}

}  // namespace

int run_program(std::vector<std::string> command, const Language& language) {
  if (language.catalogue().empty()) return become(command);
  auto output = make_pipe();
  auto errors = make_pipe();
  const auto child =
      spawn(command, {.output = output.writing.get(), .errors = errors.writing.get()});
  if (child < 0) {
    throw faults::CannotRun(fmt::format("{} cannot be started: is it installed?", command[0]));
  }
  output.writing.reset();
  errors.writing.reset();
  {
    const std::jthread other([&] { show_translated(errors.reading.get(), language, std::cerr); });
    show_translated(output.reading.get(), language, std::cout);
  }
  const int status = await_end(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace terminal
