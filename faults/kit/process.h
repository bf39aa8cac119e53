// One child process: started, frozen, thawed, killed, waited for.
//
// It gets a process group of its own, so that Ctrl-C in the terminal does not reach it; when it
// ends the rest of the group is killed. It is registered with the reaper before its program starts,
// so that it cannot outlive the runner. Thread-safety: none; one thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "faults/kit/reaper.h"

namespace faults {

// The other end of a process's standard streams.
struct Pipe {
  Descriptor read;
  Descriptor write;
};
// Throws CannotRun.
[[nodiscard]] Pipe make_pipe();
// Opens it to append. Throws CannotWrite.
[[nodiscard]] Descriptor open_log(const std::filesystem::path& file);

struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;              // the first is the name the program runs under
  std::map<std::string, std::string> environment;  // added to the runner's own
  std::filesystem::path log;                       // where its standard error goes
};

// A child of this program that another process has begun for it (clone(2), CLONE_PARENT). It has
// registered itself with the reaper, and has a process group of its own.
struct BegunProcess {
  pid_t id = -1;
  Descriptor input;   // to its standard input
  Descriptor output;  // from its standard output
};

// How a process ended.
struct Ending {
  bool by_signal = false;
  int number = 0;  // the signal, or the exit code
  [[nodiscard]] std::string text() const;
};

// Is every thread of that process in state T?
[[nodiscard]] bool is_frozen(pid_t process);

class Process {
 public:
  // Starts `command` with pipes on its standard input and output. Throws CannotRun if that cannot
  // be done, the program's absence included.
  Process(const Command& command, Reaper& reaper);
  // Takes over one that has begun. Throws CannotRun.
  Process(BegunProcess begun, Reaper& reaper);
  // Kills it, frozen or not, and waits for its death.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] Descriptor& input() { return input_; }    // write here what it reads
  [[nodiscard]] Descriptor& output() { return output_; }  // read here what it writes

  // SIGSTOP; returns once every thread of it is in state T. Throws NotExercised if it has ended,
  // and Stalled if it does not stop within `standstill`: no process can refuse.
  void freeze();
  // SIGCONT. Throws NotExercised if it was not frozen to this moment.
  void thaw();
  // SIGKILL, and waits for the death. Throws NotExercised if it did not die of that, and Stalled if
  // it did not die within `standstill`.
  void kill();
  // SIGTERM, and does not wait.
  void terminate();

  // How it ended, waiting at most `limit`; nothing if it still runs.
  [[nodiscard]] std::optional<Ending> ending(std::chrono::milliseconds limit);
  [[nodiscard]] bool running() { return !ending(std::chrono::milliseconds(0)); }

  // Is every thread of it in state T?
  [[nodiscard]] bool frozen() const { return is_frozen(id_); }

 private:
  void signal(int number) const;
  void hold_on();
  // Throws CannotRun if the child said through `failure` why it did not.
  void must_have_started(const Command& command, const Descriptor& failure);
  // Ends a process that has just been started and got no pidfd. Throws CannotRun.
  [[noreturn]] void end_what_cannot_be_held(int reason) const;

  Reaper& reaper_;
  pid_t id_ = -1;
  Descriptor handle_;  // a pidfd
  Descriptor input_;
  Descriptor output_;
  std::optional<Ending> ending_;
};

}  // namespace faults
