#include "faults/explore/world/journal.h"

#include <algorithm>
#include <utility>

namespace explore {

namespace {

void put_lock_key_for(std::string& text, const std::string& key) {
  if (key.empty()) return;
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    text.replace(at, key.size(), faults::lock_key);
    at += faults::lock_key.size();
  }
}

bool is_expiry(const faults::Event& event) {
  return event.kind == faults::Kind::server && event.data.value("what", "") == "expired";
}

// Keys that end at one moment are removed in an order of the server's, by hashes of their names,
// which differ from run to run. The record has them by name.
bool end_in_other_order(const faults::Event& first, const faults::Event& second) {
  return is_expiry(first) && is_expiry(second) && first.process == second.process &&
         first.at == second.at && first.data["key"] > second.data["key"];
}

}  // namespace

void Journal::begin(std::string key, std::string on_server) {
  key_ = std::move(key);
  key_on_server_ = std::move(on_server);
  start_ = time_.now();
  record_.clear();
  paused_ = false;
}

void Journal::add(std::string process, faults::Kind kind, nlohmann::json data) {
  if (paused_) return;
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(time_.now() - start_);
  record_.push_back({.number = record_.size(),
                     .at = at,
                     .process = std::move(process),
                     .kind = kind,
                     .data = std::move(data)});
  for (auto i = record_.size() - 1; i > 0 && end_in_other_order(record_[i - 1], record_[i]); --i) {
    std::swap(record_[i - 1].data, record_[i].data);
  }
}

void Journal::must_have_got_in(std::size_t call) {
  if (call < record_.size()) record_[call].data["must_get_in"] = true;
}

bool Journal::has_fault() const {
  return std::any_of(record_.begin(), record_.end(),
                     [](const auto& event) { return event.kind == faults::Kind::fault; });
}

std::string Journal::in_words(const faults::Message& message) const {
  auto named = message;
  for (auto& word : named.words) word = in_words(std::move(word));
  return named.text();
}

std::string Journal::in_words(std::string text) const {
  put_lock_key_for(text, key_on_server_);  // it may have the other in it
  put_lock_key_for(text, key_);
  return text;
}

nlohmann::json Journal::with_lock_key(nlohmann::json fields) const {
  const auto key = fields.find("key");
  if (key != fields.end() && *key == key_) *key = faults::lock_key;
  return fields;
}

}  // namespace explore
