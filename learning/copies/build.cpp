#include "learning/copies/build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <utility>
#include <vector>

#include "faults/errors.h"
#include "faults/parts/descriptor.h"
#include "learning/build_settings.h"  // made by CMake
#include "workshop/documents.h"
#include "workshop/spawn.h"

namespace learning {
namespace {

namespace fs = std::filesystem;

// Runs a program, its output at the end of `log`. Its exit code; -1 if it ended otherwise.
int run(std::vector<std::string> arguments, const fs::path& log) {
  const faults::Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const faults::Descriptor output(
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (output.get() < 0) throw faults::CannotWrite(fmt::format("cannot write {}", log.native()));
  const auto program = arguments.front();
  const auto child =
      workshop::spawn(std::move(arguments),
                      {.input = nothing.get(), .output = output.get(), .errors = output.get()});
  if (child < 0) {
    throw faults::CannotRun(fmt::format("there is no {} on the PATH to build with", program));
  }
  const int status = workshop::await_end(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// From the start unless it was done just so: what was copied here from elsewhere builds the files
// over there.
bool configure(const fs::path& working_copy, const fs::path& made, const fs::path& log) {
  std::vector<std::string> arguments{"cmake",
                                     "-S",
                                     LAB_SOURCE_DIR "/learning/working_copy",
                                     "-B",
                                     fs::absolute(made).native(),
                                     "-G",
                                     std::string(settings::generator)};
  for (const auto& setting : settings::variables) arguments.emplace_back(setting);
  arguments.push_back("-DLOCK_DIRECTORY=" + fs::absolute(working_copy).native());
  const auto wanted = fmt::format("{}\n", fmt::join(arguments, "\n"));
  const auto done = made / "configured";
  if (fs::exists(done) && workshop::read_file(done) == wanted) return true;
  std::error_code ignored;
  fs::remove_all(made, ignored);
  fs::create_directories(made, ignored);
  if (run(std::move(arguments), log) != 0) return false;
  workshop::write_file(done, wanted);
  return true;
}

}  // namespace

Built build(const fs::path& working_copy, const fs::path& made) {
  const auto log = working_copy / "build.log";
  std::error_code ignored;
  fs::remove(log, ignored);
  if (!configure(working_copy, made, log)) {
    fs::remove_all(made, ignored);
    return {.error = "the build could not be prepared: " + log.native() + " says why", .log = log};
  }
  if (run({"cmake", "--build", made.native()}, log) == 0) {
    return {.client = made / "my_lock", .log = log};
  }
  auto built = first_error_in(workshop::read_file(log), working_copy, made);
  if (built.error.empty()) built.error = "it could not be built";
  built.log = log;
  return built;
}

}  // namespace learning
