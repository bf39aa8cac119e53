// `lab learn watch`: a check whenever a file of the workspace is saved, of that exercise that
// one is at.
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <iostream>
#include <string_view>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "learning/check.h"

namespace learning {
namespace {

// Notices when a source in one directory is written, moved there or removed.
class Saves {
 public:
  explicit Saves(const std::filesystem::path& directory) : descriptor_(inotify_init1(IN_CLOEXEC)) {
    constexpr auto changes =
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF;
    if (inotify_add_watch(descriptor_.get(), directory.c_str(), changes) >= 0) return;
    throw faults::CannotRun(fmt::format("cannot watch {}", directory.native()));
  }

  // Waits for one. Editors save in several steps: what comes right after belongs to it. Waits no
  // longer if `is_over` says so, which is asked every second.
  void await(const std::function<bool()>& is_over) {
    constexpr int between_questions_ms = 1000;
    constexpr int together_ms = 150;
    for (bool saved = false; !saved;) {
      if (comes_within(between_questions_ms)) {
        saved = read_some();
      } else if (is_over()) {
        return;
      }
    }
    while (comes_within(together_ms)) (void)read_some();
  }
  // Was the directory itself moved away or removed?
  [[nodiscard]] bool lost_directory() const { return lost_directory_; }

 private:
  [[nodiscard]] bool comes_within(int milliseconds) const {
    pollfd events{.fd = descriptor_.get(), .events = POLLIN, .revents = 0};
    return poll(&events, 1, milliseconds) > 0;
  }

  // Is one of the events about a source?
  [[nodiscard]] bool read_some() {
    alignas(inotify_event) std::array<char, 4096> bytes{};
    const auto count = read(descriptor_.get(), bytes.data(), bytes.size());
    if (count <= 0) throw faults::CannotRun("cannot watch the workspace any more");
    bool found = false;
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
      const std::string_view name = event->len > 0 ? event->name : "";
      lost_directory_ = lost_directory_ || (event->mask & (IN_MOVE_SELF | IN_DELETE_SELF)) != 0;
      found = found || name.ends_with(".cpp") || name.ends_with(".h") || name.ends_with(".lua") ||
              name.ends_with(".py");
      at += sizeof(inotify_event) + event->len;
    }
    return found;
  }

  faults::Descriptor descriptor_;
  bool lost_directory_ = false;
};

}  // namespace

int watch(const Options& options, faults::Reaper& reaper) {
  for (;;) {
    Desk desk(options);
    const auto copy = desk.copy(desk.here());
    Saves saves(copy.path());
    if (options.common.paint.on) std::cout << "\x1b[2J\x1b[H";
    const auto checked = check_copy(options, desk, reaper, [] {});
    keep(desk, checked);
    show(options, desk, checked);
    std::cout << options.common.paint.dim("\nwaiting for a save · Ctrl-C ends") << '\n'
              << std::flush;
    // In another terminal one goes on to the next, or begins this one anew.
    saves.await([&] {
      const bool is_elsewhere = Desk(options).here().name != desk.here().name;
      return is_elsewhere || (saves.lost_directory() && copy.has(desk.here().open.front()));
    });
  }
}

}  // namespace learning
