#include "learning/evidence/calls.h"

#include <map>
#include <utility>

namespace learning {

std::vector<Call> calls_of(const faults::Record& record) {
  std::vector<Call> calls;
  std::map<std::pair<std::string, int>, std::size_t> open;
  for (const auto& event : record) {
    const bool call = event.kind == faults::Kind::call;
    if (!call && event.kind != faults::Kind::answer) continue;
    const std::pair id{event.lane, event.data.value("id", 0)};
    if (call) {
      open[id] = calls.size();
      calls.push_back({.lane = event.lane,
                       .name = event.text("op"),
                       .key = event.text("key"),
                       .called = event.number,
                       .asked = event.data});
    } else if (const auto found = open.find(id); found != open.end()) {
      auto& answered = calls[found->second];
      answered.answered = event.number;
      answered.outcome = event.text("outcome");
      answered.answer = event.data;
    }
  }
  return calls;
}

}  // namespace learning
