// What one client holds, and the operations of the protocol on it.
//
// Operations are answered one after another, each on the thread of the client that its request
// names. Thread-safety: none; one thread asks.
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

#include "client/hands.h"
#include "client/program.h"
#include "client/settings.h"
#include "core/lock.h"
#include "core/server.h"

namespace client {

class Session {
 public:
  // `tell` is called, on any thread, with lines that nobody asked for: {"event": "lost", ...}.
  Session(Identity identity, MakeQuorumLock make_lock, Settings settings,
          std::function<void(nlohmann::json)> tell);

  // Answers one request (without its `id`). Throws std::exception for what went wrong; the caller
  // turns that into an `error` answer. `stop` ends waiting and thinking early.
  [[nodiscard]] nlohmann::json answer(const nlohmann::json& request, const std::stop_token& stop);

  // Gives back everything held, as leaving a scope does.
  void leave() noexcept;

 private:
  using Guard = std::unique_lock<core::Lock>;
  using OnLoss = std::stop_callback<std::function<void()>>;
  using Place = std::pair<int, std::string>;          // a thread of the client, and a key
  using Holds = std::map<Place, std::vector<Guard>>;  // the outermost hold first

  [[nodiscard]] nlohmann::json answer_here(const nlohmann::json& request,
                                           const std::stop_token& stop);
  [[nodiscard]] nlohmann::json hello() const;
  [[nodiscard]] nlohmann::json acquire(const nlohmann::json& request, const std::stop_token& stop);
  [[nodiscard]] nlohmann::json release(const nlohmann::json& request);
  [[nodiscard]] nlohmann::json held(const nlohmann::json& request) const;
  // The lock objects on a key go, those of all threads, and give nothing back.
  [[nodiscard]] nlohmann::json let_go(const nlohmann::json& request);
  [[nodiscard]] nlohmann::json work(const nlohmann::json& request, const std::stop_token& stop);
  // The critical section itself: read, think, begin, write.
  void change_account(const core::Lock& lock, const nlohmann::json& request,
                      const std::stop_token& stop);

  // One command to the storage, with the fencing token if there is one.
  [[nodiscard]] core::Reply tell_storage(std::vector<std::string> words,
                                         std::optional<std::uint64_t> token);

  // Takes the innermost hold out of `holds_`.
  [[nodiscard]] Guard take_hold(Holds::iterator held);
  [[nodiscard]] LeaseWish wish_of(const nlohmann::json& request) const;
  [[nodiscard]] core::Lock& lock_on(const std::string& key, const LeaseWish& wish);

  const Identity identity_;
  const MakeQuorumLock make_lock_;
  const Settings settings_;
  const std::function<void(nlohmann::json)> tell_;
  core::Server storage_;
  std::map<std::pair<std::string, LeaseWish>, std::unique_ptr<core::Lock>> locks_;
  std::map<Place, std::unique_ptr<OnLoss>> on_loss_;
  Holds holds_;  // declared after locks_, so that it is given back before they go
  Hands hands_;
};

}  // namespace client
