#include "tools/learning/workspace/build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "tools/book/documents.h"
#include "tools/learning/build_settings.h"  // made by CMake
#include "tools/terminal/spawn.h"

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
      terminal::spawn(std::move(arguments),
                      {.input = nothing.get(), .output = output.get(), .errors = output.get()});
  if (child < 0) {
    throw faults::CannotRun(fmt::format("there is no {} on the PATH to build with", program));
  }
  const int status = terminal::await_end(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Every file here and when it was written, a line each.
std::set<std::string> dates_of(const fs::path& workspace) {
  std::set<std::string> dates;
  for (const auto& file : fs::directory_iterator(workspace)) {
    const auto written = file.last_write_time().time_since_epoch().count();
    dates.insert(fmt::format("{} {}", file.path().filename().native(), written));
  }
  return dates;
}

void note_dates(const fs::path& workspace, const fs::path& known) {
  book::write_file(known, fmt::format("{}\n", fmt::join(dates_of(workspace), "\n")));
}

// Is there a file that was written before the last build, and was not there then? A build goes by
// dates: it would take such a one, which was moved or copied here with its date, for built.
bool has_come_back(const fs::path& workspace, const fs::path& known) {
  std::istringstream lines(book::read_file(known));
  std::set<std::string> then;
  for (std::string line; std::getline(lines, line);) then.insert(line);
  const auto built = fs::last_write_time(known).time_since_epoch().count();
  const auto now = dates_of(workspace);
  return std::any_of(now.begin(), now.end(), [&](const std::string& date) {
    return !then.contains(date) && std::stoll(date.substr(date.rfind(' '))) <= built;
  });
}

// From the start unless it was done just so: what was copied here from elsewhere builds the files
// over there. Or if a file has come back.
bool configure(const Exercise& exercise, const fs::path& workspace, const fs::path& made,
               const fs::path& log) {
  std::vector<std::string> arguments{"cmake",
                                     "-S",
                                     LAB_SOURCE_DIR "/tools/learning/workspace/project",
                                     "-B",
                                     fs::absolute(made).native(),
                                     "-G",
                                     std::string(settings::generator)};
  for (const auto& setting : settings::variables) arguments.emplace_back(setting);
  arguments.push_back("-DLAB_STAGE=" + exercise.stage);
  arguments.push_back("-DLOCK_DIRECTORY=" + fs::absolute(workspace).native());
  const auto wanted = fmt::format("{}\n", fmt::join(arguments, "\n"));
  const auto done = made / "configured";
  const auto known = made / "dates";
  const bool as_wanted = fs::exists(done) && book::read_file(done) == wanted;
  if (as_wanted && fs::exists(known) && !has_come_back(workspace, known)) {
    note_dates(workspace, known);
    return true;
  }
  std::error_code ignored;
  fs::remove_all(made, ignored);
  fs::create_directories(made, ignored);
  if (run(std::move(arguments), log) != 0) return false;
  book::write_file(done, wanted);
  note_dates(workspace, known);
  return true;
}

// A client in Python is only looked at: can it be read?
Built read_python(const fs::path& workspace, const fs::path& log) {
  const std::string read = "import sys; compile(open(sys.argv[1]).read(), 'lock.py', 'exec')";
  if (run({"python3", "-c", read, (workspace / "lock.py").native()}, log) == 0) {
    auto client = python_command();
    client.push_back((fs::absolute(workspace) / "client.py").native());
    return {.client = std::move(client), .log = log};
  }
  // The last line says what is wrong, and a line before it says where.
  std::istringstream lines(book::read_file(log));
  Built built{.log = log};
  std::string where;
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("line ");
    if (line.find("lock.py") != std::string::npos && at != std::string::npos)
      where = line.substr(at);
    if (line.starts_with("    ")) built.excerpt += line + "\n";
    built.error = "lock.py: " + where + ": " + line;
  }
  return built;
}

}  // namespace

Built build(const Exercise& exercise, const fs::path& workspace, const fs::path& made) {
  const auto log = workspace / "build.log";
  std::error_code ignored;
  fs::remove(log, ignored);
  if (exercise.is_python()) return read_python(workspace, log);
  if (!configure(exercise, workspace, made, log)) {
    fs::remove_all(made, ignored);
    return {.error = "the build could not be prepared: " + log.native() + " says why", .log = log};
  }
  if (run({"cmake", "--build", made.native()}, log) == 0) {
    return {.client = {(made / "my_lock").native()}, .log = log};
  }
  auto built = first_error_in(book::read_file(log), workspace, made);
  if (built.error.empty()) built.error = "it could not be built";
  built.log = log;
  return built;
}

}  // namespace learning
