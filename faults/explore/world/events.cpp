// The events that can happen next.
//
// Reduced, the list leaves out events that only repeat other orders:
//   - an answer concerns its client alone, so it comes before anything else does; the same is true
//     of a client's first command, once it has begun;
//   - a fault does to a client what it does whether others have moved since the client's last step
//     or not: so it comes right behind that step;
//   - a fault of a server comes right behind a step that was about it, or behind time;
//   - so does a second fault behind the same step; of those that can be exchanged, that of a client
//     comes first (a frozen client does not see that a connection breaks: so order matters there);
//   - a freeze, or a cut, that ends before time goes on is none;
//   - clients that have not begun are alike: the first of them begins.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "faults/explore/world/controller.h"

namespace explore {
namespace {

// Waits that are further off are not waited out: the patience with a silent server, say.
constexpr int horizon_in_leases = 10;

Event event_of(Deed deed, const ExploredClient& client, std::string what,
               const Exchange* place = nullptr) {
  return {.deed = deed,
          .client = client.name(),
          .label = fmt::format("{}: {}", client.name(), what),
          .place = place,
          .server = place == nullptr ? 0 : place->server};
}

// Two messages of the same name get a number.
void distinguish(std::vector<Event>& events) {
  std::map<std::string, int> seen;
  for (auto& event : events) {
    const int number = ++seen[event.label];
    if (number > 1) event.label += fmt::format(" ({})", number);
  }
}

bool has_answer_due(ExploredClient& client, Duration now) {
  const auto& exchanges = client.exchanges();
  return std::any_of(exchanges.begin(), exchanges.end(), [&](const Exchange& exchange) {
    return client.reaches(exchange) && !exchange.answers.empty() &&
           exchange.answers.front().is_due(now);
  });
}

bool has_command(ExploredClient& client) {
  const auto& exchanges = client.exchanges();
  return std::any_of(exchanges.begin(), exchanges.end(), [&](const Exchange& exchange) {
    return client.reaches(exchange) && !exchange.commands.empty();
  });
}

// The end of what stops a client, if it is stopped.
std::optional<Event> end_of_stop(const ExploredClient& client) {
  if (client.is_killed()) return std::nullopt;
  if (client.is_frozen()) return event_of(Deed::thaw, client, "thaw");
  if (client.is_cut_off()) return event_of(Deed::mend, client, "mend");
  return std::nullopt;
}

}  // namespace

std::vector<Event> Controller::events(const Rules& rules) {
  std::vector<Event> events;
  std::vector<Event> ends;
  std::vector<Event> faults;
  auto* first = rules.reduced && !rules.first ? goes_first() : nullptr;
  bool can_begin = first == nullptr;
  for (const auto& client : clients_) {
    if (client->is_killed() || (first != nullptr && client.get() != first)) continue;
    if (const auto end = end_of_stop(*client); end && may_end(*client, rules)) ends.push_back(*end);
    if (client->is_frozen()) continue;
    if (!client->has_begun()) {
      if (can_begin) events.push_back(event_of(Deed::begin, *client, "begin"));
      if (rules.reduced) can_begin = false;
      continue;
    }
    add_messages(*client, first != nullptr && has_answer_due(*client, now()), events);
    add_faults(*client, rules, faults);
  }
  events.insert(events.end(), ends.begin(), ends.end());
  may_fail_over_ = may_fail_over_ || (rules.faults & failover_fault) != 0;
  add_server_faults(rules, first != nullptr, faults);
  if (first == nullptr) add_time(events);
  if (events.empty()) {  // nothing else is left
    for (const auto& client : clients_) {
      if (const auto end = end_of_stop(*client)) events.push_back(*end);
    }
  }
  if (!events.empty()) events.insert(events.end(), faults.begin(), faults.end());
  distinguish(events);
  return events;
}

// The client that is the only one to move, if the order is to be reduced.
ExploredClient* Controller::goes_first() const {
  for (const auto& client : clients_) {
    if (client->is_killed() || client->is_frozen()) continue;
    if (has_answer_due(*client, now())) return client.get();
    const bool just_begun = last_step_.was_begin && client->name() == last_step_.client;
    if (just_begun && has_command(*client)) return client.get();
  }
  return nullptr;
}

bool Controller::may_end(const ExploredClient& client, const Rules& rules) const {
  return !rules.reduced || rested_.contains(client.name());
}

void Controller::add_messages(ExploredClient& client, bool answers_only,
                              std::vector<Event>& events) const {
  const auto first = static_cast<std::ptrdiff_t>(events.size());
  for (const auto& exchange : client.exchanges()) {
    if (!client.reaches(exchange)) continue;
    const auto& answers = exchange.answers;
    if (!answers.empty() && answers.front().may_arrive(now())) {
      const auto what = answers.front().is_push ? "message from " : "reply ";
      events.push_back(event_of(Deed::reply, client, what + answers.front().label, &exchange));
      events.back().is_slow = answers.front().slow_since.has_value();
    }
    if (answers_only) continue;
    const auto& commands = exchange.commands;
    if (!commands.empty() && commands.front().may_arrive(now())) {
      events.push_back(event_of(Deed::send, client, "send " + commands.front().label, &exchange));
      events.back().is_slow = commands.front().slow_since.has_value();
    }
  }
  // Not in the order of its connections, which a lost one may have changed in an earlier run.
  std::stable_sort(events.begin() + first, events.end(),
                   [](const Event& a, const Event& b) { return a.label < b.label; });
}

bool Controller::is_meant(const ExploredClient& client, const Rules& rules) const {
  // A fault of a server that follows a death could have come before it.
  if (!client.is_under_way() && !last_step_.died.contains(client.name())) return false;
  const auto& during = rules.during;
  return during.empty() ||
         std::find(during.begin(), during.end(), client.operation()) != during.end();
}

void Controller::add_faults(ExploredClient& client, const Rules& rules,
                            std::vector<Event>& events) const {
  if (rules.faults == 0 || !is_meant(client, rules)) return;
  const bool in_time = !rules.reduced || rules.first || last_step_.client == client.name();
  const bool comes_first = !rules.reduced || rules.first || !last_step_.server_fault;
  const auto offer = [&](Fault kind, Deed deed, const char* what) {
    if ((rules.faults & kind) != 0) events.push_back(event_of(deed, client, what));
  };
  // Behind the fault of a server they may be of any client: each sees its connection break, or not.
  if (in_time || last_step_.server_fault) {
    offer(freeze_fault, Deed::freeze, "freeze");
    if (!client.is_cut_off()) offer(cut_fault, Deed::cut, "cut off");
  }
  if (!in_time || !comes_first) return;
  offer(kill_fault, Deed::kill, "kill");
  add_message_faults(client, rules, events);
}

void Controller::add_message_faults(ExploredClient& client, const Rules& rules,
                                    std::vector<Event>& events) const {
  const auto offer = [&](Fault kind, Deed deed, const std::string& what, const Exchange& exchange) {
    if ((rules.faults & kind) != 0) events.push_back(event_of(deed, client, what, &exchange));
  };
  for (const auto& exchange : client.exchanges()) {
    if (!client.reaches(exchange)) continue;
    const auto& answers = exchange.answers;
    const auto& commands = exchange.commands;
    if (!exchange.is_of_storage()) {
      if (answers.empty() || answers.front().is_push) continue;
      offer(lose_fault, Deed::lose, "lose reply " + answers.front().label, exchange);
    } else if (!answers.empty() && !answers.front().slow_since) {
      offer(slow_fault, Deed::slow, "slow reply " + answers.front().label, exchange);
    } else if (!commands.empty() && !commands.front().slow_since) {
      offer(slow_fault, Deed::slow, "slow send " + commands.front().label, exchange);
    }
  }
}

void Controller::add_server_faults(const Rules& rules, bool answer_is_due,
                                   std::vector<Event>& events) const {
  const bool meant = std::any_of(clients_.begin(), clients_.end(),
                                 [&](const auto& client) { return is_meant(*client, rules); });
  if (rules.faults == 0 || !meant) return;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto& server = *servers_[i];
    const bool in_time = !rules.reduced || rules.first || last_step_.was_time ||
                         last_step_.client_fault || last_step_.server == i;
    if (!in_time) continue;
    const auto add = [&](Deed deed, const std::string& what) {
      events.push_back(
          {.deed = deed, .client = {}, .label = server.name() + ": " + what, .place = &server});
    };
    const bool may_fail_over = (rules.faults & failover_fault) != 0 && server.can_fail_over();
    if (may_fail_over) add(Deed::fail_over, "fails over");
    if ((rules.faults & amnesia_fault) != 0) add(Deed::come_empty, "comes back empty");
    // A clock breaks no connection: before the answer and behind it is the same.
    const bool repeats = rules.reduced && answer_is_due;
    if ((rules.faults & clock_fault) != 0 && !repeats) add(Deed::jump, "clock jumps");
  }
}

