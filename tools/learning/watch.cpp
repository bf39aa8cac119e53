// `lab learn watch`: a check whenever a file of the workspace is saved, of that exercise that
// one is at.
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <iostream>
#include <optional>
#include <string_view>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "tools/learning/check.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/raw_keyboard.h"

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
  // longer if `is_over` says so, which is asked every second. A key that is pressed meanwhile is
  // handed to `pressed`, which says whether to wait no longer.
  void await(const std::function<bool()>& is_over, const std::function<bool(char)>& pressed) {
    constexpr int together_ms = 150;
    for (bool saved = false; !saved;) {
      const auto [save, key] = comes_within_a_second();
      if (key && pressed(terminal::RawKeyboard::read_key())) return;
      if (save) saved = read_some();
      if (!save && !key && is_over()) return;
    }
    while (comes_within(together_ms)) (void)read_some();
  }
  // Was the directory itself moved away or removed?
  [[nodiscard]] bool lost_directory() const { return lost_directory_; }

 private:
  struct Came {
    bool save = false;
    bool key = false;
  };
  [[nodiscard]] Came comes_within_a_second() const {
    // A descriptor below 0 is left out: nobody can press a key there.
    const int keys = isatty(STDIN_FILENO) != 0 ? STDIN_FILENO : -1;
    std::array<pollfd, 2> events{{{.fd = descriptor_.get(), .events = POLLIN, .revents = 0},
                                  {.fd = keys, .events = POLLIN, .revents = 0}}};
    constexpr int second_ms = 1000;
    if (poll(events.data(), events.size(), second_ms) <= 0) return {};
    return {.save = events[0].revents != 0, .key = events[1].revents != 0};
  }
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

// The wish behind a key; throws terminal::Leave if one leaves.
enum class Asked { nothing, check };

Asked obey(char key, const Options& options) {
  switch (key) {
    case '\n': return Asked::check;
    case 'h': (void)hint(options); return Asked::nothing;
    case 's': (void)solution(options); return Asked::nothing;
    case 'n': (void)start(options, {}); return Asked::check;
    case 'q':
    case terminal::ctrl_d: throw terminal::Leave();
    default: return Asked::nothing;
  }
}

void say_keys(const Options& options) {
  const auto keys = options.common.language(
      "\nwaiting for a save · [Enter] check · [h] hint · [s] ours · [n] next · [q] leave");
  std::cout << options.common.paint.dim(keys) << '\n' << std::flush;
}

// Waits for a save, or a key that asks for a check.
void await_next(const Options& options, Saves& saves, const std::function<bool()>& is_over) {
  // Before the keys are shown: one that is pressed at once counts.
  std::optional<terminal::RawKeyboard> keys;
  if (isatty(STDIN_FILENO) != 0) keys.emplace();
  say_keys(options);
  saves.await(is_over, [&](char key) {
    keys.reset();
    if (key == terminal::ctrl_c) terminal::end_as_of_ctrl_c();
    if (obey(key, options) == Asked::check) return true;
    keys.emplace();
    say_keys(options);
    return false;
  });
}

}  // namespace

int watch(const Options& options, faults::Reaper& reaper) try {
  for (;;) {
    LearnerSession session(options);
    const auto copy = session.copy(session.here());
    Saves saves(copy.path());
    if (options.common.paint.on) std::cout << "\x1b[2J\x1b[H";
    const auto checked = check_copy(options, session, reaper, [] {});
    keep(session, checked);
    show(options, session, checked);
    // In another terminal one goes on to the next, or begins this one anew.
    await_next(options, saves, [&] {
      const bool is_elsewhere = LearnerSession(options).here().name != session.here().name;
      return is_elsewhere || (saves.lost_directory() && copy.has(session.here().open.front()));
    });
  }
} catch (const terminal::Leave&) {
  return terminal::exit_holds;
}

}  // namespace learning
