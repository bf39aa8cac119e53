#include "faults/world/wait_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "faults/kit/errors.h"
#include "faults/kit/rest_detector.h"

namespace faults {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void WaitFor::renewals(Client& client, std::size_t count) const {
  if (renews(client, count)) return;
  throw NotExercised(fmt::format("waited {} ms for {} renewals of {}, and they never came",
                                 timing_.renewal_limit().count(), count, client.name()));
}

bool WaitFor::renews(Client& client, std::size_t count) const {
  const auto deadline = steady_clock::now() + timing_.renewal_limit();
  const auto wanted = client.lock_link().count_key_commands() + count;
  while (client.lock_link().count_key_commands() < wanted) {
    if (const auto end = client.process().ending(milliseconds(0))) {
      throw NotExercised(fmt::format("{} {}: it {}", client.name(), died_renewing, end->text()));
    }
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

void WaitFor::replies(Client& client) const {
  for (std::size_t i = 0; i < client.lock_links(); ++i) replies(client, i);
}

void WaitFor::delivery(Client& client) const {
  if (!servers_.speak_redis()) return;
  commands_at_all_nodes(client);
  replies(client);
}

void WaitFor::replies(Client& client, std::size_t node) const {
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  while (!client.lock_link(node).all_answered()) {
    if (steady_clock::now() > deadline) {
      throw NotExercised(
          fmt::format("{} has sent a command that was never answered", client.name()));
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void WaitFor::rest(Client& client) const {
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  RestDetector detector(client.process().id());
  // More than any library sends before it goes to sleep: that client asks again and again.
  constexpr std::size_t most_before_rest = 10;
  const auto asks_on = client.count_key_commands() + most_before_rest * client.lock_links();
  for (auto sent = client.count_key_commands(); steady_clock::now() < deadline;) {
    // Elsewhere the server answers a waiter when the lock is its own.
    if (servers_.speak_redis()) replies(client);
    const bool rests = detector.look();
    if (rests && client.count_key_commands() == sent) return;
    sent = client.count_key_commands();
    if (sent >= asks_on) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void WaitFor::commands_at_all_nodes(Client& client) const {
  const auto deadline = steady_clock::now() + timing_.wait_limit();
  const auto same_everywhere = [&] {
    std::set<std::size_t> counts;
    for (std::size_t i = 0; i < client.lock_links(); ++i) {
      if (servers_.server(i).process().running())
        counts.insert(client.lock_link(i).count_key_commands());
    }
    return counts.size() <= 1;
  };
  while (!same_everywhere() && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void WaitFor::loss_report(const Client& client) const {
  const auto limit = steady_clock::now() + timing_.loss_report_limit();
  while (!has_reported_loss(client) && servers_.count_lock() < servers_.majority() &&
         steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(5));
  }
}

void WaitFor::lock_to_go() const {
  if (!servers_.knows_key()) return;
  const auto limit = steady_clock::now() + 2 * timing_.lease();
  while (servers_.count_lock() > 0 && steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(5));
  }
}

bool WaitFor::has_reported_loss(const Client& client) const {
  const auto record = history_.record();
  return std::any_of(record.begin(), record.end(), [&](const Event& event) {
    return event.is(Kind::told, client.name()) && event.text("event") == "lost";
  });
}

void WaitFor::answer(const Pending& pending, milliseconds time) {
  const auto limit = steady_clock::now() + time;
  while (!pending.answered() && steady_clock::now() < limit) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

std::size_t WaitFor::first_answer(const std::vector<Pending>& pending,
                                  const std::vector<bool>& over) {
  const auto deadline = steady_clock::now() + 3 * Timing::boundary_timeout;
  while (steady_clock::now() < deadline) {
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (!over[i] && pending[i].answered()) return i;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  throw NotExercised("waited 30 s for an answer, and none came");
}

}  // namespace faults
