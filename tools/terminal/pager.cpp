#include "tools/terminal/pager.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "faults/kit/descriptor.h"
#include "tools/terminal/console.h"
#include "tools/terminal/spawn.h"

namespace terminal {
namespace {

// While it lives, Ctrl-C does not end this process: the pager has the terminal, and must restore
// it. Nor does a pager that ends before it has read everything.
class IgnoredSignals {
 public:
  IgnoredSignals() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      sigaction(ignored_meanwhile[i], &ignore, &before_[i]);
    }
  }
  ~IgnoredSignals() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      sigaction(ignored_meanwhile[i], &before_[i], nullptr);
    }
  }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;

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
  // -F ends if all fits on the screen, -R lets colours through, -X leaves the text there.
  if (pager == nullptr) return {"less", "-FRX"};
  if (*pager == '\0') return {};
  setenv("LESS", "FRX", /*overwrite=*/0);
  return {"sh", "-c", pager};
}

// Writes until `output` takes no more.
void write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(output, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// False if there is no such pager: then nothing was shown.
bool was_shown_by(std::vector<std::string> pager, const std::string& text) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  faults::Descriptor reading(ends[0]);
  faults::Descriptor writing(ends[1]);
  const IgnoredSignals ignored;
  const auto child = spawn(std::move(pager), {.input = reading.get()});
  if (child < 0) return false;
  reading.reset();
  write_all(writing.get(), text);
  writing.reset();
  const int status = await_end(child);
  // The exit codes of a shell that cannot run a command:
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

}  // namespace terminal
