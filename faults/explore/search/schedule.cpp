#include "faults/explore/search/schedule.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>

#include "faults/kit/errors.h"

namespace explore {
namespace {

constexpr std::string_view separator = ": ";

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Reads one file, line by line.
class Reader {
 public:
  explicit Reader(std::filesystem::path file) : file_(std::move(file)) {}

  [[nodiscard]] Schedule read() {
    must_be_a_file();
    std::ifstream input(file_);
    if (!input) throw faults::CannotRun(fmt::format("cannot read {}", file_.native()));
    for (std::string text; std::getline(input, text);) {
      ++line_;
      text = trimmed(text);
      if (!text.empty() && text.front() != '#') take(text);
    }
    if (schedule_.lock.empty()) fail("it names no lock: write \"lock: stage3_set_nx_px\"");
    if (!in_steps_) fail("it has no line \"steps:\"");
    return schedule_;
  }

 private:
  void take(const std::string& text) {
    if (in_steps_) return schedule_.steps.push_back({.label = text, .line = line_});
    if (text == "steps:") {
      in_steps_ = true;
      return;
    }
    const auto at = text.find(separator);
    const auto name = text.substr(0, at);
    const auto value = at == std::string::npos ? "" : trimmed(text.substr(at + separator.size()));
    if (name == "lock") {
      schedule_.lock = value;
    } else if (name == "clients") {
      schedule_.clients = number_in(value);
    } else if (name == "nodes") {
      schedule_.nodes = number_in(value);
    } else if (name == "facts") {
      schedule_.facts = value;
    } else if (name == "lease") {
      schedule_.lease = std::chrono::milliseconds(number_in(value));
    } else if (name == "operations") {
      schedule_.operations = value;
    } else {
      fail(fmt::format("\"{}\" is none of lock, clients, nodes, facts, lease, operations and steps",
                       text));
    }
  }

  [[nodiscard]] int number_in(const std::string& value) const {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(value.data() + value.size() - end));
    if (error != std::errc{} || number < 1 || !(unit.empty() || unit == " ms")) {
      fail(fmt::format("\"{}\" is not a number above 0", value));
    }
    return number;
  }

  void must_be_a_file() const {
    if (!std::filesystem::is_directory(file_)) return;
    const auto inside = file_ / "schedule";
    throw faults::CannotRun(
        fmt::format("{} is a directory: {}", file_.native(),
                    std::filesystem::exists(inside)
                        ? fmt::format("name the schedule in it, {}", inside.native())
                        : "a schedule is a file, such as explore has left"));
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw faults::CannotRun(
        fmt::format("{} is not a schedule: line {}: {}", file_.native(), line_, why));
  }

  const std::filesystem::path file_;
  Schedule schedule_;
  int line_ = 0;
  bool in_steps_ = false;
};

}  // namespace

std::string to_text(const Schedule& schedule, const std::string& comment) {
  std::string text;
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  text += fmt::format("lock: {}\nclients: {}\n", schedule.lock, schedule.clients);
  if (schedule.nodes > 0) text += fmt::format("nodes: {}\n", schedule.nodes);
  if (!schedule.facts.empty()) text += fmt::format("facts: {}\n", schedule.facts);
  text += fmt::format("lease: {} ms\noperations: {}\nsteps:\n", schedule.lease.count(),
                      schedule.operations);
  for (const auto& step : schedule.steps) text += step.label + "\n";
  return text;
}

Schedule read_schedule(const std::filesystem::path& file) {
  return Reader(file).read();
}

std::vector<Schedule::Step> steps_from(const std::vector<std::string>& labels) {
  std::vector<Schedule::Step> steps;
  for (const auto& label : labels) steps.push_back({.label = label});
  return steps;
}

}  // namespace explore
