// The standard input and output of a client's process: requests go in, answers come out.
//
// Thread-safety: `listen`, `ask`, `write_line` and `close` are for the loop's thread; `last_line`
// and `lines` are safe to share.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "faults/kit/client_protocol.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"
#include "faults/kit/process.h"

namespace faults {

// An answer, and when it came.
struct ClientAnswer {
  nlohmann::json object;
  std::chrono::steady_clock::time_point came_at = std::chrono::steady_clock::now();
};

class ClientPipes {
 public:
  // Takes over the pipes of `process`. Its events are written into the history under `name`.
  ClientPipes(Loop& loop, Process& process, History& history, std::string name);

  // Reads until the process ends. Static, with its owner as argument: a coroutine outlives the call
  // that started it.
  static asio::awaitable<void> listen(std::shared_ptr<ClientPipes> pipes);

  // Sends a request, which has an id. If the process has ended, or ends before it answers, the
  // answer's outcome is "died".
  [[nodiscard]] std::future<ClientAnswer> ask(const nlohmann::json& request);
  void write_line(const std::string& line);
  void close();

  // The line that was printed last; empty: none. And how many lines there were.
  [[nodiscard]] std::string last_line() const;
  [[nodiscard]] std::size_t lines() const;

 private:
  void take(const ClientLine& line);

  History& history_;
  const std::string name_;
  asio::posix::stream_descriptor input_;
  asio::posix::stream_descriptor output_;
  ClientLineReader reader_;
  std::map<int, std::promise<ClientAnswer>> pending_;  // by id
  bool closed_ = false;
  mutable std::mutex mutex_;
  std::string last_line_;  // guarded by mutex_
  std::size_t lines_ = 0;  // guarded by mutex_
};

}  // namespace faults
