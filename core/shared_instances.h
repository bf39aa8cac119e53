// Objects that several owners share, found by a key: one object for each key, made for the first
// owner that asks and destroyed with its last owner.
//
// Thread-safety: safe to share.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace core {

template <typename Key, typename Value>
class SharedInstances {
 public:
  // The object of `key`; `make()` makes it if no owner has it. `make` must not come back here.
  template <typename Make>
  [[nodiscard]] std::shared_ptr<Value> get(const Key& key, Make make) {
    const std::lock_guard guard(mutex_);
    auto& known = all_[key];
    auto value = known.lock();
    if (!value) {
      known = value = make();
      std::erase_if(all_, [](const auto& entry) { return entry.second.expired(); });
    }
    return value;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::weak_ptr<Value>> all_;  // guarded by mutex_
};

// The only object of its class in this process, while it has an owner.
template <typename Value>
[[nodiscard]] std::shared_ptr<Value> only_instance() {
  static SharedInstances<int, Value> only;
  return only.get(0, [] { return std::make_shared<Value>(); });
}

}  // namespace core
