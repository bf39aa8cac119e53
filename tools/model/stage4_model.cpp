#include "tools/model/stage4_model.h"

#include <fmt/format.h>

namespace model {

std::string Stage4Model::carry_out(State& state, int number, Command command) const {
  auto& client = state.client(number);
  switch (command) {
    case Command::acquire:  // SET NX PX
      client.reply = state.holder == nobody ? 1 : 0;
      if (client.reply == 0) return "";
      state.holder = number;
      return "sets the lock";
    case Command::release:  // compare and DEL in one step
      client.reply = state.holder == number ? 1 : state.holder == nobody ? 0 : -1;
      if (client.reply != 1) return "";
      state.holder = nobody;
      return "removes the lock";
    case Command::read: client.reply = state.stored; return fmt::format("reads {}", state.stored);
    case Command::write:
      state.stored = client.value + 1;
      return fmt::format("writes {}", state.stored);
    case Command::renew: break;
  }
  return "";
}

std::string Stage4Model::hear(Client& client) const {
  const auto reply = client.reply;
  client.reply = 0;
  switch (client.asks) {
    case Command::acquire:
      if (reply == 0) {
        client = {.life = Life::done};
        return "contended";
      }
      client.asks = Command::read;
      return "acquired";
    case Command::read:
      client.value = reply;
      client.asks = Command::write;
      return "";
    case Command::write: client.asks = Command::release; return "done";
    case Command::release:
      client = {.life = Life::done};
      return reply == 1 ? "released" : reply == 0 ? "expired" : "stolen";
    case Command::renew: break;
  }
  return "";
}

}  // namespace model
