#include "faults/explore/search/run_recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "faults/judging/judge.h"
#include "faults/kit/errors.h"

namespace explore {

using faults::Kind;

// Far more than any run has that ends.
constexpr std::size_t most_steps = 2'000;

const Rules anything{.faults = ~0U, .reduced = false};

namespace {

// The text, with one letter in the place of each number at random that a library puts into a name:
// Redisson's keys have one of 32 hexadecimal digits.
std::string without_random_numbers(const std::string& text) {
  constexpr std::size_t shortest = 16;
  std::string plain;
  std::size_t digits = 0;
  for (const char letter : text) {
    plain += letter;
    digits = std::isxdigit(static_cast<unsigned char>(letter)) != 0 ? digits + 1 : 0;
    if (digits == shortest) plain.replace(plain.size() - shortest, shortest, "#");
    if (digits > shortest) plain.pop_back();
  }
  return plain;
}

}  // namespace

std::size_t Run::steps_until(const faults::Finding& finding) const {
  std::size_t last = 0;
  for (const auto place : finding.evidence) {
    if (place < record.size()) last = std::max(last, place);
  }
  const auto found =
      std::find_if(ends.begin(), ends.end(), [last](std::size_t end) { return end > last; });
  if (found == ends.end()) return labels.size();
  return static_cast<std::size_t>(found - ends.begin()) + 1;
}

RunRecorder::RunRecorder(Controller& controller) : controller_(controller) {
  controller_.begin();
}

void RunRecorder::choose(const Event& event) {
  run_.labels.push_back(event.label);
  if (run_.labels.size() > most_steps) {
    throw faults::ClientFailed(fmt::format("this run does not end: it has {} steps", most_steps));
  }
  controller_.choose(event);
  run_.ends.push_back(controller_.record().size());
}

void RunRecorder::follow(const Schedule& schedule) {
  std::size_t number = 0;
  for (const auto& step : schedule.steps) {
    ++number;
    if (choose_labelled(step.label)) continue;
    std::vector<std::string> labels;
    for (const auto& event : controller_.events(anything)) labels.push_back(event.label);
    controller_.end();
    throw faults::CannotRun(fmt::format(
        "step {}{} does not fit: \"{}\" cannot happen here\n  what can happen: {}\n  correct "
        "the schedule, or replay it on the lock that it was made for: {}",
        number, step.line == 0 ? "" : fmt::format(" (line {})", step.line), step.label,
        labels.empty() ? "nothing, the run has ended" : fmt::format("{}", fmt::join(labels, ", ")),
        schedule.lock));
  }
}

// Throws CannotRun if, without a fault, no server ever had the key that a lock of others is said to
// have: then nothing that it does can be seen.
void RunRecorder::must_have_its_key() const {
  const auto& facts = controller_.plan().stage.facts;
  const auto& record = controller_.record();
  const bool undisturbed = std::none_of(
      record.begin(), record.end(), [](const auto& event) { return event.kind == Kind::fault; });
  if (!facts || !facts->key || !undisturbed) return;
  if (!faults::only_claimed(faults::Trace(record))) return;
  throw faults::CannotRun(
      fmt::format("{} said \"acquired\", and no server ever had its key {}: correct \"key\" in its "
                  "lock.json, or in the facts that are given",
                  controller_.plan().stage.name, facts->key_of("NAME")));
}

Run RunRecorder::finish() {
  run_.judgement = faults::judge(controller_.record());
  if (!run_.is_violated()) {
    must_have_its_key();
    const auto before = controller_.record().size();
    controller_.probe();
    if (controller_.record().size() != before) {
      run_.judgement = faults::judge(controller_.record());
    }
  }
  run_.record = controller_.record();
  controller_.end();
  return std::move(run_);
}

bool RunRecorder::choose_labelled(const std::string& label) {
  const auto events = controller_.events(anything);
  const auto found = std::find_if(events.begin(), events.end(),
                                  [&](const Event& event) { return event.label == label; });
  if (found != events.end()) choose(*found);
  return found != events.end();
}

Run RunRecorder::run_to_end() {
  for (;;) {
    const auto events = controller_.events({.faults = 0, .reduced = true});
    if (events.empty()) return finish();
    choose(events.front());
  }
}

Schedule schedule_of(const std::vector<std::string>& labels, const WorldPlan& world) {
  return {.lock = world.stage.name,
          .clients = world.clients,
          .nodes = world.stage.nodes > 1 ? world.stage.nodes : 0,
          .facts = world.stage.facts_text,
          .lease = world.lease,
          .operations = world.program.name,
          .steps = steps_from(labels)};
}

Run replay(Controller& controller, const Schedule& schedule) {
  RunRecorder recorder(controller);
  recorder.follow(schedule);
  return recorder.run_to_end();
}

const faults::Finding* finding_of(const Run& run, faults::Property property) {
  const auto& findings = run.judgement.findings;
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [property](const auto& one) { return one.property == property; });
  return found == findings.end() ? nullptr : &*found;
}

std::string broken_properties(const Run& run) {
  std::set<std::string_view> names;
  for (const auto& finding : run.judgement.findings) names.insert(to_string(finding.property));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string fingerprint(const Run& run) {
  std::string text;
  for (const auto& label : run.labels) text += label + "\n";
  const auto end = run.ends.empty() ? 0 : run.ends.back();
  for (const auto& event : run.record) {
    if (event.number >= end) break;
    if (event.kind == Kind::setting) continue;
    text += fmt::format("{} {} {} {}", event.at.count(), event.process,
                        static_cast<int>(event.kind), event.data.value("op", ""));
    for (const auto* field : {"outcome", "what", "key", "by", "event"}) {
      if (!event.data.contains(field)) continue;
      text += " " + without_random_numbers(event.data[field].dump());
    }
    if (event.data.contains("value")) text += " " + event.data["value"].dump();
    text += "\n";
  }
  for (const auto& finding : run.judgement.findings) {
    text += fmt::format("{}\n", faults::to_string(finding.property));
  }
  return text;
}

}  // namespace explore
