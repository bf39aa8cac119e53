// The system calls that are trapped, by family: each does what the kernel would, in virtual time,
// and returns what the kernel does.
//
// Thread-safety: safe to share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace explore::shim {

struct Call {
  long number;
  std::array<long, 6> arguments;
};

// Each is empty for a call of another family.
[[nodiscard]] std::optional<long> tell_time(const Call& call);
[[nodiscard]] std::optional<long> sleep_or_wait(const Call& call);  // sleeps and futexes
[[nodiscard]] std::optional<long> poll_descriptors(const Call& call);
[[nodiscard]] std::optional<long> use_stream(const Call& call);  // reads, writes and sockets

// The thread is about to end: wakes those that wait for that (pthread_join(3)).
void notify_of_end();

}  // namespace explore::shim
