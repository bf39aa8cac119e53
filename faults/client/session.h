// The locks and holds of one client, and the protocol's operations on them.
//
// Operations run one after another, each on the client's thread that its request names.
// Thread-safety: none; one thread calls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/lock.h"
#include "core/redis/server.h"
#include "faults/client/numbered_threads.h"
#include "faults/client/program.h"
#include "faults/client/settings.h"

namespace client {

class Session {
 public:
  // `notify` is called, on any thread, with events: {"event": "lost", ...}.
  Session(Identity identity, MakeQuorumLock make_lock, Settings settings,
          std::function<void(nlohmann::json)> notify);

  // Answers one request (without its `id`). Throws std::exception if it cannot; the caller turns
  // that into an `error` answer. `stop` ends a wait or a critical section early.
  [[nodiscard]] nlohmann::json answer(const nlohmann::json& request, const std::stop_token& stop);

  // Releases every hold, as leaving a scope does.
  void release_all() noexcept;

 private:
  using Guard = std::unique_lock<core::Lock>;
  using OnLoss = std::stop_callback<std::function<void()>>;
  using ThreadAndKey = std::pair<int, std::string>;
  using Holds = std::map<ThreadAndKey, std::vector<Guard>>;  // the outermost hold first

  [[nodiscard]] nlohmann::json answer_here(const nlohmann::json& request,
                                           const std::stop_token& stop);
  [[nodiscard]] nlohmann::json hello() const;
  [[nodiscard]] nlohmann::json acquire(const nlohmann::json& request, const std::stop_token& stop);
  [[nodiscard]] nlohmann::json release(const nlohmann::json& request);
  // Acquires and releases by a loop of its own, for a benchmark.
  [[nodiscard]] nlohmann::json repeat(const nlohmann::json& request, const std::stop_token& stop);
  [[nodiscard]] nlohmann::json held(const nlohmann::json& request) const;
  // Destroys the lock objects on a key, for all threads, without releasing them.
  [[nodiscard]] nlohmann::json destroy_locks(const nlohmann::json& request);
  [[nodiscard]] nlohmann::json work(const nlohmann::json& request, const std::stop_token& stop);
  // The critical section itself: read, think, begin, write.
  void change_account(const core::Lock& lock, const nlohmann::json& request,
                      const std::stop_token& stop);

  // One command to the storage, with the fencing token if there is one.
  [[nodiscard]] core::Reply ask_storage(std::vector<std::string> words,
                                        std::optional<std::uint64_t> token);

  // Takes the innermost hold out of `holds_`.
  [[nodiscard]] Guard take_hold(Holds::iterator held);
  [[nodiscard]] LeaseRequest lease_request(const nlohmann::json& request) const;
  // The client's lock object on `key` for that lease; made when it is first needed.
  [[nodiscard]] core::Lock& lock_on(const std::string& key, const LeaseRequest& lease);

  const Identity identity_;
  const MakeQuorumLock make_lock_;
  const Settings settings_;
  const std::function<void(nlohmann::json)> notify_;
  core::Server storage_;
  std::map<std::pair<std::string, LeaseRequest>, std::unique_ptr<core::Lock>> locks_;
  std::map<ThreadAndKey, std::unique_ptr<OnLoss>> on_loss_;
  Holds holds_;  // declared after locks_: released before they are destroyed
  NumberedThreads threads_;
};

}  // namespace client
