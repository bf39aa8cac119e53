// A lock client in a process of its own, with a link to each of the lock's servers and one to the
// storage. It speaks the protocol of docs/client-protocol.md.
//
// Thread-safety: none; the scenario's thread uses it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/redis/address.h"
#include "faults/kit/client_pipes.h"
#include "faults/kit/client_protocol.h"
#include "faults/kit/history.h"
#include "faults/kit/link.h"
#include "faults/kit/loop.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"

namespace faults {

// How long an answer may take, unless a scenario says otherwise, and a process to end.
inline constexpr std::chrono::seconds answer_limit{60};

// The same of a foreign client that starts: its person waits, and a JVM with a pool of connections
// to each of five servers may take most of a minute on a busy machine.
inline constexpr std::chrono::seconds start_limit{120};

// Says a sentence to the person who waits meanwhile.
using Say = std::function<void(const std::string&)>;

// The command that starts a program, of the one that a person would type.
using StartedAs = std::function<std::vector<std::string>(std::vector<std::string>)>;

// One of the lock's servers, as a client meets it.
struct LockNode {
  std::string name;  // its lane
  core::Address address;
  bool is_dead = false;  // then its link is shut
  int announced = 0;     // the port by which servers and Sentinels name it; 0: none do
};

// How a client finds its first server by itself (core/redis/url.h). It has a link to each server
// that may be named, and reads their ports where it asks.
struct ServerSearch {
  std::string scheme;                // "redis-sentinel" or "redis-cluster"
  std::vector<core::Address> asked;  // the Sentinels; empty: the servers themselves
  std::vector<LockNode> others;      // servers that may be named beside the first
  std::string path;                  // of the URL, with its "/"
};

struct ClientPlan {
  std::string name;                                // its lane
  std::vector<std::string> command;                // the program and its arguments
  std::map<std::string, std::string> environment;  // beyond the addresses
  std::filesystem::path log;                       // its standard error
  std::vector<LockNode> nodes;                     // in the order of LOCK_NODES
  std::optional<ServerSearch> search;              // instead of the address of the first
  core::Address storage;
  std::function<void()> catch_up;  // called before an answer is written into the history
  // Has the machine gone on since that was asked last? If empty, it always has.
  std::function<bool()> goes_on = {};
  Say say = {};  // may be empty
  // Set: it first takes a lock of its own that is renewed, for at most that long, until it has
  // renewed it once, so that its servers know what it renews by.
  std::chrono::milliseconds first_renewal_limit{0};
  // True for other people's locks: if the client never answers, asks without end, or dies by
  // itself, the lock is to blame (Misbehaved). Then its start has a limit of its own (start_limit).
  bool is_foreign = false;
  // Its answers may take so many times as long as usual: where waiting costs nothing.
  int patience = 1;
  // Must an acquire that is not asked to wait try once, and answer? Of a learner's lock.
  bool only_tries = false;
};

class Client;

// A request whose answer is still to come. The client must outlive it.
class Pending {
 public:
  // Waits for the answer, writes it into the history, and returns its `outcome`. A client that died
  // meanwhile has the outcome "died". Throws CannotRun after `limit`, or if the client asks without
  // end (Misbehaved, of a foreign one), or if it reports an error and the request was not one that
  // may fail.
  std::string wait(std::chrono::milliseconds limit);
  // The same. The limit is `answer_limit`, as often as the client's patience says, and then the
  // time for which it was asked to wait.
  std::string wait();

  // True once the answer is here.
  [[nodiscard]] bool answered() const;
  // True once the answer is here, and says that the client did not get the lock.
  [[nodiscard]] bool gave_up() const;

 private:
  friend class Client;
  Pending(Client& client, nlohmann::json request, bool may_fail);

  void await_answer(std::chrono::milliseconds limit) const;
  // Throws, like `wait`, if the client asks without end, `waited` since it was asked.
  void must_not_ask_on(std::chrono::milliseconds waited) const;
  // The client's last line since it was asked, and what is wrong with it.
  [[nodiscard]] std::string describe_last_line() const;

  Client* client_;
  nlohmann::json request_;
  bool may_fail_;
  std::string what_;          // for people, such as "A's answer to acquire"
  std::size_t sent_before_;   // commands, when it was asked
  std::size_t lines_before_;  // that it had printed
  std::shared_future<ClientAnswer> answer_;
};

class Client {
 public:
  // Starts it, asks its name, and has it take and give back a lock of its own once, so that it is
  // connected and its scripts are loaded. Throws CannotRun.
  Client(Loop& loop, History& history, Reaper& reaper, ClientPlan plan);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Asks, and returns at once. Operations are answered one after another.
  [[nodiscard]] Pending start_acquire(const AcquireRequest& request = {});
  [[nodiscard]] Pending start_release(const ReleaseRequest& request = {});
  [[nodiscard]] Pending start_extend(const ExtendRequest& request = {});
  [[nodiscard]] Pending start_work(const WorkRequest& request = {});
  // Asks that, whatever it is; `request` gets an id.
  [[nodiscard]] Pending start_request(nlohmann::json request) {
    return start(std::move(request), /*may_fail=*/true);
  }
  // Writes that line into its standard input.
  void write_line(const std::string& line);
  // The line that it printed last; empty: none.
  [[nodiscard]] std::string last_line() const;

