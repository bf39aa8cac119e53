#include "learning/build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <vector>

#include "faults/errors.h"
#include "learning/build_settings.h"  // made by CMake
#include "workshop/documents.h"

extern char** environ;

namespace learning {
namespace {

namespace fs = std::filesystem;

// Runs a program, its output at the end of `log`. Its exit code; -1 if it ended otherwise.
int run(std::vector<std::string> arguments, const fs::path& log) {
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw faults::CannotRun(fmt::format("there is no {} on the PATH to build with", arguments[0]));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool configure(const fs::path& working_copy, const fs::path& made, const fs::path& log) {
  if (fs::exists(made / "build.ninja") || fs::exists(made / "Makefile")) return true;
  std::vector<std::string> arguments{
      "cmake",       "-S", LAB_SOURCE_DIR "/learning/working_copy", "-B",
      made.native(), "-G", std::string(settings::generator)};
  for (const auto& setting : settings::variables) arguments.emplace_back(setting);
  arguments.push_back("-DLOCK_DIRECTORY=" + fs::absolute(working_copy).native());
  return run(std::move(arguments), log) == 0;
}

}  // namespace

Built build(const fs::path& working_copy, const fs::path& made) {
  const auto log = working_copy / "build.log";
  std::error_code ignored;
  fs::remove(log, ignored);
  fs::create_directories(made, ignored);
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
