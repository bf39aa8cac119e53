// A real etcd or ZooKeeper of a run's own, one server, in a private directory.
//
// It listens on a port of 127.0.0.1. It writes each change to disk before it answers, and comes
// back with its data. What its keys are the kit does not read: of locks there, the storage and the
// words of clients tell. Thread-safety: none; one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "faults/kit/history.h"
#include "faults/kit/lock_server.h"
#include "faults/kit/reaper.h"
#include "faults/kit/temp_dir.h"

namespace faults {

class ConsensusServer : public LockServer {
 public:
  // Starts one of that kind, "etcd" or "zookeeper", and returns once it serves clients. `name` is
  // its lane, `log` gets what it says. Throws CannotRun.
  ConsensusServer(std::string kind, History& history, Reaper& reaper, std::string name,
                  std::filesystem::path log);

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] core::Address address() const override;
  [[nodiscard]] Process& process() override { return *process_; }
  void catch_up() override {}  // it announces nothing
  void kill() override;
  void start() override;
  void start_empty() override;

 private:
  // Starts the program, on its port if it has one. Throws CannotRun.
  void launch();
  [[nodiscard]] Command command() const;
  void wait_until_it_serves();

  const std::string kind_;
  History& history_;
  Reaper& reaper_;
  const std::string name_;
  const std::filesystem::path log_;
  TempDir directory_;
  int port_ = 0;
  int peer_port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace faults
