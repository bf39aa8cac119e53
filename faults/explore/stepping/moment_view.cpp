#include "faults/explore/stepping/moment_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace explore {
namespace {

// Tokens are long, and their beginnings tell them apart.
std::string shortened(const std::string& value) {
  constexpr std::size_t longest_word = 12;
  constexpr std::size_t beginning = 4;
  std::string text;
  std::istringstream words(value);
  for (std::string word; words >> word;) {
    if (!text.empty()) text += ' ';
    text += word.size() > longest_word ? word.substr(0, beginning) + "…" : word;
  }
  return text;
}

std::string describe(const Snapshot::ClientState& client, const faults::Paint& paint) {
  return fmt::format("  {:<8}{:<22}{}\n", client.name, client.state,
                     client.believes ? paint.bold("believes that it holds the lock") : "");
}

std::string describe(const Snapshot::KeyState& key) {
  auto text = fmt::format("  {:<8}{} = {}", key.server, key.name, shortened(key.value));
  if (!key.owner.empty()) text += fmt::format(", set by {}", key.owner);
  if (key.ends_in) text += fmt::format(", ends in {} ms", key.ends_in->count());
  return text + "\n";
}

std::string light(const faults::Judgement& judgement, const faults::Paint& paint) {
  if (judgement.findings.empty()) return paint.green("nothing is broken so far");
  const auto& finding = judgement.findings.front();
  return paint.red(fmt::format("broken: {}", faults::to_string(finding.property))) + "\n  " +
         finding.sentence;
}

std::string describe(const std::vector<Event>& events, const faults::Paint& paint) {
  std::string text = "  what can happen next:\n";
  std::size_t number = 0;
  for (const auto& event : events) {
    const auto line = fmt::format("  {:>4}  {}", ++number, event.label);
    text += is_fault(event.kind) ? paint.dim(line + "   (a fault)") : line;
    text += "\n";
  }
  return text;
}

}  // namespace

std::string describe_moment(const MomentView& moment, const faults::Paint& paint) {
  auto text =
      fmt::format("\n{} · {} ms · {}\n", paint.bold(fmt::format("after step {}", moment.step)),
                  moment.now.count(), light(moment.judgement, paint));
  for (const auto& client : moment.snapshot.clients) text += describe(client, paint);
  for (const auto& key : moment.snapshot.keys) text += describe(key);
  if (moment.snapshot.keys.empty()) text += "  the servers have no key\n";
  return text + describe(moment.events, paint);
}

std::string end_of_timeline(const faults::Record& record, std::size_t count,
                            const faults::Paint& paint) {
  std::vector<std::string> lines;
  std::istringstream drawn(faults::draw_timeline(record, paint));
  for (std::string line; std::getline(drawn, line);) lines.push_back(line);
  if (lines.size() < 2) return {};
  auto text = lines.front() + "\n";
  const auto first = lines.size() - 1 > count ? lines.size() - count : 1;
  if (first > 1) text += "        …\n";
  for (auto i = first; i < lines.size(); ++i) text += lines[i] + "\n";
  return text;
}

}  // namespace explore
