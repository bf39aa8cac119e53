// Stage 4 as a model: SET NX with a token and a lease, and a release that compares.
//
// Thread-safety: pure functions.
#pragma once

#include <string>

#include "tools/model/lock_model.h"

namespace model {

class Stage4Model : public LockModel {
 protected:
  [[nodiscard]] std::string carry_out(State& state, int client, Command command) const override;
  [[nodiscard]] std::string hear(Client& client) const override;
};

}  // namespace model
