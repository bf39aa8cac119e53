// A lock's client program (docs/client-protocol.md) that acquires and releases by its own loop: a
// stage's, or one of field/.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "faults/world/tested_lock.h"
#include "tools/bench/measure/line_process.h"

namespace bench {

class PeerProcess {
 public:
  // Starts it; returns once it has introduced itself. Throws WrongResult.
  PeerProcess(const Kit& kit, const faults::TestedLock& lock,
              const std::vector<core::Address>& nodes, const std::filesystem::path& log);

  // Has it acquire and release a lock again and again, waiting for it where it must.
  void start(std::chrono::milliseconds time);
  // How often it did. Throws WrongResult, with its words, if it could not.
  [[nodiscard]] double pairs();

  [[nodiscard]] std::chrono::duration<double> cpu_time() const { return process_.cpu_time(); }

 private:
  // Its next answer; events are none.
  [[nodiscard]] nlohmann::json answer();

  const std::string lock_;
  LineProcess process_;
};

}  // namespace bench
