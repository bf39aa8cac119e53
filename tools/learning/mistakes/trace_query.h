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
class TraceQuery;

// The place where a mistake was seen: a call, a command, or both. Neither: it was not seen.
struct Seen {
  const Operation* call = nullptr;
  const Sent* command = nullptr;

  explicit operator bool() const { return call != nullptr || command != nullptr; }
};

// Commands to the lock's servers, in the order of sending.
class CommandList {
 public:
  using Condition = std::function<bool(const Sent&)>;

  CommandList(const TraceQuery& query, std::vector<const Sent*> all)
      : query_(&query), all_(std::move(all)) {}

  [[nodiscard]] CommandList where(const Condition& fits) const;
  [[nodiscard]] CommandList named(std::string_view name) const;
  [[nodiscard]] CommandList scripts() const;
  // Those with this effect on their key: set, hset, expire, del, …
  [[nodiscard]] CommandList that_did(std::string_view effect) const;
  // Those that wrote the key, in whatever way.
  [[nodiscard]] CommandList that_wrote() const;
  // Those that ask whose the lock is, or whether it is there, and change nothing.
  [[nodiscard]] CommandList that_look() const;
  // Those that set a lease and do nothing else.
  [[nodiscard]] CommandList leases() const;
  [[nodiscard]] CommandList answered_yes() const;
  [[nodiscard]] CommandList answered_no() const;
  [[nodiscard]] CommandList unheard() const;
  // Those that came to a lock which was another client's by then.
  [[nodiscard]] CommandList on_anothers() const;
  [[nodiscard]] CommandList after(std::size_t place) const;
  [[nodiscard]] CommandList before(std::size_t place) const;

  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] const Sent* first() const { return all_.empty() ? nullptr : all_.front(); }
  [[nodiscard]] const Sent* last() const { return all_.empty() ? nullptr : all_.back(); }
  [[nodiscard]] Seen seen() const;
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

 private:
  const TraceQuery* query_;
  std::vector<const Sent*> all_;
};

// Calls of clients: acquire, release, work, in their order.
class CallList {
 public:
  using Condition = std::function<bool(const Operation&)>;

  CallList(const TraceQuery& query, std::vector<const Operation*> all)
      : query_(&query), all_(std::move(all)) {}

  [[nodiscard]] CallList where(const Condition& fits) const;
  [[nodiscard]] CallList answered(std::string_view outcome) const;
  [[nodiscard]] CallList acquired() const { return answered("acquired"); }
  [[nodiscard]] CallList contended() const { return answered("contended"); }
  [[nodiscard]] CallList unknown() const { return answered("unknown"); }
  // Calls of a thread that is inside already, by its own answers; of one that is not.
  [[nodiscard]] CallList inner() const;
  [[nodiscard]] CallList outermost() const;
  // Calls of a client that had the lock when it called, by what the servers held.
  [[nodiscard]] CallList of_holders() const;
  [[nodiscard]] CallList that_sent_nothing() const;
  [[nodiscard]] CallList on_one_server() const;
  [[nodiscard]] CallList on_several_servers() const;

  // All that these calls sent.
  [[nodiscard]] CommandList commands() const;
  [[nodiscard]] bool any() const { return !all_.empty(); }
  [[nodiscard]] const Operation* first() const { return all_.empty() ? nullptr : all_.front(); }
  [[nodiscard]] Seen seen() const { return {.call = first()}; }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

 private:
  const TraceQuery* query_;
  std::vector<const Operation*> all_;
};

class TraceQuery {
 public:
  explicit TraceQuery(const faults::Record& record);
  TraceQuery(const TraceQuery&) = delete;  // its lists point into it
  TraceQuery& operator=(const TraceQuery&) = delete;

  // Calls of the scenario, on the lock; `preparations` also has those before it, and on other keys.
  [[nodiscard]] CallList acquires() const;
  [[nodiscard]] CallList releases() const;
  [[nodiscard]] CallList calls(const CallList::Condition& fits) const;
  [[nodiscard]] CallList preparations(std::string_view name) const;
  // The commands sent unasked to keep a hold alive.
  [[nodiscard]] CommandList renewals() const;
  [[nodiscard]] CommandList commands_of(const Operation& call) const;
  [[nodiscard]] CommandList commands() const;
  // Calls and commands of one client.
  [[nodiscard]] static CallList::Condition of(std::string client);

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
