#include "faults/explore/world/enabled_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace explore {
namespace {

// What a timer may be late by, on a machine that has something else to do.
constexpr std::chrono::milliseconds timers_are_late_by{5};

Event event_of(EventKind kind, const SearchedClient& client, const std::string& what,
               const ClientConnection* connection = nullptr) {
  return {.kind = kind,
          .client = client.name(),
          .label = fmt::format("{}: {}", client.name(), what),
          .target = connection,
          .server = connection == nullptr ? 0 : connection->server};
}

Event message_event(EventKind kind, const SearchedClient& client, const std::string& what,
                    const ClientConnection& connection, const MessageInFlight& message) {
  auto event = event_of(kind, client, what + message.label, &connection);
  event.is_slow = message.slow_since.has_value();
  return event;
}

// Two messages of the same name get a number.
void distinguish(std::vector<Event>& events) {
  std::map<std::string, int> seen;
  for (auto& event : events) {
    const int number = ++seen[event.label];
    if (number > 1) event.label += fmt::format(" ({})", number);
  }
}

template <typename Fits>
bool any_reachable(SearchedClient& client, Fits fits) {
  const auto& connections = client.connections();
  return std::any_of(connections.begin(), connections.end(),
                     [&](const ClientConnection& one) { return client.reaches(one) && fits(one); });
}

bool first_is_due(const std::deque<MessageInFlight>& queue, Duration now) {
  return !queue.empty() && queue.front().is_due(now);
}

bool has_reply_due(SearchedClient& client, Duration now) {
  return any_reachable(
      client, [now](const ClientConnection& one) { return first_is_due(one.replies, now); });
}

bool has_command(SearchedClient& client) {
  return any_reachable(client, [](const ClientConnection& one) { return !one.commands.empty(); });
}

// The end of what stops a client, if it is stopped.
void add_end_of_fault(const SearchedClient& client, std::vector<Event>& events) {
  if (client.is_killed()) return;
  if (client.is_frozen()) {
    events.push_back(event_of(EventKind::thaw, client, "thaw"));
  } else if (client.is_cut_off()) {
    events.push_back(event_of(EventKind::mend, client, "mend"));
  }
}

}  // namespace

void EnabledEvents::begin_run() {
  last_step_ = {};
  rested_.clear();
}

void EnabledEvents::note(const Event& event) {
  if (is_fault(event.kind)) return note_fault(event);
  const bool is_message = event.kind == EventKind::send || event.kind == EventKind::reply;
  last_step_ = {.client = event.client,
                .server = {},
                .was_begin = event.kind == EventKind::begin,
                .was_time = event.kind == EventKind::advance,
                .killed = {}};
  if (is_message && event.server != ClientConnection::storage) last_step_.server = event.server;
  if (ends_a_fault(event.kind)) rested_.erase(event.client);
  if (event.kind != EventKind::advance) return;
  for (const auto& client : world_.clients) {
    if (client.is_frozen() || client.is_cut_off()) rested_.insert(client.name());
  }
}

void EnabledEvents::note_fault(const Event& event) {
  last_step_.was_begin = false;
  if (event.kind == EventKind::kill) last_step_.killed.insert(event.client);
  (event.client.empty() ? last_step_.server_fault : last_step_.client_fault) = true;
}

std::string EnabledEvents::last_step() const {
  const auto& last = last_step_;
  return fmt::format("{} {} {}{}{}{} {}", last.client,
                     last.server ? fmt::format("server {}", *last.server + 1) : "",
                     last.was_begin ? "b" : "", last.was_time ? "t" : "",
                     last.client_fault ? "c" : "", last.server_fault ? "s" : "",
                     fmt::join(last.killed, ","));
}

std::vector<Event> EnabledEvents::list(const Rules& rules) {
  Events events;
  Events faults;
  const auto* only = only_mover(rules);
  add_clients(only, rules, events, faults);
  add_server_faults(rules, only != nullptr, faults);
  if (only == nullptr) add_time(events);
  if (events.empty()) {  // then a client that is stopped has to continue
    for (const auto& client : world_.clients) add_end_of_fault(client, events);
  }
  if (!events.empty()) events.insert(events.end(), faults.begin(), faults.end());
  distinguish(events);
  return events;
}

