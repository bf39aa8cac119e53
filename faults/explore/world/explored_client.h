// A lock client of a search: a real process in virtual time, which goes through its program
// (program.h) by itself, but for its messages: they wait until somebody sends them on.
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/world/client_program.h"
#include "faults/explore/world/exchange.h"
#include "faults/explore/world/journal.h"
#include "faults/explore/world/lock_server.h"
#include "faults/explore/world/program.h"
#include "faults/explore/world/ready_set.h"
#include "faults/kit/process.h"

namespace explore {

// All that a client needs to know of the world around it.
struct Surroundings {
  ClientProgram& program;
  const std::map<std::string, std::string>& environment;  // that the lock asks for
  std::filesystem::path directory;                        // for sockets and logs
  std::chrono::milliseconds lease;
  const Program& task;  // of each client
  VirtualTime& time;
  Journal& journal;
  std::vector<std::unique_ptr<LockServer>>& servers;
};

class ExploredClient {
 public:
  ExploredClient(std::string name, Surroundings& around);
  ~ExploredClient();
  ExploredClient(const ExploredClient&) = delete;
  ExploredClient& operator=(const ExploredClient&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Its process; 0 if there is none.
  [[nodiscard]] pid_t process() const { return process_ && !killed_ ? process_->id() : 0; }

  // A new run: it has done nothing yet. Starts the process if there is none: then true. Throws
  // CannotRun, ClientFailed.
  bool begin();
  // Throws CannotRun, with a sentence, if it does not live in virtual time.
  void must_take_part() const;

  // The step of its program that it is at.
  [[nodiscard]] bool has_begun() const { return place_.has_begun(); }
  [[nodiscard]] bool is_done() const { return done_; }
  [[nodiscard]] bool is_killed() const { return killed_; }
  [[nodiscard]] bool is_frozen() const { return frozen_; }
  // From the lock's servers; it reaches the storage still.
  [[nodiscard]] bool is_cut_off() const { return cut_off_; }
  // May a message pass there?
  [[nodiscard]] bool reaches(const Exchange& exchange) const {
    return !cut_off_ || exchange.is_of_storage();
  }
  // Has a server hung up on it, at any time?
  [[nodiscard]] bool has_lost_server() const { return lost_server_; }
  [[nodiscard]] bool is_under_way() const { return has_begun() && !done_ && !killed_; }
  // Has it done its program, and had the lock never, or gave it back and knows that?
  [[nodiscard]] bool has_given_back() const;
  // The operation that it is doing: acquire, work or release.
  [[nodiscard]] const std::string& operation() const { return doing_; }
  // The place in its program, in words.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] std::list<Exchange>& exchanges() { return exchanges_; }

  // Each returns once the process is at rest again.
  void start();                      // its program
  void ask(nlohmann::json request);  // one operation, beside a program
  void deliver(Exchange& exchange);  // the first answer
  void lose(Exchange& exchange);     // the same, and its connection breaks instead
  // Every connection to that server breaks; one that is cut off sees it when it is mended.
  void lose_all_to(std::size_t server);
  // All of its threads wait, and nobody wakes them until it goes on.
  void freeze();
  void thaw();
  // Every message between it and a server stays on its way until it is mended.
  void cut_off();
  void mend();
  void kill();
  void look_at_time();
  // Ends its process, without a word in the history; `begin` starts another.
  void discard();

  // The outcome of the last operation that was answered.
  [[nodiscard]] const std::string& outcome() const { return outcome_; }
  [[nodiscard]] bool is_waiting_for_answer() const { return waits_for_answer_; }
  // When the next of its own waits ends.
  [[nodiscard]] std::optional<Duration> next_deadline() const;

 private:
  void launch();
  // Waits until the process rests, and takes what it has said and sent.
  void settle();
  void take_what_is_ready();
  void take_lines();
  void take_answer(const nlohmann::json& answer);
  void take_connections();
  // Its connection ends, there and at the server. Returns the next exchange.
  std::list<Exchange>::iterator hang_up_on(std::list<Exchange>::iterator exchange);
  void hang_up_on_all();
  void lose_unseen(std::size_t server);
  // False: the client has hung up.
  [[nodiscard]] bool take_commands(Exchange& exchange) const;
  void continue_program();
  void must_live();
  [[nodiscard]] std::string label_of(const faults::Message& command,
                                     const Exchange& exchange) const;

  const std::string name_;
  Surroundings& around_;
  std::vector<faults::Descriptor> listeners_;  // of each server, then of the storage
  std::unique_ptr<VirtualProcess> inside_;
  std::unique_ptr<faults::Process> process_;
  std::list<Exchange> exchanges_;
  ReadySet ready_;            // its output, the listeners, the exchanges
  std::vector<void*> found_;  // what of that can be read
  std::string said_;          // of a line that has not ended

  ProgramPlace place_;
  std::string doing_;
  std::string outcome_;
  nlohmann::json asked_;
  std::size_t call_ = 0;  // its place in the history
  int id_ = 0;
  bool follows_program_ = false;
  bool waits_for_answer_ = false;
  bool done_ = false;
  bool killed_ = false;
  bool frozen_ = false;
  bool cut_off_ = false;
  bool lost_server_ = false;
};

}  // namespace explore
