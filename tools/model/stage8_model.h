// Stage 8 as a model, on one server: each hold gets a fencing token, is renewed by a timer, and the
// storage checks tokens.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "tools/model/lock_model.h"

namespace model {

class Stage8Model : public LockModel {
 protected:
  [[nodiscard]] std::string carry_out(State& state, int client, Command command) const override;
  [[nodiscard]] std::string hear(Client& client) const override;
  [[nodiscard]] bool end_lease(State& state) const override;
};

}  // namespace model