// Time goes on when nothing else is on its way: machines are quick beside leases. What is frozen or
// slow is not waited for.
void Controller::add_time(std::vector<Event>& events) {
  const bool over = std::all_of(clients_.begin(), clients_.end(), [](const auto& client) {
    return client->is_killed() || client->is_done();
  });
  if (over || something_is_due()) return;
  if (const auto moment = next_moment()) {
    events.push_back({.deed = Deed::advance, .client = {}, .label = "time: to " + moment->what});
  }
}

bool Controller::something_is_due() const {
  const auto is_due = [this](const auto& queue) {
    return !queue.empty() && queue.front().is_due(now());
  };
  return std::any_of(clients_.begin(), clients_.end(), [&](const auto& client) {
    if (client->is_killed() || client->is_frozen()) return false;
    const auto& exchanges = client->exchanges();
    return std::any_of(exchanges.begin(), exchanges.end(), [&](const Exchange& exchange) {
      return client->reaches(exchange) && (is_due(exchange.answers) || is_due(exchange.commands));
    });
  });
}

std::optional<Controller::Moment> Controller::next_moment() {
  std::optional<Moment> next;
  const auto last = now() + horizon_in_leases * plan_.lease;
  const auto offer = [&](std::optional<Duration> time, const std::string& what) {
    if (!time || *time <= now() || *time > last) return;
    if (!next || *time < next->time) next = Moment{.time = *time, .what = what};
  };
  for (const auto& server : servers_) {
    const auto where = servers_.size() == 1 ? "" : " on " + server->name();
    offer(server->next_expiry(), "the end of the lease" + where);
  }
  for (const auto& client : clients_) {
    if (!client->is_under_way()) continue;
    for (const auto& exchange : client->exchanges()) {
      for (const auto* queue : {&exchange.answers, &exchange.commands}) {
        if (queue->empty() || !queue->front().slow_since) continue;
        offer(queue->front().slow_until, client->name() + "'s slow message");
      }
    }
    offer(client->next_deadline(), client->name() + "'s next timer");
  }
  return next;
}

}  // namespace explore
