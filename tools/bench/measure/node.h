// A redis-server to measure against, on a unix socket and on a TCP port of 127.0.0.1. Unlike those
// of the fault kit it has no watcher and no clock that can be stepped.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/server.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"

namespace bench {

// Every measurement starts its servers with these.
struct Kit {
  faults::Reaper& reaper;
  faults::RedisBinary redis;
};

class Node {
 public:
  // Starts it, keeping nothing on disk; returns once it answers. Throws faults::CannotRun.
  explicit Node(const Kit& kit);

  [[nodiscard]] core::Address tcp() const {
    return {.host = "127.0.0.1", .port = port_, .unix_path = {}};
  }
  [[nodiscard]] core::Address unix_socket() const { return direct_.address(); }

  // A connection beside the measured ones, to ask the server things.
  [[nodiscard]] core::Server& direct() { return direct_; }
  [[nodiscard]] faults::Process& process() { return *process_; }

  // How often each command has been carried out, those inside scripts included:
  // https://redis.io/docs/latest/commands/info/ (commandstats). By name, in small letters.
  [[nodiscard]] std::map<std::string, long long> calls();
  // The sum of INFO's numbers of these names, in a section of it.
  [[nodiscard]] double info(std::string_view section,
                            std::initializer_list<std::string_view> names);

 private:
  faults::TempDir directory_;
  core::Server direct_;
  int port_ = 0;
  std::unique_ptr<faults::Process> process_;
};

// `count` of them.
[[nodiscard]] std::vector<std::unique_ptr<Node>> start_nodes(const Kit& kit, std::size_t count);

}  // namespace bench
