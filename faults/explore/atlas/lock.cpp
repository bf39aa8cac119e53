#include "faults/explore/atlas/lock.h"

#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"
#include "faults/explore/atlas/scripts.h"

namespace atlas {

using std::chrono::milliseconds;

Lock::Lock(core::Server& server, std::string key, milliseconds lease, const Parts& parts,
           std::shared_ptr<Renewer> renewer)
    : server_(server),
      key_(std::move(key)),
      counter_(key_ + ":fencing"),
      lease_(core::checked_lease(lease)),
      parts_(parts),
      renewer_(std::move(renewer)) {}

Lock::~Lock() {
  for (const auto& [thread, held] : held_.take_all()) {
    if (renewer_) renewer_->stop_renewing(*held.hold);
  }
}

core::Acquire Lock::try_acquire() {
  const auto value = parts_.token ? core::random_token() : std::string("held");
  const auto hold = std::make_shared<Hold>(key_, value, lease_, Clock::now());
  try {
    return acquire_for(hold);
  } catch (const core::LostReply&) {
    roll_back(value);
    return core::Acquire::unknown;
  }
}

core::Acquire Lock::acquire_for(const std::shared_ptr<Hold>& hold) {
  std::uint64_t fencing_token = 0;
  if (!set(*hold, fencing_token)) return core::Acquire::contended;
  if (parts_.look && hold->remaining() == milliseconds(0)) {
    roll_back(hold->value());
    return core::Acquire::unknown;
  }
  if (renewer_) renewer_->watch(hold);
  held_.set({.hold = hold, .fencing_token = fencing_token});
  return core::Acquire::acquired;
}

bool Lock::set(const Hold& hold, std::uint64_t& fencing_token) {
  if (parts_.acquire == Acquire::script) return set_by_script(hold, fencing_token);
  const auto lease = std::to_string(lease_.count());
  if (parts_.acquire == Acquire::set) {
    const auto set = server_.command({"SET", key_, hold.value(), "NX", "PX", lease});
    if (!set.is_ok()) return false;
  } else {
    if (server_.command({"SETNX", key_, hold.value()}).integer() == 0) return false;
    const bool expires = parts_.acquire == Acquire::setnx_and_expire;
    // Weakness: a holder that dies right here leaves the key without a lease.
    if (expires && server_.command({"PEXPIRE", key_, lease}).integer() == 0) return false;
  }
  if (!parts_.fencing) return true;
  fencing_token = static_cast<std::uint64_t>(server_.command({"INCR", counter_}).integer());
  return true;
}

bool Lock::set_by_script(const Hold& hold, std::uint64_t& fencing_token) {
  const auto lease = std::to_string(lease_.count());
  const auto set = parts_.fencing
                       ? server_.run(scripts::acquire, {key_, counter_}, {hold.value(), lease})
                       : server_.run(scripts::acquire, {key_}, {hold.value(), lease});
  fencing_token = static_cast<std::uint64_t>(set.integer());
  return set.integer() > 0;
}

core::Release Lock::release() {
  const auto held = held_.get();
  if (!held && (parts_.token || parts_.release == Release::none)) return core::Release::not_held;
  if (held && renewer_) renewer_->stop_renewing(*held->hold);
  try {
    const auto outcome = leave(held ? held->hold->value() : std::string());
    held_.clear();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

core::Release Lock::leave(const std::string& value) {
  switch (parts_.release) {
    // The kit's clients warm up with a key of their own, one after the other.
    case Release::none:
      if (key_ != "warm-up") return core::Release::released;
      break;
    case Release::compare: return compare_and_delete(value);
    case Release::script: return remove_by_script(value);
    case Release::del: break;
  }
  // Weakness: it removes the key no matter who set it.
  const auto removed = server_.command({"DEL", key_});
  return removed.integer() == 1 ? core::Release::released : core::Release::not_held;
}

core::Release Lock::compare_and_delete(const std::string& value) {
  const auto holder = server_.command({"GET", key_});
  if (holder.is_nil()) return core::Release::expired;
  if (holder.text() != value) return core::Release::stolen;
  // Weakness: if the lease ends right here, this removes a successor's lock.
  const auto removed = server_.command({"DEL", key_});
  return removed.integer() == 1 ? core::Release::released : core::Release::expired;
}

core::Release Lock::remove_by_script(const std::string& value) {
  const auto removed = server_.run(scripts::release, {key_}, {value});
  if (removed.integer() == 0) return core::Release::expired;
  return removed.integer() == 1 ? core::Release::released : core::Release::stolen;
}

void Lock::roll_back(const std::string& value) noexcept {
  if (!parts_.compares_on_release()) return;
  try {
    (void)leave(value);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

std::optional<milliseconds> Lock::remaining() const {
  if (!parts_.look) return std::nullopt;
  return held_.look([](const Held& held) { return std::optional(held.hold->remaining()); });
}

std::optional<std::uint64_t> Lock::fencing_token() const {
  if (!parts_.fencing) return std::nullopt;
  return held_.look([](const Held& held) { return std::optional(held.fencing_token); });
}

}  // namespace atlas
