// Three real Sentinels (https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/)
// that watch over one master and promote its replica when two of them find it dead.
//
// They must know the master by the address by which its replica knows it, or they would lead the
// replica elsewhere. Each listens on a unix socket; a link in front gives it the port at which the
// others reach it.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"

namespace faults {

class Sentinel;

class Sentinels {
 public:
  // How long a master has to be silent before a Sentinel finds it dead.
  static constexpr std::chrono::milliseconds silence{200};

  // Starts them; their logs go to `logs`. Throws CannotRun.
  Sentinels(const RedisBinary& binary, Loop& loop, History& history, Reaper& reaper,
            const std::filesystem::path& logs, const core::Address& master);
  ~Sentinels();
  Sentinels(const Sentinels&) = delete;
  Sentinels& operator=(const Sentinels&) = delete;

  // The addresses at which a client finds them.
  [[nodiscard]] std::vector<core::Address> addresses() const;

  // Waits until each knows the replica and the two others: about 2 s, since a Sentinel says hello
  // every 2 s. Throws Stalled if that takes longer than `standstill`.
  void await_each_other();

  // Do all three name `address` as the master's?
  [[nodiscard]] bool all_name(const core::Address& address);

  // Waits until they do: about 1 s after the master's death, or 5 s if they did not elect one of
  // them at the first attempt. Throws Stalled if that takes too long.
  void await_master(const core::Address& address);

 private:
  std::vector<std::unique_ptr<Sentinel>> sentinels_;
};

}  // namespace faults
