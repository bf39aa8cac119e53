// A real server of a run's own that is no Redis: an etcd or a ZooKeeper, one or several that elect
// a leader among themselves, a PostgreSQL or a MariaDB; each in a private directory.
//
// They listen on ports of 127.0.0.1. They write each change to disk before they answer, and come
// back with their data. What their keys are the kit does not read: of locks there, the storage and
// the words of clients tell. Thread-safety: none; one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faults/kit/history.h"
#include "faults/kit/lock_server.h"
#include "faults/kit/other_servers/server_kind.h"
#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"

namespace faults {

class OtherServer : public LockServer {
 public:
  // Starts the program of that member. It serves clients once a majority of its group runs:
  // wait_until_it_serves(). `log` gets what it says. Throws CannotRun.
  OtherServer(std::shared_ptr<const ServerKind> kind, std::shared_ptr<const ServerGroup> group,
              std::size_t member, History& history, Reaper& reaper, std::filesystem::path log);

  [[nodiscard]] const std::string& name() const override { return self().name; }
  [[nodiscard]] core::Address address() const override;
  [[nodiscard]] Process& process() override { return *process_; }
  [[nodiscard]] bool leads() override;
  void catch_up() override {}  // it announces nothing
  void kill() override;
  void start() override;
  void start_empty() override;

  // Throws CannotRun if it ends instead, or takes too long.
  void wait_until_it_serves();
  // Has it said that one of its ports is taken?
  [[nodiscard]] bool lacks_a_port() const;

 private:
  [[nodiscard]] const ServerGroup::Member& self() const { return group_->members.at(member_); }
  void launch();

  const std::shared_ptr<const ServerKind> kind_;
  const std::shared_ptr<const ServerGroup> group_;
  const std::size_t member_;
  History& history_;
  Reaper& reaper_;
  const std::filesystem::path log_;
  TempDir directory_;
  std::unique_ptr<Process> process_;
};

// The kinds that lock.json may name, beside "redis".
[[nodiscard]] const std::vector<std::string>& other_server_kinds();

// Starts one server of that kind for each name, its lane, and returns once all serve clients, the
// leader first, as a Redis master is; NAME.log in `directory` gets what each says. Throws
// CannotRun.
[[nodiscard]] std::vector<std::unique_ptr<OtherServer>> start_other_servers(
    const std::string& kind, const std::vector<std::string>& names, History& history,
    Reaper& reaper, const std::filesystem::path& directory);

}  // namespace faults
