#include "tools/learning/mistakes/look.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "faults/judging/judge.h"
#include "tools/learning/mistakes/own_accord.h"

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

Commands Commands::where(const Condition& fits) const {
  return {*look_, those(all_, fits)};
}

Commands Commands::named(std::string_view name) const {
  return where([name](const Sent& sent) { return sent.name() == name; });
}

Commands Commands::scripts() const {
  return where([](const Sent& sent) { return sent.is_script(); });
}

Commands Commands::that_did(std::string_view effect) const {
  return where([effect](const Sent& sent) { return sent.did(effect); });
}

Commands Commands::that_wrote() const {
  return where([](const Sent& sent) { return sent.wrote(); });
}

Commands Commands::that_look() const {
  return where([](const Sent& sent) { return sent.looks(); });
}

Commands Commands::leases() const {
  return where([](const Sent& sent) { return sent.name().find("EXPIRE") != std::string::npos; });
}

Commands Commands::answered_yes() const {
  return where([](const Sent& sent) { return sent.said_yes(); });
}

Commands Commands::answered_no() const {
  return where([](const Sent& sent) { return sent.said_no(); });
}

Commands Commands::unheard() const {
  return where([](const Sent& sent) { return sent.heard == never; });
}

Commands Commands::on_anothers() const {
  return where([this](const Sent& sent) { return look_->is_on_anothers(sent); });
}

Commands Commands::after(std::size_t place) const {
  return where([place](const Sent& sent) { return sent.place > place; });
}

Commands Commands::before(std::size_t place) const {
  return where([place](const Sent& sent) { return sent.place < place; });
}

Seen Commands::seen() const {
  if (all_.empty()) return {};
  return {.call = look_->call_of(*all_.front()), .command = all_.front()};
}

Calls Calls::where(const Condition& fits) const {
  return {*look_, those(all_, fits)};
}

Calls Calls::answered(std::string_view outcome) const {
  return where([outcome](const Operation& call) { return call.outcome == outcome; });
}

Calls Calls::inner() const {
  return where([this](const Operation& call) { return look_->depth_before(call) > 0; });
}

Calls Calls::outermost() const {
  return where([this](const Operation& call) { return look_->depth_before(call) == 0; });
}

Calls Calls::of_holders() const {
  return where([this](const Operation& call) {
    const auto* hold = look_->trace().hold_at(call.called);
    return hold != nullptr && hold->is_of(call.client);
  });
}

Calls Calls::that_sent_nothing() const {
  return where([this](const Operation& call) { return !look_->commands_of(call).any(); });
}

Calls Calls::on_one_server() const {
  return look_->on_several_servers() ? Calls(*look_, {}) : *this;
}

Calls Calls::on_several_servers() const {
  return look_->on_several_servers() ? *this : Calls(*look_, {});
}

Commands Calls::commands() const {
  std::vector<const Sent*> all;
  for (const auto* call : all_) {
    for (const auto* command : look_->commands_of(*call)) all.push_back(command);
  }
  return {*look_, std::move(all)};
}

Look::Look(const faults::Record& record) : trace_(record), judgement_(faults::judge(record)) {
  const auto end = std::find_if(record.begin(), record.end(), [](const faults::Event& event) {
    return event.kind == Kind::not_exercised;
  });
  for (const auto& command : trace_.sent) {
    if (command.place < static_cast<std::size_t>(end - record.begin())) sent_.push_back({command});
  }
  mark_renewals(trace_.every_operation, sent_);
}

Calls Look::acquires() const {
  return calls([](const Operation& call) { return call.name == "acquire"; });
}

Calls Look::releases() const {
  return calls([](const Operation& call) { return call.name == "release"; });
}

Calls Look::calls(const Calls::Condition& fits) const {
  std::vector<const Operation*> found;
  for (const auto& counts : trace_.operations) {
    for (const auto& call : trace_.every_operation) {
      if (call.called == counts.called && fits(call)) found.push_back(&call);
    }
  }
  return {*this, std::move(found)};
}

Calls Look::preparations(std::string_view name) const {
  std::vector<const Operation*> found;
  for (const auto& call : trace_.every_operation) {
    if (call.name == name) found.push_back(&call);
  }
  return {*this, std::move(found)};
}

Commands Look::commands() const {
  std::vector<const Sent*> found;
  for (const auto& command : sent_) found.push_back(&command);
  return {*this, std::move(found)};
}

Commands Look::renewals() const {
  return commands().where([](const Sent& sent) { return sent.renews; });
}

Commands Look::commands_of(const Operation& call) const {
  return commands().where([&](const Sent& sent) { return !sent.renews && call_of(sent) == &call; });
}

Calls::Condition Look::of(std::string client) {
  return [client = std::move(client)](const Operation& call) { return call.client == client; };
}

bool Look::broke(faults::Property property) const {
  return std::any_of(judgement_.findings.begin(), judgement_.findings.end(),
                     [property](const auto& finding) { return finding.property == property; });
}

bool Look::had_fault(std::string_view what) const {
  return std::any_of(trace_.record.begin(), trace_.record.end(), [&](const auto& event) {
    return event.kind == Kind::fault && event.text("what") == what;
  });
}

const Operation* Look::call_of(const Sent& command) const {
  return command.operation ? &trace_.every_operation[*command.operation] : nullptr;
}

int Look::depth_before(const Operation& call) const {
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

long long Look::lease_of(const Operation& call) const {
  long long usual = trace_.setting.value("lease_ms", 300LL);
  for (const auto& event : trace_.record) {
    if (event.is(Kind::ready, call.client)) usual = event.data.value("lease_ms", usual);
  }
  return call.asked.value("lease_ms", usual);
}

const Operation* Look::acquire_before(const std::string& client, std::size_t place) const {
  const Operation* found = nullptr;
  for (const auto* call : acquires().acquired().where(of(client))) {
    if (call->answered < place) found = call;
  }
  return found;
}

bool Look::is_on_anothers(const Sent& command) const {
  const auto end = std::min(command.answered, trace_.record.size());
  return std::any_of(trace_.holds.begin(), trace_.holds.end(), [&](const ServerHold& hold) {
    const bool is_theirs =
        hold.server == command.server && !hold.owner.empty() && !hold.may_be_of(command.client);
    if (!is_theirs || command.key() != faults::lock_key) return false;
    if (command.did("del")) return command.place < hold.to && hold.to < end && hold.end == "del";
    return hold.from < end && end <= hold.to;
  });
}

std::size_t Look::votes_for(const Operation& call) const {
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
