// Waits for what clients and servers do by themselves, each with a deadline.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "faults/kit/client.h"
#include "faults/kit/history.h"
#include "faults/world/lock_servers.h"
#include "faults/world/timing.h"

namespace faults {

class WaitFor {
 public:
  // The reason that `renewals` gives if the client died.
  static constexpr std::string_view died_renewing = "was to renew its lock, and \"died\"";

  WaitFor(const Timing& timing, LockServers& servers, const History& history)
      : timing_(timing), servers_(servers), history_(history) {}

  // `client` has sent the first server `count` more commands by itself that may be renewals. Throws
  // NotExercised if that takes too long for a lock that renews as this one says.
  void renewals(Client& client, std::size_t count) const;
  // The same of a lock that may have stopped to renew: false then, when a short lease has ended.
  // Throws NotExercised if the client died.
  [[nodiscard]] bool renews(Client& client, std::size_t count) const;

  // Every command that `client` has sent, or has sent to one server, is answered. Throws
  // NotExercised.
  void replies(Client& client) const;
  void replies(Client& client, std::size_t node) const;

  // The same, and its program has nothing to do but to wait, or has asked so often that it asks
  // again and again. One that does neither has had the wait limit for it. Throws NotExercised.
  void rest(Client& client) const;

  // Every living server has got as many commands of `client` as any other: an operation may be over
  // before the last server has heard of it. Gives up after the wait limit.
  void commands_at_all_nodes(Client& client) const;

  // Both: what `client` has sent so far is with its servers, and answered. Returns at once where
  // commands cannot be read. Throws NotExercised.
  void delivery(Client& client) const;

  // `client` has reported that it lost the lock, which was removed, or has set it again. Gives up
  // when its own lease has expired.
  void loss_report(const Client& client) const;
  // No server has the lock any more, if its key is known. Gives up after two short leases.
  void lock_to_go() const;
  [[nodiscard]] bool has_reported_loss(const Client& client) const;

  // `pending` is answered, or `time` has passed. The default is enough unless it waits for a
  // message that is held back.
  static void answer(const Pending& pending,
                     std::chrono::milliseconds time = Timing::node_timeout / 4);
  // One of `pending` that is not yet `over` is answered; returns its index. Throws NotExercised if
  // none is.
  static std::size_t first_answer(const std::vector<Pending>& pending,
                                  const std::vector<bool>& over);

 private:
  const Timing& timing_;
  LockServers& servers_;
  const History& history_;
};

}  // namespace faults
