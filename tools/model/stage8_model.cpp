#include "tools/model/stage8_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace model {
namespace {

constexpr int refused = -1;

// The storage has seen a later hold's token. A read raises the fence, too.
bool is_fenced(State& state, const Client& client) {
  state.fence = std::max(state.fence, client.token);
  return client.token < state.fence;
}

// Gives back the lock in the middle of its work.
std::string abandon(Client& client) {
  client.asks = Command::release;
  client.abandons = true;
  client.renewal = client.renewal == Renewal::running ? Renewal::none : client.renewal;
  return "";
}

void finish(Client& client) {
  client = {.life = Life::done, .renewal = client.renewal};  // it may still be in flight
}

}  // namespace

std::string Stage8Model::carry_out(State& state, int number, Command command) const {
  auto& client = state.client(number);
  switch (command) {
    case Command::acquire:
      if (state.holder != nobody) return "";
      state.holder = number;
      client.reply = ++state.counter;
      return "sets the lock";
    case Command::release:
      client.reply = state.holder == number ? 1 : state.holder == nobody ? 0 : -1;
      if (client.reply != 1) return "";
      state.holder = nobody;
      return "removes the lock";
    case Command::read:
      client.reply = is_fenced(state, client) ? refused : state.stored;
      return client.reply == refused ? "is refused" : fmt::format("reads {}", state.stored);
    case Command::write:
      client.reply = is_fenced(state, client) ? refused : 0;
      if (client.reply == refused) return "is refused";
      state.stored = client.value + 1;
      return fmt::format("writes {}", state.stored);
    case Command::renew: break;  // the lease counts anew
  }
  return "";
}

std::string Stage8Model::hear(Client& client) const {
  const auto reply = client.reply;
  client.reply = 0;
  switch (client.asks) {
    case Command::acquire:
      if (reply == 0) {
        finish(client);
        return "contended";
      }
      client.token = reply;
      client.asks = Command::read;
      client.renewal = Renewal::running;
      return fmt::format("acquired, token {}", client.token);
    case Command::read:  // the last look at its own clock
      if (reply == refused || client.is_late) return abandon(client);
      client.value = reply;
      client.asks = Command::write;
      return "";
    case Command::write:
      if (reply == refused) return abandon(client);
      client.asks = Command::release;
      client.renewal = client.renewal == Renewal::running ? Renewal::none : client.renewal;
      return "done";
    case Command::release: {
      const bool was_working = client.abandons;
      finish(client);
      if (was_working) return "abandoned";
      return reply == 1 ? "released" : reply == 0 ? "expired" : "stolen";
    }
    case Command::renew: break;
  }
  return "";
}

bool Stage8Model::end_lease(State& state) const {
  auto& client = state.client(state.holder);
  client.is_late = client.life == Life::under_way;
  return LockModel::end_lease(state);
}

}  // namespace model