  // Asks, and waits for the outcome.
  std::string acquire(const AcquireRequest& request = {}) { return start_acquire(request).wait(); }
  std::string release(const ReleaseRequest& request = {}) { return start_release(request).wait(); }
  std::string extend(const ExtendRequest& request = {}) { return start_extend(request).wait(); }
  std::string work(const WorkRequest& request = {}) { return start_work(request).wait(); }

  // Its answer to hello, in which it introduces itself.
  [[nodiscard]] const nlohmann::json& hello() const { return hello_; }
  // The newest answer to an acquire: what it says of the hold beside the outcome.
  [[nodiscard]] const nlohmann::json& last_acquire() const { return last_acquire_; }

  // Each returns once the process is in that state, and writes that into the history.
  void freeze();
  void thaw();
  void kill();
  // Interrupts the operation that is under way on its thread 1, and returns when that is done; the
  // operation is answered by itself.
  void interrupt();
  // SIGTERM; returns at once. `await_end` waits until the process has ended. Throws CannotRun.
  void terminate();
  void await_end(std::chrono::milliseconds limit = answer_limit);

  // Ends it as its users do. Throws CannotRun if it does not end well, or not within `limit`;
  // NotExercised if it was killed and lives.
  void say_bye(std::chrono::milliseconds limit = answer_limit);

  // Throws ProgramDied if it is a foreign lock's, and has ended by itself.
  void must_not_have_died();

  [[nodiscard]] const std::string& name() const { return plan_.name; }
  // Its way to the lock's server number `node`, from 0.
  [[nodiscard]] Link& lock_link(std::size_t node = 0) { return *lock_links_.at(node); }
  [[nodiscard]] std::size_t lock_links() const { return lock_links_.size(); }
  // The number of commands that it has sent so far, to all of the lock's servers: some locks use no
  // key, but channels alone.
  [[nodiscard]] std::size_t count_commands() const;
  // The number of those that a server has answered.
  [[nodiscard]] std::size_t count_answers() const;
  // The number of those that may use keys.
  [[nodiscard]] std::size_t count_key_commands() const;
  // Has every command been answered that it has sent to the lock's servers?
  [[nodiscard]] bool all_answered() const;
  // From now on nothing that goes in `direction` passes between it and any of the lock's servers.
  void cut_off(Direction direction);
  [[nodiscard]] Link& storage_link() { return storage_link_; }
  [[nodiscard]] Process& process() { return process_; }

 private:
  friend class Pending;

  // Gives the request an id, and sends it.
  [[nodiscard]] Pending start(nlohmann::json request, bool may_fail = false);
  // Writes an answer into the history.
  void take(const nlohmann::json& request, const nlohmann::json& answer);
  // Throws Misbehaved for other people's locks, else ClientFailed.
  [[noreturn]] void fail(const std::string& sentence) const;
  [[nodiscard]] Command command() const;
  [[nodiscard]] std::string first_address() const;
  // Has the client read its own links' ports where servers are named.
  void translate_ports();
  void get_ready();
  // One of the requests before a client is ready, at which it must not die. Returns the outcome.
  std::string ask_to_get_ready(nlohmann::json request);
  void renew_once();
  // True if each server has done a command that may be a renewal, since it had got so many.
  [[nodiscard]] bool has_renewed_since(const std::vector<std::size_t>& seen) const;
  // Throws ProgramDied if it is a foreign lock's, and died by itself in `operation`.
  void note_death(const std::string& operation);
  // How its process ended, waiting at most `limit`; nothing if it still runs. The person hears of
  // it when that is long in coming. Time in which the machine stood still does not count.
  [[nodiscard]] std::optional<Ending> ending(std::chrono::milliseconds limit);

  Loop& loop_;
  History& history_;
  const ClientPlan plan_;
  std::vector<std::unique_ptr<Link>> lock_links_;
  std::vector<std::unique_ptr<Link>> other_links_;  // to the servers that may be named
  std::vector<std::unique_ptr<Link>> asked_links_;  // to the Sentinels
  Link storage_link_;
  Process process_;
  std::shared_ptr<ClientPipes> pipes_;
  int next_id_ = 1;
  nlohmann::json last_acquire_;
  nlohmann::json hello_ = nlohmann::json::object();
  bool over_ = false;  // killed, terminated, or said bye
  bool killed_ = false;
  bool is_ready_ = false;
};

}  // namespace faults
