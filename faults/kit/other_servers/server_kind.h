// A kind of server other than Redis: how its program is started, and when it serves.
//
// Thread-safety: each function may be called from any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/reserved_port.h"

namespace faults {

// One server, or several that elect a leader, as each of them knows them.
struct ServerGroup {
  struct Member {
    std::string name;
    ReservedPort clients = ReservedPort();
    ReservedPort peers = ReservedPort();
    ReservedPort elections = ReservedPort();  // ZooKeeper's only
  };
  std::vector<Member> members;
};

class ServerKind {
 public:
  ServerKind() = default;
  virtual ~ServerKind() = default;
  ServerKind(const ServerKind&) = delete;
  ServerKind& operator=(const ServerKind&) = delete;

  // Makes what the program needs in `directory` to start without data; `log` gets what is said
  // meanwhile. Throws CannotRun.
  virtual void prepare(const std::filesystem::path& /*directory*/,
                       const std::filesystem::path& /*log*/, Reaper& /*reaper*/) const {}
  // Its log is set by the caller.
  [[nodiscard]] virtual Command command(const ServerGroup& group, std::size_t member,
                                        const std::filesystem::path& directory) const = 0;
  // Does the server at that port of 127.0.0.1 serve clients?
  [[nodiscard]] virtual bool serves(int port) const = 0;
  // Do others follow it?
  [[nodiscard]] virtual bool leads(int /*port*/) const { return false; }
};

[[nodiscard]] std::unique_ptr<const ServerKind> etcd();
[[nodiscard]] std::unique_ptr<const ServerKind> zookeeper();
[[nodiscard]] std::unique_ptr<const ServerKind> postgresql();
[[nodiscard]] std::unique_ptr<const ServerKind> mariadb();

// Returns the answer of the server at `port` to `question`, until it hangs up or has sent `enough`
// bytes; less, or nothing, after a second.
[[nodiscard]] std::string ask_server(int port, const std::string& question,
                                     std::size_t enough = std::string::npos);

// Runs a program that makes a server's files. Throws CannotRun unless it ends well.
void run_to_its_end(const Command& command, Reaper& reaper);

}  // namespace faults
