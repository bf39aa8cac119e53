#include "tools/report/packed.h"

namespace report {

using nlohmann::json;

std::size_t Packer::number_of(const json& value) {
  const auto [at, is_new] = numbers_.emplace(value, values_.size());
  if (is_new) values_.push_back(value);
  return at->second;
}

json Packer::packed_text(const json& said, std::int64_t line_us) {
  auto messages = json::array();
  auto before = line_us;
  for (auto message : said[4]) {
    const auto at = message[0].get<std::int64_t>();
    message.erase(0);
    messages.push_back(at - before);
    messages.push_back(number_of(message));
    before = at;
  }
  return {said[0], number_of({said[1], said[2], said[3]}), messages, said[5]};
}

void Packer::pack(json& drawing) {
  for (auto& line : drawing["lines"]) {
    if (line[1].is_string()) continue;  // a fault
    const auto line_us = line[0].get<std::int64_t>() * 1000;
    for (auto& said : line[2]) said = packed_text(said, line_us);
  }
}

}  // namespace report
