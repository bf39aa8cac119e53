#include "learning/evidence/evidence.h"

#include <algorithm>

#include "faults/judging/judge.h"
#include "learning/evidence/own_accord.h"

namespace learning {

using faults::Event;
using faults::Kind;
using faults::Record;

Evidence::Evidence(const Record& record) : trace(record), judgement(faults::judge(record)) {
  const auto end = std::find_if(record.begin(), record.end(), [](const Event& event) {
    return event.kind == Kind::not_exercised;
  });
  for (const auto& command : trace.sent) {
    if (command.place < static_cast<std::size_t>(end - record.begin())) sent.push_back({command});
  }
  mark_renewals(calls(), sent);
}

bool Evidence::broke(faults::Property property) const {
  return std::any_of(judgement.findings.begin(), judgement.findings.end(),
                     [property](const auto& finding) { return finding.property == property; });
}

long long Evidence::stood_still_between(std::size_t from, std::size_t until) const {
  long long time = 0;
  for (auto place = from; place < record().size(); ++place) {
    if (record()[place].kind != Kind::stood_still) continue;
    time += record()[place].data.value("for_ms", 0LL);
    if (place > until) break;
  }
  return time;
}

long long Evidence::usual_lease() const {
  return trace.setting.value("lease_ms", 300LL);
}

long long Evidence::default_lease(const std::string& lane) const {
  const auto ready = std::find_if(record().begin(), record().end(), [&](const Event& event) {
    return event.kind == Kind::ready && event.process == lane;
  });
  return ready == record().end() ? usual_lease() : ready->data.value("lease_ms", usual_lease());
}

long long Evidence::lease_of(const Call& call) const {
  return call.asked.value("lease_ms", default_lease(call.client));
}

std::vector<const Sent*> Evidence::of(const Call& call) const {
  std::vector<const Sent*> found;
  auto command = std::partition_point(
      sent.begin(), sent.end(), [&](const Sent& earlier) { return earlier.place < call.called; });
  for (; command != sent.end() && command->place < call.answered; ++command) {
    if (!command->renews && call_of(*command) == &call) found.push_back(&*command);
  }
  return found;
}

std::vector<const Sent*> Evidence::renewals() const {
  std::vector<const Sent*> found;
  for (const auto& command : sent) {
    if (command.renews) found.push_back(&command);
  }
  return found;
}

const Call* Evidence::call_of(const Sent& command) const {
  return command.operation ? &calls()[*command.operation] : nullptr;
}

const faults::ServerHold* Evidence::held_at(const std::string& server, std::size_t place) const {
  return trace.hold_on(server, place);
}

std::string Evidence::token_of(const std::string& lane, std::size_t place,
                               std::string_view key) const {
  std::string token;
  for (const auto& command : sent) {
    if (command.place >= place) break;
    if (command.client != lane || command.key() != key) continue;
    const auto* call = call_of(command);
    const bool takes = call != nullptr && call->name == "acquire" && !command.token().empty();
    const bool sets = command.is_script() || command.name().starts_with("SET");
    if (takes && sets && (command.said_yes() || command.did("set"))) token = command.token();
  }
  return token;
}

std::vector<const Call*> Evidence::acquired() const {
  std::vector<const Call*> found;
  for (const auto& call : calls()) {
    if (call.is("acquire", "acquired") && call.key == lock_key) found.push_back(&call);
  }
  return found;
}

std::size_t count_faults(const Evidence& evidence, std::string_view what, std::size_t from,
                         std::size_t to, std::string_view lane) {
  const auto count =
      std::count_if(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
        return event.kind == faults::Kind::fault && event.text("what") == what &&
               from < event.number && event.number < to && (lane.empty() || event.process == lane);
      });
  return static_cast<std::size_t>(count);
}

bool is_small_number(const std::string& text) {
  return text.size() < 4 && is_number(text);
}

}  // namespace learning
