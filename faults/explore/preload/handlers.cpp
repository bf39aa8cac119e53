// Handlers of signals. One that runs while its thread waits ends that wait. One that interrupts its
// thread while that holds the lock of the entries (process_entry.h), or is about to rest
// (`rest_after`), must not wait, or wake another.

#include <array>
#include <atomic>
#include <csignal>

#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/waits.h"

namespace explore {
namespace {

using Function = void (*)(int, siginfo_t*, void*);

// As the program has installed it.
struct Handler {
  std::atomic<Function> function;
  std::atomic<int> flags;
};

std::array<Handler, NSIG> handlers;

void run(int number, siginfo_t* about, void* context) {
  const auto& handler = handlers[static_cast<std::size_t>(number)];
  const bool in_wait = stop_waiting();
  handler.function.load()(number, about, context);
  const bool restarts = (handler.flags.load() & SA_RESTART) != 0;
  if (in_wait) note_interruption(restarts ? Restarts::yes : Restarts::no);
}

bool is_function(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

int set(int number, const struct sigaction* action, struct sigaction* before) {
  static const auto function = explore::next_function<decltype(&sigaction)>("sigaction");
  return function(number, action, before);
}

// Shows the handler as the program has set it.
void show(struct sigaction& action, Function function, int flags) {
  if ((action.sa_flags & SA_SIGINFO) == 0 || action.sa_sigaction != run) return;
  action.sa_sigaction = function;
  action.sa_flags = flags;
}

}  // namespace
}  // namespace explore

extern "C" {

int sigaction(int number, const struct sigaction* action, struct sigaction* before) noexcept {
  if (number <= 0 || number >= NSIG) return explore::set(number, action, before);
  auto& handler = explore::handlers[static_cast<std::size_t>(number)];
  const auto function = handler.function.load();
  const auto flags = handler.flags.load();
  struct sigaction ours {};
  if (action != nullptr) ours = *action;
  if (action != nullptr && explore::is_function(*action)) {
    handler.function.store(action->sa_sigaction);
    handler.flags.store(action->sa_flags);
    ours.sa_sigaction = explore::run;
    ours.sa_flags |= SA_SIGINFO;
  }
  const int failed = explore::set(number, action == nullptr ? nullptr : &ours, before);
  if (before != nullptr) explore::show(*before, function, flags);
  return failed;
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return sigaction(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // extern "C"
