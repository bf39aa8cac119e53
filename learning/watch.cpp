// `lab learn watch`: a check whenever a file of the working copy is saved.
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <string_view>

#include "faults/errors.h"
#include "faults/parts/descriptor.h"
#include "learning/check.h"

namespace learning {
namespace {

// Notices when a source in one directory is written, moved there or removed.
class Saves {
 public:
  explicit Saves(const std::filesystem::path& directory) : descriptor_(inotify_init1(IN_CLOEXEC)) {
    constexpr auto changes = IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE;
    if (inotify_add_watch(descriptor_.get(), directory.c_str(), changes) >= 0) return;
    throw faults::CannotRun(fmt::format("cannot watch {}", directory.native()));
  }

  // Waits for one. Editors save in several steps: what comes right after belongs to it.
  void await() {
    constexpr int together_ms = 150;
    while (!read_some()) {
    }
    for (pollfd more{.fd = descriptor_.get(), .events = POLLIN, .revents = 0};
         poll(&more, 1, together_ms) > 0;) {
      (void)read_some();
    }
  }

 private:
  // Is one of the events about a source?
  [[nodiscard]] bool read_some() {
    alignas(inotify_event) std::array<char, 4096> bytes{};
    const auto count = read(descriptor_.get(), bytes.data(), bytes.size());
    if (count <= 0) throw faults::CannotRun("cannot watch the working copy any more");
    bool found = false;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
      const std::string_view name = event->len > 0 ? event->name : "";
      found = found || name.ends_with(".cpp") || name.ends_with(".h") || name.ends_with(".lua");
      at += sizeof(inotify_event) + event->len;
    }
    return found;
  }

  faults::Descriptor descriptor_;
};

}  // namespace

int watch(const Options& options, faults::Reaper& reaper) {
  for (;;) {
    Desk desk(options);
    Saves saves(desk.copy(desk.here()).path());
    if (options.common.paint.on) std::cout << "\x1b[2J\x1b[H";
    const auto checked = check_copy(options, desk, reaper, [] {});
    keep(desk, checked);
    show(options, desk, checked);
    std::cout << options.common.paint.dim("\nwaiting for a save · Ctrl-C ends") << '\n'
              << std::flush;
    saves.await();
  }
}

}  // namespace learning
