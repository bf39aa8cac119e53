#include "faults/testing/called_program.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace faults {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& file) {
  std::ifstream input(file);
  return {std::istreambuf_iterator<char>(input), {}};
}

}  // namespace

fs::path Playground::path(const std::string& name) const {
  return directory_.path() / name;
}

void Playground::write_script(const std::string& name, const std::string& text) const {
  fs::create_directories(path(name).parent_path());
  std::ofstream(path(name)) << "#!/bin/sh\n" << text << '\n';
  fs::permissions(path(name), fs::perms::owner_all);
}

std::unique_ptr<faults::Process> Playground::start(const fs::path& program,
                                                   std::vector<std::string> arguments,
                                                   Environment environment) {
  fs::create_directories(temporary());
  fs::remove(path("errors"));
  arguments.insert(arguments.begin(), program.filename().native());
  environment.try_emplace("TMPDIR", temporary().native());
  return std::make_unique<faults::Process>(faults::Command{.program = program,
                                                           .arguments = std::move(arguments),
                                                           .environment = std::move(environment),
                                                           .log = path("errors")},
                                           reaper_);
}

ProgramResult Playground::call(const fs::path& program, std::vector<std::string> arguments,
                               Environment environment) {
  const auto process = start(program, std::move(arguments), std::move(environment));
  process->input().reset();
  ProgramResult ended;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0;
       (count = read(process->output().get(), bytes.data(), bytes.size())) > 0;) {
    ended.output.append(bytes.data(), static_cast<std::size_t>(count));
  }
  const auto ending = process->ending(faults::standstill);
  if (ending && !ending->by_signal) ended.code = ending->number;
  ended.errors = content(path("errors"));
  return ended;
}

std::vector<pid_t> Playground::processes() const {
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto name = entry.path().filename().native();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    // redis-server writes its title over its environment, so look where it works as well.
    const auto works_in = fs::read_symlink(entry.path() / "cwd", error).native();
    const auto started_with = content(entry.path() / "environ");
    const bool ours = works_in.find(temporary().native()) != std::string::npos ||
                      started_with.find(temporary().native()) != std::string::npos;
    if (ours) found.push_back(pid);
  }
  return found;
}

Terminal::Terminal(Playground& playground, const std::string& command,
                   Playground::Environment environment) {
  std::signal(SIGINT, SIG_DFL);  // Ctrl-C is to be heard, whatever these tests are run under
  environment.try_emplace("TERM", "xterm");
  process_ =
      playground.start("/usr/bin/script", {"-qec", command, "/dev/null"}, std::move(environment));
}

void Terminal::await(const std::string& text) {
  deadline_ = Clock::now() + patience;
  for (;;) {
    const auto found = shown_.find(text, awaited_);
    if (found != std::string::npos) {
      awaited_ = found + text.size();
      return;
    }
    if (!read_some()) throw std::runtime_error("waited for \"" + text + "\", and saw:\n" + shown_);
  }
}

void Terminal::press(std::string_view keys) {
  const auto written = write(process_->input().get(), keys.data(), keys.size());
  if (written != static_cast<ssize_t>(keys.size())) throw std::runtime_error("nobody reads keys");
}

std::string Terminal::await_end() {
  deadline_ = Clock::now() + patience;
  while (read_some()) {
  }
  return shown_;
}

bool Terminal::read_some() {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
  pollfd output{.fd = process_->output().get(), .events = POLLIN, .revents = 0};
  if (left.count() <= 0 || poll(&output, 1, static_cast<int>(left.count())) <= 0) {
    throw std::runtime_error("waited in vain, and saw:\n" + shown_);
  }
  std::array<char, 4096> bytes{};
  const auto count = read(output.fd, bytes.data(), bytes.size());
  if (count > 0) shown_.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace faults
