#include "faults/judging/operation.h"

#include <map>
#include <utility>

namespace faults {

std::vector<Operation> read_operations(const Record& record) {
  std::vector<Operation> operations;
  std::map<std::pair<std::string, int>, std::size_t> open;
  for (const auto& event : record) {
    const bool call = event.kind == Kind::call;
    if (!call && event.kind != Kind::answer) continue;
    const std::pair id{event.process, event.data.value("id", 0)};
    if (call) {
      open[id] = operations.size();
      operations.push_back({.client = event.process,
                            .name = event.text("op"),
                            .key = event.text("key"),
                            .called = event.number,
                            .outcome = {},
                            .asked = event.data});
    } else if (const auto found = open.find(id); found != open.end()) {
      auto& answered = operations[found->second];
      answered.answered = event.number;
      answered.outcome = event.text("outcome");
      answered.answer = event.data;
    }
  }
  return operations;
}

}  // namespace faults
