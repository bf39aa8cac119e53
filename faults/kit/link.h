// The wire between one client and one server, on which faults can be put.
//
// A link listens on a port of its own and passes on what it gets. It knows RESP well enough to see
// where each command and each reply begins and ends; each is a *boundary*, where the message can be
// forwarded, held back, dropped, delayed, or the connection cut. Messages are passed on byte for
// byte, except for ports that are to be translated. When one side hangs up, the other sees it
// immediately, after the messages that are held back.
//
//   auto held = link.arm({.direction = Direction::reply, .nth = 1}, Action::hold_back);
//   ... the client calls release ...
//   held.await(limit);  // GET has been answered, the client has not heard it
//   held.deliver();
//
// Thread-safety: the public functions may be called from any thread but the loop's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"
#include "faults/kit/told_addresses.h"

namespace faults {

enum class Direction { command, reply };

// How a message is treated at a boundary.
enum class Action {
  forward,    // passed on
  hold_back,  // kept, with everything behind it, until `Fault::deliver` or the fault's end
  drop,       // swallowed; what comes behind it is passed on
  delay,      // passed on after a while
  blackhole,  // swallowed, and everything behind it in this direction too
  reset,      // swallowed, and the connection is reset on both sides
};

struct Boundary {
  std::string client;
  std::string server;
  Direction direction = Direction::command;
  std::string command;  // the command's name, also at its reply; "message" for one that is pushed
  std::string text;     // the whole message, for people
  std::string label = {};          // the command's name, or its script's: see `command_label`
  bool script_is_unknown = false;  // the reply NOSCRIPT: nothing was done
};

// A command that has come from a client.
struct SeenCommand {
  std::string name;
  std::string label;
  bool follows_an_answer = true;  // when it came, the one before had been answered
  bool is_answered = false;
  bool is_refused = false;          // by an error
  bool script_was_unknown = false;  // the error was NOSCRIPT: it will be sent in another way
};

// Which boundary a fault is for: the nth (from 1) that fits, counted from when it was armed.
struct FaultPoint {
  Direction direction = Direction::command;
  int nth = 1;
  std::string command = {};  // only boundaries of this command, by its name or label, if set
};

class LinkState;
class ArmedFault;

// One armed fault. Disarmed when it goes out of scope; a message that it holds back is then
// delivered, and unless an exception is the reason, the history says that the scenario forgot it:
// *not exercised*.
class Fault {
 public:
  Fault(std::shared_ptr<LinkState> link, std::shared_ptr<ArmedFault> armed);
  ~Fault();
  Fault(Fault&&) = default;
  Fault& operator=(Fault&&) = delete;

  // Waits until the boundary was reached. Throws NotExercised if it is not reached within `limit`,
  // or not before `gave_up` says that it will not be any more; or if what was to be dropped,
  // blackholed or reset there went through.
  void await(std::chrono::milliseconds limit, const std::function<bool()>& gave_up = {}) const;

  [[nodiscard]] bool fired() const;

  // Waits for `limit` at most; true once the boundary was reached.
  [[nodiscard]] bool fires_within(std::chrono::milliseconds limit) const;

  // Delivers the message that is held back, and returns once it is on its way. Throws NotExercised
  // if it was not held back to this moment.
  void deliver();

 private:
  std::shared_ptr<LinkState> link_;
  std::shared_ptr<ArmedFault> armed_;
};

class Link {
 public:
  // The notes of a link in the history: every message, or only the faults.
  enum class Notes { every_message, none };

  // Listens on 127.0.0.1, a port of the kernel's choice, and connects each comer to `server`.
  // `loop` and `history` must outlive the link. Throws CannotRun.
  Link(Loop& loop, History& history, std::string client_name, std::string server_name,
       core::Address server, Notes notes = Notes::every_message);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // The address at which the client has to connect.
  [[nodiscard]] core::Address address() const;

  // Arms a fault for one boundary. `delay` is for Action::delay.
  [[nodiscard]] Fault arm(FaultPoint point, Action action,
                          std::chrono::milliseconds delay = std::chrono::milliseconds(0));

  // Puts every boundary that no armed fault claims before `decide`, which runs on the loop's
  // thread and must not block. An empty function: forward everything. A message that it holds back
  // waits for the next call of `decide_by`, which then decides; a delay is for armed faults only.
  void decide_by(std::function<Action(const Boundary&)> decide);

  // From now on every message takes that much longer, in either direction, as over a long wire:
  // many can be on their way at once, and none overtakes another. A message comes to its boundary
  // when it has arrived.
  void set_latency(std::chrono::microseconds each_way);

  // From now on nothing that goes in `direction` arrives, on any connection, old or new: the
  // network swallows it. Or on those connections only on which a replica asked for the stream of
  // changes (https://redis.io/docs/latest/commands/psync/).
  enum class Whose { everybodys, replicas };
  void cut_off(Direction direction, Whose whose = Whose::everybodys);

  // From now on the link refuses connections, as a dead server does.
  void shut();
  // The link accepts connections again. Throws CannotRun.
  void open();

  // From now on the address leads to `server`, as an address that follows a fail-over does; the
  // connections to the old one break.
  void lead_to(core::Address server);

  // From now on the client reads other ports where a server names one of `ports`, as with a router
  // that translates addresses.
  void translate(ToldPorts ports);

  // The commands that have come from the client so far, on all connections, without those that set
  // one up; their names; how many of them may have used a key.
  [[nodiscard]] std::vector<SeenCommand> seen() const;
  [[nodiscard]] std::vector<std::string> commands_seen() const;
  [[nodiscard]] std::size_t count_key_commands() const;

  // True if no command waits for its reply, but those by which its client waits (BLPOP).
  [[nodiscard]] bool all_answered() const;

 private:
  std::shared_ptr<LinkState> state_;
};

}  // namespace faults
