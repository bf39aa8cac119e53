// One value for each thread that has set one: a lock object that threads share remembers this way
// which thread holds it, and under which token.
//
// Threads are numbered by a counter of this process. `std::thread::id` would not do: the operating
// system reuses it as soon as a thread ends, and the next thread would inherit the hold.
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace core {

// The calling thread's number: the same for its whole life, never used again.
[[nodiscard]] inline std::uint64_t this_thread_number() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t mine = next.fetch_add(1);
  return mine;
}

template <typename Value>
class PerThread {
 public:
  // The calling thread's value, if it has one.
  [[nodiscard]] std::optional<Value> get() const {
    const std::lock_guard guard(mutex_);
    const auto found = values_.find(this_thread_number());
    return found == values_.end() ? std::nullopt : std::optional<Value>(found->second);
  }

  // The result of `look` on the value, which is not copied; empty without a value. `look` must be
  // quick: other threads wait meanwhile.
  template <typename Look>
  [[nodiscard]] auto look(Look look) const -> decltype(look(std::declval<const Value&>())) {
    const std::lock_guard guard(mutex_);
    const auto found = values_.find(this_thread_number());
    if (found == values_.end()) return {};
    return look(found->second);
  }

  // Calls `change` with the value, a new one if there was none; it returns whether the thread keeps
  // it. `look` and `change` must not call back into the same object.
  template <typename Change>
  void change(Change change) {
    const std::lock_guard guard(mutex_);
    const auto place = values_.try_emplace(this_thread_number()).first;
    if (!change(place->second)) values_.erase(place);
  }

  void set(Value value) {
    const std::lock_guard guard(mutex_);
    values_.insert_or_assign(this_thread_number(), std::move(value));
  }

  // Takes every thread's value out.
  [[nodiscard]] std::map<std::uint64_t, Value> take_all() {
    const std::lock_guard guard(mutex_);
    return std::exchange(values_, {});
  }

  void clear() {
    const std::lock_guard guard(mutex_);
    values_.erase(this_thread_number());
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Value> values_;  // guarded by mutex_
};

}  // namespace core
