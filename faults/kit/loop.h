// The one thread on which everything of a run that listens lives: links, the storage, what clients
// say, what a server announces.
//
// Their state is touched on this thread only, so it needs no locks. A scenario, on its own thread,
// reaches it through `call`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace asio {
class io_context;
}

namespace faults {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] asio::io_context& context();

  // By a server's address: calls what it is given when all that this server has announced is in the
  // history. A link waits for it before it writes a reply of the server down, or the history would
  // show an effect before its cause: a server may send the reply first. For the loop's own thread.
  using Heard = std::function<void()>;
  std::map<std::string, std::function<void(Heard)>> announced;

  // Runs `task` on the loop's thread and returns (or throws) what it does. Not to be called from
  // the loop's own thread.
  template <typename Task>
  auto call(Task task) {
    std::packaged_task<decltype(task())()> packaged(std::move(task));
    auto result = packaged.get_future();
    post(std::ref(packaged));
    return result.get();
  }

 private:
  struct Running;

  void post(std::function<void()> task);

  std::unique_ptr<Running> running_;
};

// Something that happens once; others wait for it with a deadline. Thread-safety: safe to share.
class Once {
 public:
  void happen() {
    const std::lock_guard guard(mutex_);
    happened_ = true;
    wake_.notify_all();
  }

  // True if it happens before `limit` has passed.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit) const {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, limit, [this] { return happened_; });
  }

  [[nodiscard]] bool happened() const { return wait(std::chrono::milliseconds(0)); }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable wake_;
  bool happened_ = false;  // guarded by mutex_
};

}  // namespace faults
