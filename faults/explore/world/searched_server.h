// One of the lock's servers in a search: a real redis-server in virtual time. Each change of its
// data is known to be the work of the command that was carried out.
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/redis/async_connection.h"
#include "core/redis/server.h"
#include "faults/explore/coverage/script_calls.h"
#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/world/client_connection.h"
#include "faults/explore/world/journal.h"
#include "faults/explore/world/ready_set.h"
#include "faults/explore/world/snapshot.h"
#include "faults/kit/process.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/tested_lock.h"

namespace explore {

class SearchedServer {
 public:
  // Starts it, with the scripts and the marker of `stage`. Throws CannotRun.
  SearchedServer(const faults::TestedLock& stage, const faults::RedisBinary& binary,
                 std::string name, const std::filesystem::path& directory, VirtualTime& time,
                 Journal& journal, faults::Reaper& reaper);
  SearchedServer(const SearchedServer&) = delete;
  SearchedServer& operator=(const SearchedServer&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] pid_t process() const { return process_->id(); }
  [[nodiscard]] const core::Address& address() const { return direct_.address(); }
  // The command as schedules have it: the file of the stage's script that it runs; of another
  // script its label, with the lock's key as in the history, since that differs in each run.
  [[nodiscard]] std::string label_of(const faults::Message& command);

  // `command` is about to be sent to it: notes the call of a script, if it is one of a script that
  // is known here, and what the server has now.
  void record_call(const faults::Message& command, ScriptCalls& calls);

  // Connects `connection`, which stays where it is.
  void connect(ClientConnection& connection);
  // Hangs up on the server, which knows it when this returns.
  void disconnect(ClientConnection& connection);
  // The connections on which it has sent something, or hung up.
  [[nodiscard]] std::vector<ClientConnection*> readable_connections() const;

  // Its keys, by name; without the owners.
  [[nodiscard]] std::vector<Snapshot::KeyState> keys();

  // All that its later answers depend on: its data, its clock, the scripts that a server in its
  // place has been taught. Long words are as they are.
  [[nodiscard]] std::string contents();
  // The data of its replica, which lacks the last change; empty: there is none.
  [[nodiscard]] std::string replica_contents() const;

  // Brings it to the state in which it started.
  void clear();
  // It forgets its scripts, until the next `clear`.
  void forget_scripts();
  // True if the command runs a script that it has: by its text or by its digest, that is the same.
  [[nodiscard]] bool has_script_of(const faults::Message& command) const;
  // True if it has no key except the marker.
  [[nodiscard]] bool is_clear();

  // A command is about to be sent to it. `keep_copy`: a replica may have to take over without the
  // changes that the command makes.
  void expect_changes(bool keep_copy = false);
  // True if it has a copy from before the last change of this run.
  [[nodiscard]] bool can_fail_over() const { return before_last_change_.has_value(); }
  // Writes into the history what has changed since the last call: by the command of `client`, which
  // has been answered; by itself, if that is empty. When this returns, all that the server has sent
  // to clients has arrived.
  void catch_up(const std::string& client);
  // The same for a command that may have no answer yet.
  void catch_up_unanswered(const std::string& client);

  // A server that knows no script takes its place: with the data from before the last change, or
  // without any. The caller must hang up the connections.
  void fail_over();
  void come_back_empty();
  // Its wall clock jumps; keys whose time has come are removed.
  void jump_ahead(Duration by);

  // When its next key has ended: a moment later than it ends, as it no longer exists then.
  [[nodiscard]] std::optional<Duration> next_expiry();
  // Time has advanced: removes the keys that have ended. `next_expiry` must have been called
  // before.
  void notice_time();

 private:
  struct Key {
    std::string name;
    std::string value;
    std::optional<std::chrono::milliseconds> ends_in;
  };
  // All its data at a moment, as DUMP returns it.
  struct Copy {
    Duration time{0};
    std::vector<Key> keys;
    std::string contents = {};
  };
  // The keys that a script lists, by name.
  [[nodiscard]] std::vector<Key> read_keys(std::string_view script);
  void load_scripts();
  [[nodiscard]] std::string known_scripts();
  // Another server with that data takes its place; `how` is the event in the history.
  void replace_by(const Copy& data, nlohmann::json how);

  // Writes a change into the history, if it is one. False: it is the reply to PING.
  bool note(const core::Reply& heard, const std::string& client);
  // Reads every key, which removes those that have ended, and learns when the next one ends.
  void expire_keys();

  const std::string name_;
  const std::string marker_;
  const bool is_foreign_;  // the lock
  VirtualTime& time_;
  Journal& journal_;
  VirtualProcess inside_;
  core::Server direct_;
  std::unique_ptr<faults::Process> process_;
  std::unique_ptr<core::AsyncConnection> watcher_;
  ReadySet upstream_;  // the connections of clients
  const std::vector<faults::ScriptFile> script_files_;
  std::map<std::string, std::string> scripts_;  // file names or labels, by digest
  std::map<std::string, std::string> texts_;    // of these scripts, by digest
  bool knows_scripts_ = false;
  bool is_replaced_ = false;  // in this run
  Duration ahead_{0};         // its clock

  // Known facts about its keys.
  bool knows_expiry_ = false;
  std::vector<std::string> ending_keys_;
  std::optional<Duration> next_expiry_;
  std::optional<bool> is_clear_;
  std::optional<Copy> before_command_;      // that is under way
  std::optional<Copy> before_last_change_;  // of this run
};

}  // namespace explore
