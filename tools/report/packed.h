// Drawings in less room. Most of a page is the lines of its drawings (drawing.h), and most of those
// repeat: what repeats is in one list, and the lines refer to it by number.
//
//   a text in a lane   [lane, number of [kind, text, evidence], messages, how many it has]
//   messages           [µs, number of the rest of the message, µs, number, ...]; µs since the one
//                      before, the first since the line's ms
//
// page/build.js unpacks them. Thread-safety: one thread.
#pragma once

#include <map>
#include <nlohmann/json.hpp>

namespace report {

class Packer {
 public:
  // Packs the lines of a drawing.
  void pack(nlohmann::json& drawing);

  // What the numbers mean.
  [[nodiscard]] const nlohmann::json& repeated() const { return values_; }

 private:
  std::size_t number_of(const nlohmann::json& value);
  nlohmann::json packed_text(const nlohmann::json& said, std::int64_t line_us);

  std::map<nlohmann::json, std::size_t> numbers_;
  nlohmann::json values_ = nlohmann::json::array();
};

}  // namespace report
