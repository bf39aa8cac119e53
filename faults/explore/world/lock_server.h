// One of the lock's servers, in virtual time: a real redis-server, whose every change is known to
// be the deed of the command that was carried out.
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
#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/world/exchange.h"
#include "faults/explore/world/journal.h"
#include "faults/explore/world/ready_set.h"
#include "faults/explore/world/snapshot.h"
#include "faults/kit/process.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/tested_lock.h"

namespace explore {

class LockServer {
 public:
  // Starts it, with the scripts and the marker of `stage`. Throws CannotRun.
  LockServer(const faults::TestedLock& stage, const faults::RedisBinary& binary, std::string name,
             const std::filesystem::path& directory, VirtualTime& time, Journal& journal,
             faults::Reaper& reaper);
  LockServer(const LockServer&) = delete;
  LockServer& operator=(const LockServer&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] pid_t process() const { return process_->id(); }
  [[nodiscard]] const core::Address& address() const { return direct_.address(); }
  // The file of the script that has that SHA-1, or that text; EVAL if it is none of the stage's.
  [[nodiscard]] std::string name_of_script(const std::string& script) const;

  // Connects `exchange`, which stays where it is.
  void connect(Exchange& exchange);
  // Hangs up on the server, which knows of it when this returns.
  void disconnect(Exchange& exchange);
  // The exchanges for which it has sent something, or hung up on.
  [[nodiscard]] std::vector<Exchange*> heard_from() const;

  // All that it has, by name; without the owners.
  [[nodiscard]] std::vector<Snapshot::Key> keys();

  // As it was when it started.
  void clear();
  // It knows no script, as a new one; those of a stage again from `clear` on.
  void forget_scripts();
  // Is it so? (It has no key but the marker.)
  [[nodiscard]] bool is_clear();

  // A command is about to be sent to it: what was known of its keys is no longer. `keep_copy`: a
  // replica may have to take over without the changes that it makes.
  void expect_changes(bool keep_copy = false);
  // Has it a copy from before the last change of this run?
  [[nodiscard]] bool can_fail_over() const { return before_last_change_.has_value(); }
  // Writes down what has changed since the last call: by the command of `client`, which has been
  // answered; if that is empty, by itself. Everything that it has sent to anybody has arrived when
  // this returns.
  void catch_up(const std::string& client);
  // The same for a command that may have no answer yet.
  void catch_up_unanswered(const std::string& client);

  // Its place is taken by a server that knows no script: with the data from before the last change,
  // or without any. Whoever is connected must be hung up on by the caller.
  void fail_over();
  void come_back_empty();
  // Its wall clock jumps; keys whose time has come are removed.
  void jump_ahead(Duration by);

  // When the next of its keys ends; a moment later, as it does not exist any more then.
  [[nodiscard]] std::optional<Duration> next_expiry();
  // After time went on: removes the keys that have ended. `next_expiry` was asked before it did.
  void look_at_time();

 private:
  // All its data at a moment, as DUMP gives it.
  struct Copy {
    struct Key {
      std::string name;
      std::string value;
      std::optional<std::chrono::milliseconds> ends_in;
    };
    Duration time{0};
    std::vector<Key> keys;
  };
  [[nodiscard]] Copy copy();
  void load_scripts();
  // Another server with that data takes its place. The history is told how that came.
  void replace_by(const Copy& data, nlohmann::json how);

  // Writes down a change, if it is one. False: it is the answer to PING.
  bool note(const core::Reply& heard, const std::string& client);
  // Looks at every key, which removes those that have ended, and sees when the next one ends.
  void look_at_keys();

  const std::string name_;
  const std::string marker_;
  VirtualTime& time_;
  Journal& journal_;
  VirtualProcess inside_;
  core::Server direct_;
  std::unique_ptr<faults::Process> process_;
  std::unique_ptr<core::AsyncConnection> watcher_;
  ReadySet upstream_;  // the connections of clients
  const std::vector<faults::ScriptFile> script_files_;
  std::map<std::string, std::string> scripts_;  // file names, by SHA-1 and by text
  bool knows_scripts_ = false;
  Duration ahead_{0};  // its clock

  // As far as it is known.
  bool is_looked_at_ = false;
  std::vector<std::string> ending_keys_;
  std::optional<Duration> next_expiry_;
  std::optional<bool> is_clear_;
  std::optional<Copy> before_command_;      // the one under way
  std::optional<Copy> before_last_change_;  // of this run
};

}  // namespace explore
