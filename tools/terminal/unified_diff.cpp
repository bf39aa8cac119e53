#include "tools/terminal/unified_diff.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "faults/kit/errors.h"
#include "tools/terminal/spawn.h"

namespace terminal {
namespace {

pid_t start_diff(std::vector<std::string> arguments, int output) {
  const auto child = spawn(std::move(arguments), {.output = output});
  if (child < 0) {
    throw faults::CannotRun("there is no diff(1) on the PATH; install the package diffutils");
  }
  return child;
}

void await_diff(pid_t child) {
  const int status = await_end(child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    throw faults::CannotRun("diff(1) failed; its error stands above");
  }
}

std::string name_of(const std::filesystem::path& file) {
  return std::filesystem::exists(file) ? file.native() : "/dev/null";
}

std::vector<std::string> arguments_for(const LabelledFile& from, const LabelledFile& to,
                                       bool colour) {
  return {"diff",
          "-u",
          colour ? "--color=always" : "--color=never",
          "--label",
          from.label,
          "--label",
          to.label,
          name_of(from.file),
          name_of(to.file)};
}

}  // namespace

std::string difference(const LabelledFile& from, const LabelledFile& to, bool colour) {
  auto output = make_pipe();
  const auto child = start_diff(arguments_for(from, to, colour), output.writing.get());
  output.writing.reset();
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(output.reading.get(), part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  await_diff(child);
  return text;
}

}  // namespace terminal
