#include "workshop/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "faults/parts/descriptor.h"
#include "workshop/console.h"

extern char** environ;

namespace workshop {
namespace {

constexpr std::array ignored_meanwhile{SIGINT, SIGQUIT, SIGPIPE};

// While it lives, Ctrl-C does not end us: the terminal is the pager's, which has to put it right.
// Nor does a pager that ends before it has read everything.
class Deaf {
 public:
  Deaf() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      sigaction(ignored_meanwhile[i], &ignore, &before_[i]);
    }
  }
  ~Deaf() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      sigaction(ignored_meanwhile[i], &before_[i], nullptr);
    }
  }
  Deaf(const Deaf&) = delete;
  Deaf& operator=(const Deaf&) = delete;

 private:
  std::array<struct sigaction, ignored_meanwhile.size()> before_{};
};

// The reader's pager, and its arguments; nothing if there is to be none. As git(1) chooses it
// (https://git-scm.com/docs/git-var#Documentation/git-var.txt-GITPAGER).
std::vector<std::string> chosen_pager() {
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  if (dumb || !output_is_terminal()) return {};
  const char* pager = std::getenv("PAGER");
  // Ends by itself if all fits on the screen, lets colours through, and leaves the text there.
  if (pager == nullptr) return {"less", "-FRX"};
  if (*pager == '\0') return {};
  setenv("LESS", "FRX", /*overwrite=*/0);
  return {"sh", "-c", pager};
}

// Starts `command` with `input` as its standard input; -1 if it is not there.
pid_t start(std::vector<std::string> command, int input) {
  std::vector<char*> pointers;
  for (auto& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t hears{};
  sigemptyset(&hears);
  for (const int signal : ignored_meanwhile) sigaddset(&hears, signal);
  posix_spawnattr_setsigdefault(&attributes, &hears);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int error =
      posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

// Until `output` takes no more.
void write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(output, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// False if there is no such pager: then nobody has seen anything.
bool was_shown_by(std::vector<std::string> pager, const std::string& text) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  faults::Descriptor reading(ends[0]);
  faults::Descriptor writing(ends[1]);
  const Deaf deaf;
  const auto child = start(std::move(pager), reading.get());
  if (child < 0) return false;
  reading.reset();
  write_all(writing.get(), text);
  writing.reset();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // What a shell says of a command that it cannot run:
  // https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html#tag_18_08_02
  return !WIFEXITED(status) || (WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127);
}

}  // namespace

void show_paged(const std::string& text) {
  auto pager = chosen_pager();
  std::cout << std::flush;
  if (!pager.empty() && was_shown_by(std::move(pager), text)) return;
  std::cout << text << std::flush;
}

}  // namespace workshop
