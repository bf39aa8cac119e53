// A server on which a recorded call of a script is made again: with the data that the searched
// server had before it, in a time that stands still, so that each lease has left what it had.
//
// Thread-safety: none; one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/redis/server.h"
#include "faults/explore/coverage/script_calls.h"
#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"

namespace explore {

class ScratchServer {
 public:
  // Throws CannotRun.
  ScratchServer(const faults::RedisBinary& binary, faults::Reaper& reaper);
  ScratchServer(const ScratchServer&) = delete;
  ScratchServer& operator=(const ScratchServer&) = delete;

  // Calls `script` with the keys and arguments of `call`, and the data before it. Throws
  // ErrorReply.
  [[nodiscard]] core::Reply make(const ScriptCall& call, const std::string& script);
  // What it has now, by name.
  [[nodiscard]] std::vector<StoredKey> keys();

 private:
  faults::TempDir directory_;
  VirtualTime time_;
  VirtualProcess inside_;
  core::Server server_;
  std::unique_ptr<faults::Process> process_;
};

}  // namespace explore
