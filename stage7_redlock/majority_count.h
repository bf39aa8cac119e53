// Counts the releases that a majority of the nodes has announced.
//
// A release is known by the token of the hold that it ended. One node's word is not enough, and a
// node that is slow, frozen or cut off is not needed. An acquire that is rolled back has no
// majority to announce it: it wakes no waiter.
//
// Thread-safety: safe to share; one thread calls `receive`.
#pragma once

#include <cstddef>
#include <list>
#include <set>
#include <string>
#include <string_view>

#include "core/redis/address.h"
#include "stage6_reentrant/waiting/release_count.h"

namespace stage7 {

class MajorityCount final : public stage6::ReleaseCount {
 public:
  explicit MajorityCount(std::size_t majority) : majority_(majority) {}

  void receive(const core::Address& node, std::string_view token) override {
    // An old release that only a minority has announced matters to no waiter any more.
    constexpr std::size_t kept = 64;
    auto release = announced_.begin();
    while (release != announced_.end() && release->token != token) ++release;
    if (release == announced_.end()) {
      if (announced_.size() == kept) announced_.pop_front();
      release = announced_.insert(release, {.token = std::string(token)});
    }
    release->nodes.insert(node);
    if (release->nodes.size() < majority_) return;
    announced_.erase(release);
    add();
  }

 private:
  struct Release {
    std::string token;
    std::set<core::Address> nodes = {};  // they have announced it
  };

  const std::size_t majority_;
  std::list<Release> announced_;  // the oldest first
};

}  // namespace stage7
