// The common parts of the kit's tests: a reaper, a directory, a history and a loop, and a bare
// socket at either end of a link.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "faults/judging/testing/printers.h"
#include "faults/kit/descriptor.h"
#include "faults/kit/errors.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/temp_dir.h"
#include "faults/testing/shared_servers.h"

namespace faults {

// How long a test waits for what should happen at once. Long: other work may load the machine.
inline constexpr std::chrono::milliseconds test_limit = standstill;

// Does the kernel count how long a thread waits for a CPU (faults/kit/cpu_waits.h)? Where it does
// not, no test can know.
[[nodiscard]] inline bool counts_cpu_waits() {
  return std::filesystem::exists("/proc/thread-self/schedstat");
}
inline constexpr std::string_view no_cpu_waits = "this kernel does not count who waits for a CPU";

// True once `condition` is; false if that takes longer than `condition_limit` (eventually.h).
[[nodiscard]] bool eventually(const std::function<bool()>& condition);

// The text of the CannotRun or NotExercised (`Error`) that `action` throws; "" if it does not.
template <typename Error>
[[nodiscard]] std::string said_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// A command as a client sends it.
[[nodiscard]] std::string resp(const std::vector<std::string>& words);

// `size` bytes of all values, CR, LF and NUL included, the same for the same `seed`.
[[nodiscard]] std::string noise(std::size_t size, unsigned seed);

// One end of a TCP connection, spoken to in bytes.
class Wire {
 public:
  // Connects.
  explicit Wire(const core::Address& address);
  explicit Wire(Descriptor socket);

  void send(std::string_view bytes) const;
  // Waits for `count` bytes; fewer if the other side hangs up first, or is silent for too long.
  [[nodiscard]] std::string read(std::size_t count) const;
  // Everything until the other side hangs up. Throws if it does not.
  [[nodiscard]] std::string read_to_the_end() const;
  // Everything until `last` has come.
  [[nodiscard]] std::string read_to_the_end_of(std::string_view last) const;
  // True if there are bytes to read this moment.
  [[nodiscard]] bool has_bytes() const;
  // Waits for the end: "closed", "reset", or "open" if neither comes.
  [[nodiscard]] std::string ending() const;
  // Hangs up without a goodbye, as the kernel does for a process that was killed.
  void hang_up() { socket_.reset(); }

 private:
  Descriptor socket_;
};

// A server that says only what the test says.
class Listener {
 public:
  Listener();
  [[nodiscard]] core::Address address() const;
  [[nodiscard]] Wire accept() const;

 private:
  Descriptor socket_;
};

class KitTest : public testing::Test {
 protected:
  // A program of the shell's, as a child process.
  [[nodiscard]] Command shell(const std::string& script) const;

  Reaper reaper;
  TempDir directory{reaper};
  History history{directory.path() / "history.jsonl"};
  Loop loop;
};

// The same, with a Redis server, as fresh.
class KitRedisTest : public KitTest {
 protected:
  RedisServer redis{find_redis(),
                    loop,
                    history,
                    reaper,
                    "redis",
                    directory.path() / "redis.log",
                    Durability::forgets,
                    {},
                    &shared_servers().pool};
};

// All that a process has written until it closed its output.
[[nodiscard]] std::string output_of(Process& process);
// One line of it.
[[nodiscard]] std::string line_from(Process& process);
void write_line(Process& process, const std::string& line);

// True if there is no such process any more, or only its body.
[[nodiscard]] bool is_gone(pid_t process);

// The events of a kind in `record`, as "lane what" or "lane text".
[[nodiscard]] std::vector<std::string> events_of(Kind kind, const Record& record);

}  // namespace faults
