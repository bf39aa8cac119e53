// A small lock, made of the parts that its user chooses (parts.h).
//
// For the atlas, which searches every combination: most of them are wrong, and meant to be.
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/lock.h"
#include "core/per_thread.h"
#include "core/redis/server.h"
#include "faults/explore/atlas/hold.h"
#include "faults/explore/atlas/parts.h"
#include "faults/explore/atlas/renewer.h"

namespace atlas {

class Lock : public core::Lock {
 public:
  // `server` must outlive the lock. `renewer` is null if the lock is not renewed.
  Lock(core::Server& server, std::string key, std::chrono::milliseconds lease, const Parts& parts,
       std::shared_ptr<Renewer> renewer);
  ~Lock() override;

  // Before it returns `unknown` it rolls back what it may hold, if its release compares.
  [[nodiscard]] core::Acquire try_acquire() override;
  // `released` without a command if the lock has no release.
  [[nodiscard]] core::Release release() override;
  // Nothing if the lock does not look at its clock.
  [[nodiscard]] std::optional<std::chrono::milliseconds> remaining() const override;
  [[nodiscard]] std::optional<std::uint64_t> fencing_token() const override;

 private:
  struct Held {
    std::shared_ptr<Hold> hold;
    std::uint64_t fencing_token = 0;
  };

  [[nodiscard]] core::Acquire acquire_for(const std::shared_ptr<Hold>& hold);
  // False: another client has the lock.
  [[nodiscard]] bool set(const Hold& hold, std::uint64_t& fencing_token);
  [[nodiscard]] bool set_by_script(const Hold& hold, std::uint64_t& fencing_token);
  [[nodiscard]] core::Release leave(const std::string& value);
  [[nodiscard]] core::Release compare_and_delete(const std::string& value);
  [[nodiscard]] core::Release remove_by_script(const std::string& value);
  // After a lost reply: removes what may have been set under `value`, if that can be told.
  void roll_back(const std::string& value) noexcept;

  core::Server& server_;
  const std::string key_;
  const std::string counter_;  // the key of its fencing tokens
  const std::chrono::milliseconds lease_;
  const Parts parts_;
  const std::shared_ptr<Renewer> renewer_;
  core::PerThread<Held> held_;
};

}  // namespace atlas
