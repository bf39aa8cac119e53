// One of the lock's servers, in virtual time: a real redis-server, whose every change is known to
// be the deed of the command that was carried out.
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/async_connection.h"
#include "core/server.h"
#include "explore/virtual_time/virtual_process.h"
#include "explore/world/journal.h"
#include "faults/kit/process.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/stage.h"

namespace explore {

class LockServer {
 public:
  // Starts it, with the scripts and the marker of `stage`. Throws CannotRun.
  LockServer(const faults::Stage& stage, const faults::RedisBinary& binary, std::string name,
             const std::filesystem::path& directory, VirtualTime& time, Journal& journal,
             faults::Reaper& reaper);
  LockServer(const LockServer&) = delete;
  LockServer& operator=(const LockServer&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const core::Address& address() const { return direct_.address(); }
  // The file of the script that has that SHA-1; empty if it is none of the stage's.
  [[nodiscard]] std::string script_named(const std::string& sha1) const;

  // As it was when it started.
  void clear();
  // Is it so? (It has no key but the marker.)
  [[nodiscard]] bool is_clear();

  // Writes down what has changed since the last call: by the command of `client`; if that is empty,
  // by itself. Everything that it has sent to anybody has arrived when this returns.
  void catch_up(const std::string& client);

  // When the next of its keys ends; a moment later, as it does not exist any more then.
  [[nodiscard]] std::optional<Duration> next_expiry();
  // After time went on: removes the keys that have ended.
  void look_at_time();

 private:
  [[nodiscard]] core::Reply receive();

  const std::string name_;
  const std::string marker_;
  VirtualTime& time_;
  Journal& journal_;
  VirtualProcess inside_;
  core::Server direct_;
  std::unique_ptr<faults::Process> process_;
  std::unique_ptr<core::AsyncConnection> watcher_;
  std::map<std::string, std::string> scripts_;  // file names, by SHA-1
};

}  // namespace explore
