#include "faults/kit/history.h"

#include <fmt/format.h>

#include <cctype>

#include "faults/kit/errors.h"

namespace faults {

using nlohmann::json;

std::string Event::text(const char* field) const {
  const auto found = data.find(field);
  return found != data.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool Event::is_of_another_key() const {
  const auto key = text("key");
  return !key.empty() && key != lock_key;
}

bool answers_a_command(const Event& event) {
  const auto command = event.text("command");
  return event.kind == Kind::reply && !command.empty() &&
         std::islower(static_cast<unsigned char>(command.front())) == 0;
}

json to_json(const Event& event) {
  return {{"n", event.number},
          {"at_us", event.at.count()},
          {"lane", event.process},
          {"kind", event.kind},
          {"data", event.data}};
}

Record read_record(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw CannotRun(fmt::format("cannot read {}", file.native()));
  Record record;
  for (std::string line; std::getline(input, line);) {
    try {
      const auto object = json::parse(line);
      if (json(object.at("kind").get<Kind>()) != object.at("kind")) {  // it takes any word
        throw CannotRun(fmt::format("{}, line {}, is of a kind that nobody knows: {}",
                                    file.native(), record.size() + 1, object.at("kind").dump()));
      }
      if (!object.at("data").is_object() && !object.at("data").is_null()) {  // none: null
        throw CannotRun(fmt::format("{}, line {}, is not an event of a history: its data is {}",
                                    file.native(), record.size() + 1, object.at("data").dump()));
      }
      record.push_back({.number = record.size(),
                        .at = std::chrono::microseconds(object.at("at_us").get<long long>()),
                        .process = object.at("lane"),
                        .kind = object.at("kind").get<Kind>(),
                        .data = object.at("data")});
    } catch (const json::exception& error) {
      throw CannotRun(fmt::format("{}, line {}, is not an event of a history: {}", file.native(),
                                  record.size() + 1, error.what()));
    }
  }
  return record;
}

History::History(const std::filesystem::path& file) : path_(file), file_(file) {
  if (!file_) throw CannotWrite(fmt::format("cannot write {}", path_.native()));
}

void History::add(std::string process, Kind kind, json data) {
  const std::lock_guard guard(mutex_);
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
  record_.push_back({.number = record_.size(),
                     .at = at,
                     .process = std::move(process),
                     .kind = kind,
                     .data = std::move(data)});
  file_ << to_json(record_.back()).dump(-1, ' ', false, json::error_handler_t::replace)
        << std::endl;
}

void History::check_written() const {
  const std::lock_guard guard(mutex_);
  if (!file_) {
    throw CannotWrite(fmt::format("cannot write {}: the disk may be full", path_.native()));
  }
}

Record History::record() const {
  const std::lock_guard guard(mutex_);
  return record_;
}

}  // namespace faults
