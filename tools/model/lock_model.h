// A lock as a small labelled transition system: what may happen in each state, and what comes of
// it.
//
// The world is the same for each lock. A client has one message of its program in flight: a command
// on its way to the server or the storage, or the reply on its way back; and perhaps a renewal.
// Each arrives at any time, unless the client is frozen or dead. Time passes when no message is on
// its way, since messages are quick beside leases; those of a frozen client do not count. A lock
// adds its rules: what a command does where it arrives, and what its client does with the reply.
//
// Thread-safety: pure functions and values; no I/O.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "tools/model/action_graph.h"

namespace model {

// A client's program: acquire, work (read, write), release.
enum class Command { acquire, read, write, release, renew };

enum class Life { not_begun, under_way, done, dead };

// The renewal of a hold: its timer runs, or was due while its client was frozen; or its command or
// the reply is in flight.
enum class Renewal { none, running, due, sent, answered };

struct Client {
  Life life = Life::not_begun;
  Command asks = Command::acquire;  // the message of its program
  bool is_answered = false;         // what is in flight is the reply
  Renewal renewal = Renewal::none;
  bool is_frozen = false;
  bool is_late = false;   // its own clock says that its lease has ended
  bool abandons = false;  // it gives back the lock, since its work has failed
  int reply = 0;          // what the reply in flight says
  int value = 0;          // that it has read
  int token = 0;          // its fencing token; 0: it has none

  friend auto operator<=>(const Client&, const Client&) = default;
};

inline constexpr int nobody = -1;

struct State {
  std::vector<Client> clients;
  int faults = 0;       // that may still happen
  int holder = nobody;  // at the server: the client whose hold is there
  int counter = 0;      // at the server: of fencing tokens
  int stored = 0;       // in the storage: the value
  int fence = 0;        // in the storage: the highest token that it has seen

  [[nodiscard]] Client& client(int number) { return clients.at(static_cast<std::size_t>(number)); }
  [[nodiscard]] const Client& client(int number) const {
    return clients.at(static_cast<std::size_t>(number));
  }

  friend auto operator<=>(const State&, const State&) = default;
};

struct Bounds {
  int clients = 2;
  unsigned faults = 0;                   // the kinds (explore::FaultKind)
  int at_most = 1;                       // faults in one run
  std::vector<std::string> during = {};  // acquire, work, release; empty: in any
};

struct Step {
  std::optional<Action> action;  // nothing: time passes to a client's timer
  State next;
};

class Steps;

class LockModel {
 public:
  LockModel() = default;
  LockModel(const LockModel&) = delete;
  LockModel& operator=(const LockModel&) = delete;
  virtual ~LockModel() = default;

  // Every step that is possible in that state.
  [[nodiscard]] std::vector<Step> enabled(const State& state, const Bounds& bounds) const;

 protected:
  // A command of `client` arrives and is carried out in one step: sets the reply. Returns what came
  // of it, in words; empty: nothing has changed.
  [[nodiscard]] virtual std::string carry_out(State& state, int client, Command command) const = 0;
  // The reply to a command of `client`'s program arrives: it sends the next, or is done. Returns
  // the outcome of the operation that ends by it; empty: none does.
  [[nodiscard]] virtual std::string hear(Client& client) const = 0;
  // The lease of the holder ends. False: this lock has none that ends.
  [[nodiscard]] virtual bool end_lease(State& state) const;

 private:
  void add_messages(Steps& steps, const State& state, int client) const;
};

[[nodiscard]] State initial_state(const Bounds& bounds);

// All that the model may do, as a graph. It must be finite.
[[nodiscard]] ActionGraph unfold(const LockModel& lock, const Bounds& bounds);

}  // namespace model
