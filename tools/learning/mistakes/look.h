// The vocabulary of mistakes: what a lock was seen to do, as lists that are made narrower.
//
//   look.acquires().contended().commands().named("SETNX")
//   look.releases().commands().named("DEL").on_anothers()
//
// Every question is about the trace: commands, answers, effects, outcomes, faults. None is about
// how long something took.
// Thread-safety: values; a list must not outlive its `Look`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"
#include "tools/learning/mistakes/sent.h"

namespace learning {

using faults::Operation;
class Look;

// The place where a mistake was seen: a call, a command, or both. Neither: it was not seen.
struct Seen {
  const Operation* call = nullptr;
  const Sent* command = nullptr;

  explicit operator bool() const { return call != nullptr || command != nullptr; }
};

// Commands to the lock's servers, in the order of sending.
class Commands {
 public:
  using Condition = std::function<bool(const Sent&)>;

  Commands(const Look& look, std::vector<const Sent*> all) : look_(&look), all_(std::move(all)) {}

  [[nodiscard]] Commands where(const Condition& fits) const;
  [[nodiscard]] Commands named(std::string_view name) const;
  [[nodiscard]] Commands scripts() const;
  // Those with this effect on their key: set, hset, expire, del, …
  [[nodiscard]] Commands that_did(std::string_view effect) const;
  // Those that wrote the key, in whatever way.
  [[nodiscard]] Commands that_wrote() const;
  // Those that ask whose the lock is, or whether it is there, and change nothing.
  [[nodiscard]] Commands that_look() const;
  // Those that set a lease and do nothing else.
  [[nodiscard]] Commands leases() const;
  [[nodiscard]] Commands answered_yes() const;
  [[nodiscard]] Commands answered_no() const;
  [[nodiscard]] Commands unheard() const;
  // Those that came to a lock which was another client's by then.
  [[nodiscard]] Commands on_anothers() const;
  [[nodiscard]] Commands after(std::size_t place) const;
  [[nodiscard]] Commands before(std::size_t place) const;

  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] const Sent* first() const { return all_.empty() ? nullptr : all_.front(); }
  [[nodiscard]] const Sent* last() const { return all_.empty() ? nullptr : all_.back(); }
  [[nodiscard]] Seen seen() const;
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

 private:
  const Look* look_;
  std::vector<const Sent*> all_;
};

// Calls of clients: acquire, release, work, in their order.
class Calls {
 public:
  using Condition = std::function<bool(const Operation&)>;

  Calls(const Look& look, std::vector<const Operation*> all) : look_(&look), all_(std::move(all)) {}

  [[nodiscard]] Calls where(const Condition& fits) const;
  [[nodiscard]] Calls answered(std::string_view outcome) const;
  [[nodiscard]] Calls acquired() const { return answered("acquired"); }
  [[nodiscard]] Calls contended() const { return answered("contended"); }
  [[nodiscard]] Calls unknown() const { return answered("unknown"); }
  // Calls of a thread that is inside already, by its own answers; of one that is not.
  [[nodiscard]] Calls inner() const;
  [[nodiscard]] Calls outermost() const;
  // Calls of a client that had the lock when it called, by what the servers held.
  [[nodiscard]] Calls of_holders() const;
  [[nodiscard]] Calls that_sent_nothing() const;
  [[nodiscard]] Calls on_one_server() const;
  [[nodiscard]] Calls on_several_servers() const;

  // All that these calls sent.
  [[nodiscard]] Commands commands() const;
  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] const Operation* first() const { return all_.empty() ? nullptr : all_.front(); }
  [[nodiscard]] Seen seen() const { return {.call = first()}; }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

 private:
  const Look* look_;
  std::vector<const Operation*> all_;
};

class Look {
 public:
  explicit Look(const faults::Record& record);
  Look(const Look&) = delete;  // its lists point into it
  Look& operator=(const Look&) = delete;

  // Calls of the scenario, on the lock; `preparations` also has those before it, and on other keys.
  [[nodiscard]] Calls acquires() const;
  [[nodiscard]] Calls releases() const;
  [[nodiscard]] Calls calls(const Calls::Condition& fits) const;
  [[nodiscard]] Calls preparations(std::string_view name) const;
  // The commands sent unasked to keep a hold alive.
  [[nodiscard]] Commands renewals() const;
  [[nodiscard]] Commands commands_of(const Operation& call) const;
  [[nodiscard]] Commands commands() const;
  // Calls and commands of one client.
  [[nodiscard]] static Calls::Condition of(std::string client);

  [[nodiscard]] const faults::Trace& trace() const { return trace_; }
  [[nodiscard]] const faults::Judgement& judgement() const { return judgement_; }
  [[nodiscard]] bool broke(faults::Property property) const;
  [[nodiscard]] bool had_fault(std::string_view what) const;
  [[nodiscard]] bool on_several_servers() const { return trace_.nodes() > 1; }

  [[nodiscard]] const Operation* call_of(const Sent& command) const;
  // How deep the calling thread is inside when it makes `call`, by its own answers.
  [[nodiscard]] int depth_before(const Operation& call) const;
  // The lease that `call` asks for, in ms.
  [[nodiscard]] long long lease_of(const Operation& call) const;
  // The acquire under which `client` had the lock at `place`; null: none.
  [[nodiscard]] const Operation* acquire_before(const std::string& client, std::size_t place) const;
  // Did `command` come to a lock of another client?
  [[nodiscard]] bool is_on_anothers(const Sent& command) const;
  // How many servers said yes to `call` before it was answered.
  [[nodiscard]] std::size_t votes_for(const Operation& call) const;

 private:
  faults::Trace trace_;
  faults::Judgement judgement_;
  std::vector<Sent> sent_;
};

// The fencing token that an acquire was answered with.
[[nodiscard]] std::optional<long long> fencing_token_of(const Operation& acquire);

}  // namespace learning
