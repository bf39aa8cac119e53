#include "faults/kit/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <array>
#include <csignal>
#include <cstdint>

namespace faults {
namespace {

void die_of(int signal) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), signal);
}

// Ignored signals stay ignored, as after nohup(1). (A signal that is blocked waits, even if it is
// ignored.)
bool is_ignored(int signal) {
  struct sigaction known {};
  return sigaction(signal, nullptr, &known) == 0 && known.sa_handler == SIG_IGN;
}

void watch(int signals, int end, const std::string& said, Reaper& reaper) {
  std::array<pollfd, 2> sources{pollfd{.fd = signals, .events = POLLIN, .revents = 0},
                                pollfd{.fd = end, .events = POLLIN, .revents = 0}};
  while (poll(sources.data(), sources.size(), -1) < 0) {
  }
  if (sources[1].revents != 0) return;
  signalfd_siginfo caught{};
  if (read(signals, &caught, sizeof caught) != sizeof caught) return;
  (void)!write(STDERR_FILENO, said.data(), said.size());
  reaper.finish();
  die_of(static_cast<int>(caught.ssi_signo));
}

}  // namespace

Interrupt::Interrupt(Reaper& reaper, const std::string& said) : end_(eventfd(0, EFD_CLOEXEC)) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&ours, signal);
  }
  pthread_sigmask(SIG_BLOCK, &ours, nullptr);
  signals_.reset(signalfd(-1, &ours, SFD_CLOEXEC));
  watcher_ = std::thread([signals = signals_.get(), end = end_.get(), line = "\n" + said + "\n",
                          &reaper] { watch(signals, end, line, reaper); });
}

Interrupt::~Interrupt() {
  const std::uint64_t one = 1;
  (void)!write(end_.get(), &one, sizeof one);
  watcher_.join();
}

}  // namespace faults