void EnabledEvents::add_clients(const SearchedClient* only, const Rules& rules, Events& events,
                                Events& faults) {
  const auto may_move = [only](const SearchedClient& client) {
    return !client.is_killed() && (only == nullptr || &client == only);
  };
  bool can_begin = only == nullptr;
  for (auto& client : world_.clients) {
    if (!may_move(client) || client.is_frozen()) continue;
    if (client.has_begun()) {
      add_messages(client, only != nullptr && has_reply_due(client, world_.now()), events);
      add_client_faults(client, rules, faults);
    } else if (can_begin) {
      events.push_back(event_of(EventKind::begin, client, "begin"));
      can_begin = !rules.reduced;
    }
  }
  for (const auto& client : world_.clients) {
    const bool may_end = !rules.reduced || rested_.contains(client.name());
    if (may_end && may_move(client)) add_end_of_fault(client, events);
  }
}

SearchedClient* EnabledEvents::only_mover(const Rules& rules) {
  if (!rules.reduced || rules.first) return nullptr;
  for (auto& client : world_.clients) {
    if (client.is_killed() || client.is_frozen()) continue;
    if (has_reply_due(client, world_.now())) return &client;
    const bool just_begun = last_step_.was_begin && client.name() == last_step_.client;
    if (just_begun && has_command(client)) return &client;
  }
  return nullptr;
}

void EnabledEvents::add_messages(SearchedClient& client, bool replies_only, Events& events) const {
  const auto first = static_cast<std::ptrdiff_t>(events.size());
  for (const auto& connection : client.connections()) {
    if (!client.reaches(connection)) continue;
    const auto& replies = connection.replies;
    if (!replies.empty() && replies.front().may_arrive(world_.now())) {
      const auto* what = replies.front().is_push ? "message from " : "reply ";
      events.push_back(message_event(EventKind::reply, client, what, connection, replies.front()));
    }
    const auto& commands = connection.commands;
    if (!replies_only && !commands.empty() && commands.front().may_arrive(world_.now())) {
      events.push_back(
          message_event(EventKind::send, client, "send ", connection, commands.front()));
    }
  }
  // Not in the order of its connections, which a lost one may have changed in an earlier run.
  std::stable_sort(events.begin() + first, events.end(),
                   [](const Event& a, const Event& b) { return a.label < b.label; });
}

bool EnabledEvents::may_be_struck(const SearchedClient& client, const Rules& rules) const {
  // A fault of a server that follows a death could have come before it.
  if (!client.is_under_way() && !last_step_.killed.contains(client.name())) return false;
  const auto& during = rules.during;
  return during.empty() ||
         std::find(during.begin(), during.end(), client.operation()) != during.end();
}

void EnabledEvents::add_client_faults(SearchedClient& client, const Rules& rules,
                                      Events& faults) const {
  if (rules.faults == 0 || !may_be_struck(client, rules)) return;
  const bool everywhere = !rules.reduced || rules.first;
  const bool in_time = everywhere || last_step_.client == client.name();
  const bool comes_first = everywhere || !last_step_.server_fault;
  const auto offer = [&](FaultKind kind, EventKind event, const char* what) {
    if ((rules.faults & kind) != 0) faults.push_back(event_of(event, client, what));
  };
  // After the fault of a server they may be of any client: each sees its connection break, or not.
  if (in_time || last_step_.server_fault) {
    offer(freeze_fault, EventKind::freeze, "freeze");
    if (!client.is_cut_off()) offer(cut_fault, EventKind::cut, "cut off");
  }
  if (!in_time || !comes_first) return;
  offer(kill_fault, EventKind::kill, "kill");
  add_message_faults(client, rules, faults);
}

void EnabledEvents::add_message_faults(SearchedClient& client, const Rules& rules,
                                       Events& faults) const {
  const auto offer = [&](FaultKind kind, EventKind event, const std::string& what,
                         const ClientConnection& connection) {
    if ((rules.faults & kind) != 0) faults.push_back(event_of(event, client, what, &connection));
  };
  for (const auto& connection : client.connections()) {
    if (!client.reaches(connection)) continue;
    const auto& replies = connection.replies;
    const auto& commands = connection.commands;
    if (!connection.is_of_storage()) {
      if (replies.empty() || replies.front().is_push) continue;
      offer(lose_fault, EventKind::lose, "lose reply " + replies.front().label, connection);
    } else if (!replies.empty() && !replies.front().slow_since) {
      offer(slow_fault, EventKind::slow, "slow reply " + replies.front().label, connection);
    } else if (!commands.empty() && !commands.front().slow_since) {
      offer(slow_fault, EventKind::slow, "slow send " + commands.front().label, connection);
    }
  }
}

