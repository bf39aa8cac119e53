// A slow question, asked on a thread of its own: a thread that renews the leases of many locks must
// not block on it.
//
//   class HostLookup : public Lookup { HostLookup(std::string host); void run(); ... };
//   const auto lookup = begin_or_join<HostLookup>(host);
//   poll(lookup->to_poll()) → lookup->is_done()
//
// No thread joins that thread. Thread-safety: safe to share.
#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/redis/wake_up.h"

namespace core {

class Lookup {
 public:
  // Readable once it is done.
  [[nodiscard]] pollfd to_poll() const { return done_event_.to_poll(); }
  [[nodiscard]] bool is_done() const { return done_; }

  // Waits for at most `time`; is it done?
  [[nodiscard]] bool wait_for(std::chrono::milliseconds time) const {
    auto event = to_poll();
    poll(&event, 1, static_cast<int>(time.count()));
    return is_done();
  }

  // Once it is done: why there is no answer, as one sentence; empty if there is one.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 protected:
  ~Lookup() = default;
  // The end of `run()`.
  void finish(std::string failure = {}) {
    failure_ = std::move(failure);
    done_ = true;
    done_event_.wake();
  }

 private:
  std::string failure_;
  std::atomic<bool> done_{false};
  WakeUp done_event_;
};

// Begins a lookup of `subject`, or joins one that is under way.
template <typename Kind, typename Subject>
[[nodiscard]] std::shared_ptr<const Kind> begin_or_join(const Subject& subject) {
  // Never destroyed: a lookup may be under way when the process ends.
  static auto& mutex = *new std::mutex;
  static auto& under_way = *new std::map<Subject, std::weak_ptr<Kind>>;
  const std::lock_guard guard(mutex);
  std::erase_if(under_way, [](const auto& entry) { return entry.second.expired(); });
  if (const auto known = under_way.find(subject); known != under_way.end()) {
    const auto lookup = known->second.lock();
    if (lookup && !lookup->is_done()) return lookup;
  }
  const auto lookup = std::make_shared<Kind>(subject);
  under_way[subject] = lookup;
  std::thread([lookup] { lookup->run(); }).detach();
  return lookup;
}

}  // namespace core
