// A lock client of a search: a real process in virtual time that runs its program (program.h) by
// itself. Its messages stay in flight until the world delivers them (network.h).
//
// Thread-safety: none; one thread.
#pragma once

#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/world/client_connections.h"
#include "faults/explore/world/client_program.h"
#include "faults/explore/world/journal.h"
#include "faults/explore/world/program.h"
#include "faults/explore/world/searched_server.h"
#include "faults/kit/client_protocol.h"
#include "faults/kit/process.h"

namespace explore {

// The parts of its world that a client uses.
struct ClientContext {
  ClientProgram& program;
  const std::map<std::string, std::string>& environment;  // that the lock asks for
  std::filesystem::path directory;                        // for sockets and logs
  std::chrono::milliseconds lease;
  const Program& task;  // of each client
  VirtualTime& time;
  Journal& journal;
  std::deque<SearchedServer>& servers;
  bool killed_only_stops;  // a killed process only stops, until `resume_after_run`
};

class SearchedClient {
 public:
  SearchedClient(std::string name, ClientContext& context);
  ~SearchedClient();
  SearchedClient(const SearchedClient&) = delete;
  SearchedClient& operator=(const SearchedClient&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Its process; 0: there is none.
  [[nodiscard]] pid_t process() const { return process_ && !killed_ ? process_->id() : 0; }
  // The same, also of one that was killed and only stops.
  [[nodiscard]] pid_t present_process() const {
    return process_ && context_.killed_only_stops ? process_->id() : process();
  }
  // When that was started.
  [[nodiscard]] Duration started() const { return started_; }

  // A new run: it has done nothing yet. Starts the process if there is none. True: it is to be
  // warmed up (direct_requests.h). Throws CannotRun, ClientFailed.
  [[nodiscard]] bool begin();
  // Its wall clock shows what that of the run does. A new process's shows no time of the run.
  void set_wall_clock();
  // The next `begin` wants it warmed up again.
  void cool_down() { is_warm_ = false; }
  // Throws CannotRun, with a sentence, if it does not live in virtual time.
  void must_take_part() const;

  // The step of its program that it is at.
  [[nodiscard]] bool has_begun() const { return position_.has_begun(); }
  [[nodiscard]] const ProgramPosition& position() const { return position_; }
  [[nodiscard]] bool is_done() const { return done_; }
  [[nodiscard]] bool is_killed() const { return killed_; }
  [[nodiscard]] bool is_frozen() const { return frozen_; }
  // From the lock's servers; it still reaches the storage.
  [[nodiscard]] bool is_cut_off() const { return cut_off_; }
  // True if a message can pass on that connection.
  [[nodiscard]] bool reaches(const ClientConnection& connection) const {
    return !cut_off_ || connection.is_of_storage();
  }
  // True if a server has ever hung up on its process.
  [[nodiscard]] bool has_lost_server() const { return lost_server_; }
  // True if one of its process's connections ever broke instead of bringing a reply.
  [[nodiscard]] bool has_lost_reply() const { return lost_reply_; }
  // True if its process was cut off, and has connected to a server of the lock since then.
  [[nodiscard]] bool has_connected_since_cut() const {
    return opened_at_cut_ && connections_.opened() != *opened_at_cut_;
  }
  // Its process has been warmed up.
  void note_connections() {
    if (warm_counts_.empty()) warm_counts_ = connections_.counts();
  }
  // True if it has not as many connections to each server as then.
  [[nodiscard]] bool has_other_connections() const { return connections_.counts() != warm_counts_; }
  [[nodiscard]] bool is_under_way() const { return has_begun() && !done_ && !killed_; }
  // True if its program has ended, and it knows that it does not hold the lock.
  [[nodiscard]] bool has_given_back() const;
  // The operation that it is doing: acquire, work or release.
  [[nodiscard]] const std::string& operation() const { return operation_; }
  // The position in its program, in words.
  [[nodiscard]] std::string state() const;
  [[nodiscard]] std::list<ClientConnection>& connections() { return connections_.all(); }

  // Each returns once the process is at rest again.
  void start();                                   // its program
  void ask(nlohmann::json request);               // one operation, beside a program
  void deliver(ClientConnection& connection);     // the first reply
  void lose_reply(ClientConnection& connection);  // the same, and its connection breaks instead
  // Every connection to that server breaks; a client that is cut off sees it after `mend`.
  void lose_server(std::size_t server);
  // All of its threads wait, and none of them is woken until `thaw`.
  void freeze();
  void thaw();
  // Every message between it and a server stays in flight until `mend`.
  void cut_off();
  void mend();
  void kill();
  void notice_time();
  // Ends its process, and writes nothing into the history; `begin` starts another.
  void discard();
  // After a run: whatever has stopped its process ends, and it finishes its last request alone.
  void resume_after_run();

  // What its process has met since the run began: its future depends on nothing else. Long words
  // are as they were (states/word_names.h).
  struct Seen {
    Duration at;          // of the run
    std::size_t acts;     // `acts()` then
    std::string channel;  // the connection that it came on; empty: none
    std::string what;
  };
  [[nodiscard]] const std::vector<Seen>& seen() const { return seen_; }
  // Grows with each command that it sends to the lock's servers, and each operation that it begins.
  [[nodiscard]] std::size_t acts() const {
    return connections_.sent() + static_cast<std::size_t>(id_);
  }
  // The long words of its commands, in the order in which it first used them.
  [[nodiscard]] const std::vector<std::string>& words() const { return connections_.words(); }
  [[nodiscard]] const std::vector<std::string>& word_names() const {
    return connections_.word_names();
  }
  // Until when its threads wait, in order; and by their numbers.
  [[nodiscard]] std::vector<Duration> deadlines() const;
  [[nodiscard]] std::map<std::size_t, Duration> deadlines_by_thread() const;
  // True if an acquire of it was ever answered with a fencing token.
  [[nodiscard]] bool gets_tokens() const { return gets_tokens_; }

  // The outcome of the last operation that was answered.
  [[nodiscard]] const std::string& outcome() const { return outcome_; }
  [[nodiscard]] bool is_waiting_for_answer() const { return waits_for_answer_; }
  // When the next of its own waits ends.
  [[nodiscard]] std::optional<Duration> next_deadline() const;

 private:
  void launch();
  // Waits until the process rests, and takes what it has printed and sent.
  void settle();
  void take_lines();
  void take_answer(const nlohmann::json& answer);
  void continue_program();
  [[nodiscard]] nlohmann::json request_for(const std::string& operation) const;
  // Throws ClientFailed if its process has ended.
  void must_live();
  [[nodiscard]] std::filesystem::path log() const { return context_.directory / (name_ + ".log"); }
  void note_fault(std::string_view what);
  void note_seen(std::string what, std::string channel = {});

  const std::string name_;
  ClientContext& context_;
  ClientConnections connections_;
  std::unique_ptr<VirtualProcess> inside_;
  std::unique_ptr<faults::Process> process_;
  faults::ClientLineReader lines_;

  Duration started_{0};
  ProgramPosition position_;
  std::string operation_;
  std::string outcome_;
  nlohmann::json asked_;
  std::size_t call_ = 0;  // its place in the history
  int id_ = 0;
  bool follows_program_ = false;
  bool waits_for_answer_ = false;
  bool done_ = false;
  bool is_warm_ = false;
  bool killed_ = false;
  bool frozen_ = false;
  bool cut_off_ = false;
  bool lost_server_ = false;
  bool lost_reply_ = false;
  bool gets_tokens_ = false;
  std::optional<int> opened_at_cut_;         // connections
  std::vector<std::ptrdiff_t> warm_counts_;  // of its connections, by server
  std::vector<Seen> seen_;
};

}  // namespace explore
