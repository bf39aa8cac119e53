#include "tools/model/lock_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "faults/explore/world/event.h"

namespace model {
namespace {

const char* word_for(Command command) {
  switch (command) {
    case Command::acquire: return "acquire";
    case Command::read: return "read";
    case Command::write: return "write";
    case Command::release: return "release";
    case Command::renew: break;
  }
  return "renew";
}

// As explore's `--during` names it.
std::string operation_of(const Client& client) {
  const bool works =
      client.asks == Command::read || client.asks == Command::write || client.abandons;
  return works ? "work" : word_for(client.asks);
}

bool is_under_way(const Client& client) {
  return client.life == Life::under_way;
}

bool has_message_due(const Client& client) {
  const bool renews = client.renewal == Renewal::sent || client.renewal == Renewal::answered;
  return !client.is_frozen && (is_under_way(client) || renews);
}

// Time passes while a client still wants something, and when no message is due.
bool may_time_pass(const State& state) {
  const auto& all = state.clients;
  return std::none_of(all.begin(), all.end(), has_message_due) &&
         std::any_of(all.begin(), all.end(), [](const Client& client) {
           return client.life == Life::not_begun || is_under_way(client);
         });
}

void continue_after_freeze(Client& client) {
  client.is_frozen = false;
  if (client.renewal != Renewal::due) return;
  client.renewal = client.is_late ? Renewal::none : Renewal::sent;
}

}  // namespace

// The steps of one state.
class Steps {
 public:
  explicit Steps(const State& state) : state_(state) {}

  // `change` changes the state that follows; returns the effect.
  template <typename Change>
  void add(int client, const std::string& what, Change change) {
    auto next = state_;
    const std::string effect = change(next);
    steps_.push_back({Action{{static_cast<char>('A' + client)}, what, effect}, std::move(next)});
  }

  // The same without an effect, of the client alone.
  template <typename Change>
  void change_client(int client, const std::string& what, Change change) {
    add(client, what, [&](State& next) {
      change(next.client(client));
      return "";
    });
  }

  template <typename Change>
  void add_fault(int client, const std::string& what, Change change) {
    add(client, what, [&](State& next) {
      --next.faults;
      change(next.client(client));
      return "";
    });
  }

  void add_time(std::optional<Action> action, State next) {
    steps_.push_back({std::move(action), std::move(next)});
  }

  [[nodiscard]] std::vector<Step> take() { return std::move(steps_); }

 private:
  const State& state_;
  std::vector<Step> steps_;
};

namespace {

void add_faults(Steps& steps, const State& state, int number, const Bounds& bounds) {
  const auto& during = bounds.during;
  const bool may_be_struck =
      during.empty() ||
      std::find(during.begin(), during.end(), operation_of(state.client(number))) != during.end();
  if (state.faults == 0 || !may_be_struck) return;
  if ((bounds.faults & explore::freeze_fault) != 0) {
    steps.add_fault(number, "freezes", [](Client& client) { client.is_frozen = true; });
  }
  if ((bounds.faults & explore::kill_fault) != 0) {
    steps.add_fault(number, "dies", [](Client& client) { client = {.life = Life::dead}; });
  }
}

// A timer comes before the end of the lease that it is to renew.
void add_passing_time(Steps& steps, const State& state, const std::optional<State>& lease_ended) {
  if (!may_time_pass(state)) return;
  for (std::size_t i = 0; i < state.clients.size(); ++i) {
    if (state.clients[i].renewal != Renewal::running) continue;
    auto next = state;
    next.clients[i].renewal = Renewal::due;
    return steps.add_time(std::nullopt, std::move(next));
  }
  if (lease_ended) steps.add_time(Action{"", "the lease ends", ""}, *lease_ended);
}

}  // namespace

State initial_state(const Bounds& bounds) {
  return {.clients = std::vector<Client>(static_cast<std::size_t>(bounds.clients)),
          .faults = bounds.at_most};
}

void LockModel::add_messages(Steps& steps, const State& state, int number) const {
  const auto& client = state.client(number);
  const std::string message = word_for(client.asks);
  if (is_under_way(client) && !client.is_answered) {
    steps.add(number, message + " arrives", [&](State& next) {
      next.client(number).is_answered = true;
      return carry_out(next, number, client.asks);
    });
  } else if (is_under_way(client)) {
    steps.add(number, "reply to " + message + " arrives", [&](State& next) {
      next.client(number).is_answered = false;
      return hear(next.client(number));
    });
  }
  if (client.renewal == Renewal::sent) {
    steps.add(number, "renew arrives", [&](State& next) {
      next.client(number).renewal = Renewal::answered;
      return carry_out(next, number, Command::renew);
    });
  } else if (client.renewal == Renewal::answered) {
    steps.change_client(number, "reply to renew arrives",
                        [](Client& next) { next.renewal = Renewal::none; });
  }
}

std::vector<Step> LockModel::enabled(const State& state, const Bounds& bounds) const {
  Steps steps(state);
  for (int i = 0; i < bounds.clients; ++i) {
    const auto& client = state.client(i);
    if (client.life == Life::not_begun) {
      steps.change_client(i, "begins", [](Client& next) { next.life = Life::under_way; });
    }
    if (client.is_frozen) {
      steps.change_client(i, "continues", continue_after_freeze);
    } else {
      add_messages(steps, state, i);
      if (is_under_way(client)) add_faults(steps, state, i, bounds);
    }
  }
  auto later = state;
  const bool ends = state.holder != nobody && end_lease(later);
  add_passing_time(steps, state, ends ? std::optional(later) : std::nullopt);
  return steps.take();
}

bool LockModel::end_lease(State& state) const {
  state.holder = nobody;
  return true;
}

ActionGraph unfold(const LockModel& lock, const Bounds& bounds) {
  std::vector<State> states{initial_state(bounds)};
  std::map<State, std::size_t> places{{states.front(), 0}};
  ActionGraph graph;
  for (std::size_t place = 0; place < states.size(); ++place) {
    graph.emplace_back();
    for (auto& [action, next] : lock.enabled(State(states[place]), bounds)) {
      const auto [found, is_new] = places.emplace(next, states.size());
      if (is_new) states.push_back(next);
      graph[place].push_back({.action = std::move(action), .next = found->second});
    }
  }
  return graph;
}

}  // namespace model