void EnabledEvents::add_server_faults(const Rules& rules, bool reply_is_due, Events& faults) const {
  const auto& clients = world_.clients;
  const bool meant = std::any_of(clients.begin(), clients.end(),
                                 [&](const auto& client) { return may_be_struck(client, rules); });
  if (rules.faults == 0 || !meant) return;
  for (std::size_t i = 0; i < world_.servers.size(); ++i) {
    const auto& server = world_.servers[i];
    const bool in_time = !rules.reduced || rules.first || last_step_.was_time ||
                         last_step_.client_fault || last_step_.server == i;
    if (!in_time) continue;
    const auto offer = [&](FaultKind kind, EventKind event, const char* what) {
      if ((rules.faults & kind) == 0) return;
      faults.push_back(
          {.kind = event, .client = {}, .label = server.name() + what, .target = &server});
    };
    if (server.can_fail_over()) offer(failover_fault, EventKind::fail_over, ": fails over");
    offer(amnesia_fault, EventKind::come_empty, ": comes back empty");
    // A clock breaks no connection: before the reply and after it is the same.
    const bool repeats = rules.reduced && reply_is_due;
    if (!repeats) offer(clock_fault, EventKind::jump, ": clock jumps");
  }
}

// Time advances when no other message is due: machines are quick beside leases. It does not wait
// for what is frozen or slow. A timer may be some milliseconds late: if a lease ends within these,
// it may end first.
void EnabledEvents::add_time(Events& events) {
  const bool over =
      std::all_of(world_.clients.begin(), world_.clients.end(),
                  [](const auto& client) { return client.is_killed() || client.is_done(); });
  if (over || message_is_due()) return;
  const auto add = [&](const Moment& moment, const std::string& more = {}) {
    events.push_back({.kind = EventKind::advance,
                      .client = {},
                      .label = "time: to " + moment.what + more,
                      .until = moment.time});
  };
  const auto all = moments();
  const auto earlier = [](const Moment& a, const Moment& b) { return a.time < b.time; };
  const auto first = std::min_element(all.begin(), all.end(), earlier);
  if (first == all.end()) return;
  add(*first);
  if (!first->is_timer) return;
  for (const auto& moment : all) {
    const bool is_close = moment.is_lease && moment.time <= first->time + timers_are_late_by;
    if (is_close) return add(moment, ", before " + first->what);
  }
}

bool EnabledEvents::message_is_due() {
  const auto now = world_.now();
  return std::any_of(world_.clients.begin(), world_.clients.end(), [now](SearchedClient& client) {
    if (client.is_killed() || client.is_frozen()) return false;
    return any_reachable(client, [now](const ClientConnection& one) {
      return first_is_due(one.replies, now) || first_is_due(one.commands, now);
    });
  });
}

std::vector<EnabledEvents::Moment> EnabledEvents::moments() {
  std::vector<Moment> all;
  const auto last = world_.now() + horizon_in_leases * world_.plan.lease;
  const auto offer = [&](std::optional<Duration> time, const std::string& what) {
    if (!time || *time <= world_.now() || *time > last) return;
    all.push_back({.time = *time, .what = what});
  };
  for (auto& server : world_.servers) {
    const auto where = world_.servers.size() == 1 ? "" : " on " + server.name();
    offer(server.next_expiry(), "the end of the lease" + where);
    for (auto& moment : all) moment.is_lease = true;
  }
  for (auto& client : world_.clients) {
    if (!client.is_under_way()) continue;
    for (const auto& connection : client.connections()) {
      for (const auto* queue : {&connection.replies, &connection.commands}) {
        if (queue->empty() || !queue->front().slow_since) continue;
        offer(queue->front().slow_until, client.name() + "'s slow message");
      }
    }
    const auto before = all.size();
    offer(client.next_deadline(), client.name() + "'s next timer");
    if (all.size() > before) all.back().is_timer = true;
  }
  return all;
}

}  // namespace explore
