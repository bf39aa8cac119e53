// A lock client in a process of its own, between two links: one to the lock's server, one to the
// storage. It is spoken to as docs/client-protocol.md says.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/address.h"
#include "faults/judging/history.h"
#include "faults/parts/link.h"
#include "faults/parts/loop.h"
#include "faults/parts/process.h"
#include "faults/parts/reaper.h"

namespace faults {

class ClientVoice;
class PendingState;

// A request on its way. Thread-safety: none; the scenario's thread uses it.
class Pending {
 public:
  Pending(std::shared_ptr<PendingState> state, std::function<void(const nlohmann::json&)> heard)
      : state_(std::move(state)), heard_(std::move(heard)) {}

  // Waits for the answer, writes it into the history, and returns its `outcome`. A client that died
  // meanwhile has the outcome "died". Throws CannotRun after `limit`, or if the client reports an
  // error.
  std::string wait(std::chrono::milliseconds limit = std::chrono::milliseconds(30'000));

  // True once the answer is here.
  [[nodiscard]] bool answered() const;

 private:
  std::shared_ptr<PendingState> state_;
  std::function<void(const nlohmann::json&)> heard_;
};

struct ClientPlan {
  std::string name;                                // its lane
  std::vector<std::string> command;                // the program and its arguments
  std::map<std::string, std::string> environment;  // beyond the addresses
  std::filesystem::path log;                       // its standard error
  core::Address server;
  std::string server_name;
  core::Address storage;
  std::function<void()> catch_up;  // called before an answer is written into the history
};

struct AcquireRequest {
  std::optional<std::chrono::milliseconds> lease = {};  // nothing: the default lease
  std::chrono::milliseconds wait{0};
  bool must_get_in = false;  // the liveness judge looks at this one
};

struct WorkRequest {
  bool throws = false;
};

class Client {
 public:
  // Starts it, asks its name, and has it take and give back a lock of its own once, so that it is
  // connected and its scripts are loaded. Throws CannotRun.
  Client(Loop& loop, History& history, Reaper& reaper, ClientPlan plan);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Asks, and returns at once. Operations are answered one after another.
  [[nodiscard]] Pending start_acquire(const AcquireRequest& request = {});
  [[nodiscard]] Pending start_release();
  [[nodiscard]] Pending start_work(const WorkRequest& request = {});

  // Asks, and waits for the outcome.
  std::string acquire(const AcquireRequest& request = {}) { return start_acquire(request).wait(); }
  std::string release() { return start_release().wait(); }
  std::string work(const WorkRequest& request = {}) { return start_work(request).wait(); }

  // Each returns once the process is in that state, and writes that into the history.
  void freeze();
  void thaw();
  void kill();
  // SIGTERM; returns at once. `await_end` waits until the process has ended.
  void terminate();
  void await_end();

  // Ends it as its users do. Throws CannotRun if it does not end well, NotExercised if it was
  // killed and lives.
  void say_bye();

  [[nodiscard]] const std::string& name() const { return plan_.name; }
  [[nodiscard]] Link& lock_link() { return lock_link_; }
  [[nodiscard]] Link& storage_link() { return storage_link_; }
  [[nodiscard]] Process& process() { return process_; }

 private:
  [[nodiscard]] Pending start(nlohmann::json request);
  [[nodiscard]] Command command() const;
  void get_ready();

  Loop& loop_;
  History& history_;
  const ClientPlan plan_;
  Link lock_link_;
  Link storage_link_;
  Process process_;
  std::shared_ptr<ClientVoice> voice_;
  int next_id_ = 1;
  bool over_ = false;  // killed, terminated, or said bye
  bool killed_ = false;
};

}  // namespace faults
