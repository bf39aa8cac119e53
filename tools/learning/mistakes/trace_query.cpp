#include "tools/learning/mistakes/trace_query.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "faults/judging/judge.h"
#include "tools/learning/mistakes/renewals.h"

namespace learning {

using faults::Kind;
using faults::never;
using faults::ServerHold;

namespace {

template <typename List, typename Condition>
List those(const List& all, const Condition& fits) {
  List kept;
  std::copy_if(all.begin(), all.end(), std::back_inserter(kept),
               [&](const auto* one) { return fits(*one); });
  return kept;
}

int thread_of(const Operation& call) {
  return call.asked.value("thread", 1);
}

}  // namespace

CommandList CommandList::where(const Condition& fits) const {
  return {*query_, those(all_, fits)};
}

CommandList CommandList::named(std::string_view name) const {
  return where([name](const Sent& sent) { return sent.name() == name; });
}

CommandList CommandList::scripts() const {
  return where([](const Sent& sent) { return sent.is_script(); });
}

CommandList CommandList::that_did(std::string_view effect) const {
  return where([effect](const Sent& sent) { return sent.did(effect); });
}

CommandList CommandList::that_wrote() const {
  return where([](const Sent& sent) { return sent.wrote(); });
}

CommandList CommandList::that_look() const {
  return where([](const Sent& sent) { return sent.looks(); });
}

CommandList CommandList::leases() const {
  return where([](const Sent& sent) { return sent.name().find("EXPIRE") != std::string::npos; });
}

CommandList CommandList::answered_yes() const {
  return where([](const Sent& sent) { return sent.said_yes(); });
}

CommandList CommandList::answered_no() const {
  return where([](const Sent& sent) { return sent.said_no(); });
}

CommandList CommandList::unheard() const {
  return where([](const Sent& sent) { return sent.heard == never; });
}

CommandList CommandList::on_anothers() const {
  return where([this](const Sent& sent) { return query_->is_on_anothers(sent); });
}

CommandList CommandList::after(std::size_t place) const {
  return where([place](const Sent& sent) { return sent.place > place; });
}

CommandList CommandList::before(std::size_t place) const {
  return where([place](const Sent& sent) { return sent.place < place; });
}

Seen CommandList::seen() const {
  if (all_.empty()) return {};
  return {.call = query_->call_of(*all_.front()), .command = all_.front()};
}

CallList CallList::where(const Condition& fits) const {
  return {*query_, those(all_, fits)};
}

CallList CallList::answered(std::string_view outcome) const {
  return where([outcome](const Operation& call) { return call.outcome == outcome; });
}

CallList CallList::inner() const {
  return where([this](const Operation& call) { return query_->depth_before(call) > 0; });
}

CallList CallList::outermost() const {
  return where([this](const Operation& call) { return query_->depth_before(call) == 0; });
}

CallList CallList::of_holders() const {
  return where([this](const Operation& call) {
    const auto* hold = query_->trace().hold_at(call.called);
    return hold != nullptr && hold->is_of(call.client);
  });
}

CallList CallList::that_sent_nothing() const {
  return where([this](const Operation& call) { return !query_->commands_of(call).any(); });
}

CallList CallList::on_one_server() const {
  return query_->on_several_servers() ? CallList(*query_, {}) : *this;
}

CallList CallList::on_several_servers() const {
  return query_->on_several_servers() ? *this : CallList(*query_, {});
}

CommandList CallList::commands() const {
  std::vector<const Sent*> all;
  for (const auto* call : all_) {
    for (const auto* command : query_->commands_of(*call)) all.push_back(command);
  }
  return {*query_, std::move(all)};
}

TraceQuery::TraceQuery(const faults::Record& record)
    : trace_(record), judgement_(faults::judge(record)) {
  const auto end = std::find_if(record.begin(), record.end(), [](const faults::Event& event) {
    return event.kind == Kind::not_exercised;
  });
  for (const auto& command : trace_.sent) {
    if (command.place < static_cast<std::size_t>(end - record.begin())) sent_.push_back({command});
  }
  mark_renewals(trace_.every_operation, sent_);
}

CallList TraceQuery::acquires() const {
  return calls([](const Operation& call) { return call.name == "acquire"; });
}

CallList TraceQuery::releases() const {
  return calls([](const Operation& call) { return call.name == "release"; });
}

CallList TraceQuery::calls(const CallList::Condition& fits) const {
  std::vector<const Operation*> found;
  for (const auto& counts : trace_.operations) {
    for (const auto& call : trace_.every_operation) {
      if (call.called == counts.called && fits(call)) found.push_back(&call);
    }
  }
  return {*this, std::move(found)};
}

CallList TraceQuery::preparations(std::string_view name) const {
  std::vector<const Operation*> found;
  for (const auto& call : trace_.every_operation) {
    if (call.name == name) found.push_back(&call);
  }
  return {*this, std::move(found)};
}

CommandList TraceQuery::commands() const {
  std::vector<const Sent*> found;
  for (const auto& command : sent_) found.push_back(&command);
  return {*this, std::move(found)};
}

CommandList TraceQuery::renewals() const {
  return commands().where([](const Sent& sent) { return sent.renews; });
}

CommandList TraceQuery::commands_of(const Operation& call) const {
  return commands().where([&](const Sent& sent) { return !sent.renews && call_of(sent) == &call; });
}

CallList::Condition TraceQuery::of(std::string client) {
  return [client = std::move(client)](const Operation& call) { return call.client == client; };
}

bool TraceQuery::broke(faults::Property property) const {
  return std::any_of(judgement_.findings.begin(), judgement_.findings.end(),
                     [property](const auto& finding) { return finding.property == property; });
}

bool TraceQuery::had_fault(std::string_view what) const {
  return std::any_of(trace_.record.begin(), trace_.record.end(), [&](const auto& event) {
    return event.kind == Kind::fault && event.text("what") == what;
  });
}

const Operation* TraceQuery::call_of(const Sent& command) const {
  return command.operation ? &trace_.every_operation[*command.operation] : nullptr;
}

int TraceQuery::depth_before(const Operation& call) const {
  int depth = 0;
  for (const auto& other : trace_.every_operation) {
    const bool same =
        other.client == call.client && other.key == call.key && thread_of(other) == thread_of(call);
    if (!same || other.answered >= call.called) continue;
    if (other.is("acquire", "acquired")) ++depth;
    const bool leaves = other.name == "release" || other.outcome == "abandoned";
    if (leaves && other.outcome != "unknown" && depth > 0) --depth;
  }
  return depth;
}

long long TraceQuery::lease_of(const Operation& call) const {
  long long usual = trace_.setting.value("lease_ms", 300LL);
  for (const auto& event : trace_.record) {
    if (event.is(Kind::ready, call.client)) usual = event.data.value("lease_ms", usual);
  }
  return call.asked.value("lease_ms", usual);
}

const Operation* TraceQuery::acquire_before(const std::string& client, std::size_t place) const {
  const Operation* found = nullptr;
  for (const auto* call : acquires().acquired().where(of(client))) {
    if (call->answered < place) found = call;
  }
  return found;
}

bool TraceQuery::is_on_anothers(const Sent& command) const {
  const auto end = std::min(command.answered, trace_.record.size());
  return std::any_of(trace_.holds.begin(), trace_.holds.end(), [&](const ServerHold& hold) {
    const bool is_theirs =
        hold.server == command.server && !hold.owner.empty() && !hold.may_be_of(command.client);
    if (!is_theirs || command.key() != faults::lock_key) return false;
    if (hold.end == "taken over" && hold.ended_by == command.client) {
      return command.place < hold.to && hold.to < end;
    }
    if (command.did("del")) return command.place < hold.to && hold.to < end && hold.end == "del";
    return hold.from < end && end <= hold.to;
  });
}

std::size_t TraceQuery::votes_for(const Operation& call) const {
  std::map<std::string, bool> last;
  for (const auto* command : commands_of(call)) {
    if (command->heard < call.answered) last[command->server] = command->said_yes();
  }
  return static_cast<std::size_t>(
      std::count_if(last.begin(), last.end(), [](const auto& vote) { return vote.second; }));
}

std::optional<long long> fencing_token_of(const Operation& acquire) {
  const auto found = acquire.answer.find("fencing_token");
  if (found == acquire.answer.end() || !found->is_number()) return std::nullopt;
  return found->get<long long>();
}

}  // namespace learning
