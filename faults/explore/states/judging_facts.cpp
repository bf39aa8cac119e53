#include "faults/explore/states/judging_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "faults/judging/judge.h"
#include "faults/judging/trace.h"

namespace explore {
namespace {

using faults::Kind;
using faults::Operation;
using faults::Property;
using faults::ServerHold;
using faults::Trace;

// How long ago something at a place of a history was.
class Ago {
 public:
  Ago(const faults::Record& record, std::chrono::microseconds now) : record_(record), now_(now) {}
  [[nodiscard]] std::string operator()(std::size_t place) const {
    return fmt::format("{} us ago", (now_ - record_.at(place).at).count());
  }

 private:
  const faults::Record& record_;
  std::chrono::microseconds now_;
};

std::set<std::string> clients_of(const Trace& trace) {
  std::set<std::string> clients;
  for (const auto& operation : trace.operations) clients.insert(operation.client);
  return clients;
}

// How many operations `client` had begun before `place`.
long number_at(const Trace& trace, const std::string& client, std::size_t place) {
  return std::count_if(trace.operations.begin(), trace.operations.end(),
                       [&](const auto& one) { return one.client == client && one.called < place; });
}

// What is said of each, in the order of their names.
std::string all_of(const std::map<std::string, std::string>& texts) {
  std::string all;
  for (const auto& [name, text] : texts) {
    if (!text.empty()) all += fmt::format("{}: {}\n", name, text);
  }
  return all;
}

std::string broken(const Trace& trace) {
  std::set<std::string_view> names;
  for (const auto property : faults::broken_properties(trace)) {
    names.insert(faults::to_string(property));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Mutual exclusion asks, of each accepted write, who has written since its client last read.
std::string overwritten(const Trace& trace, const std::set<std::string>& ended) {
  std::map<std::string, std::set<std::string>> written;  // by reader and account
  std::map<std::string, std::set<std::string>> writers;  // by account
  const auto clients = clients_of(trace);
  for (const auto& event : trace.events) {
    if (event.kind != Kind::storage) continue;
    const auto account = event.text("account");
    if (event.text("what") == "read") written[event.process + " of " + account].clear();
    if (event.text("what") != "write" || !event.data.value("accepted", false)) continue;
    for (const auto& client : clients) {
      if (client != event.process) written[client + " of " + account].insert(event.process);
    }
  }
  std::string text;
  for (const auto& [reader, others] : written) {
    const bool matters = !others.empty() && !ended.contains(reader.substr(0, reader.find(' ')));
    if (matters) text += fmt::format("{} by {}; ", reader, fmt::join(others, ", "));
  }
  return text;
}

// Whose the lock is: asked by nearly all judges. The time is asked of a lock without a lease, and
// the operation that took it of the tokens.
std::string holds_now(const Trace& trace, const Ago& ago, bool hands_out_tokens) {
  std::set<std::string> texts;  // not in the order in which they began
  const auto now = trace.record.size();
  for (const auto& hold : trace.holds) {
    if (!hold.exists_at(now)) continue;
    texts.insert(fmt::format(
        "{} on {}{}{}", hold.owner, hold.server,
        trace.had_lease(hold, now) ? ", with a lease" : ", since " + ago(hold.from),
        hands_out_tokens ? fmt::format(", by operation {}", number_at(trace, hold.owner, hold.from))
                         : ""));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// Truthful outcomes asks whether a client ever had the lock; no run shows anything if none had it.
std::string held_ever(const Trace& trace, const std::set<std::string>& ended) {
  std::set<std::string> owners;
  for (const auto& hold : trace.holds) {
    if (!ended.contains(hold.owner)) owners.insert(hold.owner);
  }
  const bool by_majority =
      std::any_of(trace.holds.begin(), trace.holds.end(),
                  [&](const auto& hold) { return trace.hold_at(hold.from) != nullptr; });
  const bool claimed =
      std::any_of(trace.operations.begin(), trace.operations.end(),
                  [](const Operation& operation) { return operation.outcome == "acquired"; });
  return fmt::format("{}{}{}{}", fmt::join(owners, ", "), trace.holds.empty() ? "" : "; any",
                     by_majority ? "; by a majority" : "", claimed ? "; claimed" : "");
}

// The changes that commands of `operation` have made, each with the lock's owner before it. Of two
// servers the order does not matter.
std::string effects_of(const Trace& trace, const Operation& operation) {
  std::map<std::string, std::string> texts;  // by server
  for (const auto& event : trace.events) {
    if (event.kind != Kind::server || !operation.open_at(event.number)) continue;
    if (event.text("by") != operation.client) continue;
    const auto* before = trace.hold_on(event.process, event.number - 1);
    texts[event.process] +=
        fmt::format("{} of {}; ", event.text("what"), before == nullptr ? "none" : before->owner);
  }
  return all_of(texts);
}

// How the holds ended that `operation` had set.
std::string ends_within(const Trace& trace, const Operation& operation, const Ago& ago) {
  std::map<std::string, std::string> texts;  // by server
  for (const auto& hold : trace.holds) {
    const bool is_its = hold.owner == operation.client && operation.open_at(hold.from);
    if (!is_its || hold.end.empty()) continue;
    texts[hold.server] += fmt::format("{} by {} {}; ", hold.end, hold.ended_by, ago(hold.to));
  }
  return all_of(texts);
}

// What a release may say of others: that they had the lock, and had it all the time.
std::string others_during(const Trace& trace, const Operation& operation) {
  const auto& client = operation.client;
  const auto is_others = [&](const auto& hold) {
    return !hold.is_of(client) && hold.to > operation.called;
  };
  const bool owned = std::any_of(trace.holds.begin(), trace.holds.end(), [&](const auto& hold) {
    return hold.is_of(client) && hold.from < operation.called;
  });
  const auto* first = trace.hold_at(operation.called);
  const bool stays = first != nullptr && first->to == faults::never && !first->is_of(client);
  const bool any = std::any_of(trace.holds.begin(), trace.holds.end(), is_others);
  return fmt::format("{}{}{}", any ? "others had it; " : "", owned ? "owned before; " : "",
                     stays ? "another has it all the time; " : "");
}

// Truthful outcomes of an operation that is under way: what its answer may claim.
std::string under_way(const Trace& trace, const Operation& operation, const Ago& ago) {
  return operation.name + ": " + effects_of(trace, operation) + ends_within(trace, operation, ago) +
         (operation.name == "acquire" ? "" : others_during(trace, operation));
}

std::string all_under_way(const Trace& trace, const Ago& ago, const std::set<std::string>& ended) {
  std::map<std::string, std::string> texts;  // in the order of the clients
  for (const auto& operation : trace.operations) {
    if (operation.answered != faults::never || ended.contains(operation.client)) continue;
    texts[operation.client] += under_way(trace, operation, ago);
  }
  return all_of(texts);
}

// Of each hold that has ended since `place`: which others began later.
std::string ends_before(const Trace& trace, std::size_t place) {
  std::set<std::string> texts;
  for (const auto& hold : trace.holds) {
    if (hold.to < place || hold.end.empty()) continue;
    std::set<std::string> later;
    for (const auto& next : trace.holds) {
      if (next.from > hold.to) later.insert(next.owner + " on " + next.server);
    }
    texts.insert(fmt::format("{} on {} before {}", hold.owner, hold.server, fmt::join(later, ",")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// Rising tokens asks which of two came into the lock first: by the calls and answers, and by the
// servers while both acquire.
std::string order_of_grants(const Trace& trace) {
  std::map<std::string, std::string> texts;
  for (const auto& later : trace.operations) {
    if (later.name != "acquire" || later.answered != faults::never) continue;
    auto& text = texts[later.client];
    std::set<std::string> before;
    for (const auto& earlier : trace.operations) {
      const bool is_other = earlier.name == "acquire" && earlier.client != later.client;
      if (!is_other || earlier.answered > later.called) continue;
      before.insert(fmt::format("after {} {}", earlier.client,
                                number_at(trace, earlier.client, earlier.called)));
    }
    text += fmt::format("{}; ", fmt::join(before, ", "));
    text += ends_before(trace, later.called);
  }
  return all_of(texts);
}

bool is_judged_by_facts(const std::string& name) {
  switch (faults::property_from(name)) {
    case Property::mutual_exclusion:
    case Property::owner_only_release:
    case Property::owner_only_renewal:
    case Property::liveness:
    case Property::truthful_outcomes:
    case Property::rising_tokens: return true;
    default: return false;
  }
}

// For what the facts above do not cover, such as locks that count: the whole history.
bool needs_everything(const Trace& trace) {
  const auto judged = trace.setting.value("judged", std::vector<std::string>{});
  const bool counts = std::any_of(trace.events.begin(), trace.events.end(), [](const auto& event) {
    return event.kind == Kind::server && event.text("what") == "incrby";
  });
  return counts || !std::all_of(judged.begin(), judged.end(), is_judged_by_facts);
}

std::string everything(const Trace& trace) {
  std::string text;
  for (const auto& event : trace.record) {
    if (event.kind == Kind::setting) continue;
    text += fmt::format("{} {} {} {} {}\n", event.at.count(), event.process,
                        static_cast<int>(event.kind), event.text("what"), event.text("op"));
  }
  return text;
}

}  // namespace

State judging_facts(const faults::Record& record, std::chrono::microseconds now,
                    const JudgedLock& lock) {
  const Trace trace(record);
  const Ago ago(record, now);
  const bool has_fault = std::any_of(record.begin(), record.end(),
                                     [](const auto& event) { return event.kind == Kind::fault; });
  State facts{{"broken", broken(trace)},
              {"overwritten", overwritten(trace, lock.ended)},
              {"holds", holds_now(trace, ago, lock.hands_out_tokens)},
              {"held ever", held_ever(trace, lock.ended)},
              {"under way", all_under_way(trace, ago, lock.ended)},
              {"has had a fault", has_fault ? "yes" : "no"}};
  if (lock.hands_out_tokens) facts.push_back({"order of grants", order_of_grants(trace)});
  if (needs_everything(trace)) facts.push_back({"history", everything(trace)});
  return facts;
}

}  // namespace explore
