#include "tools/learning/mistakes/mistake.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace learning {

std::vector<const Mistake*> mistakes_of(char exercise) {
  std::vector<const Mistake*> all;
  char first = '1';
  for (const auto rows : {mistakes_with_acquiring(), mistakes_with_leases(), mistakes_with_tokens(),
                          mistakes_with_scripts(), mistakes_with_renewal(), mistakes_with_reentry(),
                          mistakes_with_majorities(), mistakes_with_fencing()}) {
    for (const auto& row : rows) {
      const bool can_occur = first <= exercise && exercise <= row.until;
      if (can_occur || exercise == 0) all.push_back(&row);
    }
    ++first;
  }
  return all;
}

std::vector<Diagnosis> mistakes_in(const TraceQuery& query, char exercise, bool is_python) {
  const bool holds = query.judgement().verdict == faults::Verdict::holds;
  std::vector<std::pair<const Mistake*, Seen>> found;
  for (const auto* row : mistakes_of(exercise)) {
    if (holds && !row->although_it_holds) continue;
    if (const auto seen = row->seen(query)) found.emplace_back(row, seen);
  }
  const auto is_covered = [&](const Mistake& general) {
    return std::any_of(found.begin(), found.end(), [&](const auto& other) {
      const auto& covers = other.first->rather_than;
      return std::find(covers.begin(), covers.end(), general.key) != covers.end();
    });
  };
  std::vector<Diagnosis> said;
  for (const auto& [row, seen] : found) {
    if (is_covered(*row)) continue;
    const bool has_own_words = is_python && !row->look_at_in_python.empty();
    said.push_back({.key = std::string(row->key),
                    .sentence = std::string(row->sentence),
                    .where = describe_place(query, seen),
                    .look_at = std::string(has_own_words ? row->look_at_in_python : row->look_at)});
  }
  return said;
}

std::string describe_place(const TraceQuery& query, const Seen& seen) {
  const auto& trace = query.trace();
  const auto answered = [&](std::size_t place) { return place < trace.record.size(); };
  if (seen.command != nullptr) {
    const auto& sent = *seen.command;
    const auto whose =
        seen.call == nullptr ? sent.client : fmt::format("{}'s {}", sent.client, seen.call->name);
    const auto to = trace.nodes() > 1 ? " to " + sent.server : std::string{};
    const auto reply = sent.reply.empty() ? std::string(", and heard nothing")
                                          : fmt::format(", and was answered {}", sent.reply);
    const auto outcome = seen.call == nullptr || seen.call->outcome.empty()
                             ? std::string{}
                             : fmt::format("; it said \"{}\"", seen.call->outcome);
    return fmt::format(
        "{} sent {}{} at {} ms{}{}", whose,
        sent.is_script() ? "a script" : fmt::format("{}", fmt::join(sent.words, " ")), to,
        trace.ms(sent.place), reply, outcome);
  }
  const auto& call = *seen.call;
  if (!answered(call.answered)) {
    return fmt::format("{}'s {} at {} ms, which was never answered", call.client, call.name,
                       trace.ms(call.called));
  }
  return fmt::format("{}'s {} at {} ms, which said \"{}\"", call.client, call.name,
                     trace.ms(call.called), call.outcome);
}

}  // namespace learning
