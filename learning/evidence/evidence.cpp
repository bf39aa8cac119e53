#include "learning/evidence/evidence.h"

#include <algorithm>

#include "faults/judging/judge.h"

namespace learning {

using faults::Event;
using faults::Kind;
using faults::Record;

Evidence::Evidence(const Record& its_record)
    : record(its_record),
      story(its_record),
      judgement(faults::judge(its_record)),
      calls(calls_of(its_record)),
      sent(commands_of(its_record, calls)) {}

bool Evidence::broke(faults::Property property) const {
  return std::any_of(judgement.findings.begin(), judgement.findings.end(),
                     [property](const auto& finding) { return finding.property == property; });
}

long long Evidence::ms(std::size_t place) const {
  if (place >= record.size()) return 0;
  const auto first = std::find_if(story.events.begin(), story.events.end(),
                                  [](const Event& event) { return event.kind == Kind::call; });
  const auto zero = first == story.events.end() ? 0 : record[first->number].at.count();
  return (record[place].at.count() - zero) / 1000;
}

long long Evidence::stood_still_between(std::size_t from, std::size_t until) const {
  long long time = 0;
  for (auto place = from; place < record.size(); ++place) {
    if (record[place].kind != Kind::stood_still) continue;
    time += record[place].data.value("for_ms", 0LL);
    if (place > until) break;
  }
  return time;
}

long long Evidence::usual_lease() const {
  return story.setting.value("lease_ms", 300LL);
}

long long Evidence::default_lease(const std::string& lane) const {
  const auto ready = std::find_if(record.begin(), record.end(), [&](const Event& event) {
    return event.kind == Kind::ready && event.lane == lane;
  });
  return ready == record.end() ? usual_lease() : ready->data.value("lease_ms", usual_lease());
}

long long Evidence::lease_of(const Call& call) const {
  return call.asked.value("lease_ms", default_lease(call.lane));
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
  return command.call ? &calls[*command.call] : nullptr;
}

const faults::ServerHold* Evidence::held_at(const std::string& server, std::size_t place) const {
  for (const auto& hold : story.holds) {
    const auto from = story.events[hold.from].number;
    const auto to = hold.to == faults::never ? faults::never : story.events[hold.to].number;
    if (hold.server == server && from <= place && place < to) return &hold;
  }
  return nullptr;
}

std::string Evidence::token_of(const std::string& lane, std::size_t place,
                               std::string_view key) const {
  std::string token;
  for (const auto& command : sent) {
    if (command.place >= place) break;
    if (command.lane != lane || command.key() != key) continue;
    const auto* call = call_of(command);
    const bool takes = call != nullptr && call->name == "acquire" && !command.token().empty();
    const bool sets = command.is_script() || command.name().starts_with("SET");
    if (takes && sets && (command.said_yes() || command.did("set"))) token = command.token();
  }
  return token;
}

std::vector<const Call*> Evidence::acquired() const {
  std::vector<const Call*> found;
  for (const auto& call : calls) {
    if (call.is("acquire", "acquired") && call.key == lock_key) found.push_back(&call);
  }
  return found;
}

std::size_t count_faults(const Evidence& evidence, std::string_view what, std::size_t from,
                         std::size_t to, std::string_view lane) {
  const auto count =
      std::count_if(evidence.record.begin(), evidence.record.end(), [&](const auto& event) {
        return event.kind == faults::Kind::fault && event.text("what") == what &&
               from < event.number && event.number < to && (lane.empty() || event.lane == lane);
      });
  return static_cast<std::size_t>(count);
}

bool is_small_number(const std::string& text) {
  return text.size() < 4 && is_number(text);
}

}  // namespace learning
