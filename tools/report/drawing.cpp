#include "tools/report/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "faults/judging/judge.h"
#include "faults/judging/picture.h"
#include "tools/report/message.h"

namespace report {
namespace {

using faults::Picture;
using faults::Trace;
using nlohmann::json;

// At most so many messages of one text are kept.
constexpr std::size_t most_messages = 5;

// A repeated text is left out: five servers receive the same command.
json messages_of(const Trace& trace, const faults::Field& field) {
  auto messages = json::array();
  auto said = field.text.substr(std::min(field.text.find_first_not_of(' '), field.text.size()));
  for (const auto place : field.places) {
    if (messages.size() == most_messages) break;
    auto message = whole_message(trace.record[place]);
    const bool repeats = message.size() > 3 && message[3] == said;
    if (message.size() > 3) said = message[3];
    if (repeats) message.erase(3);
    messages.push_back(std::move(message));
  }
  return messages;
}

json line_of(const Trace& trace, const faults::Line& line) {
  if (!line.across.empty()) return {trace.ms(line.place), line.across};
  auto said = json::array();
  for (std::size_t lane = 0; lane < line.fields.size(); ++lane) {
    const auto& field = line.fields[lane];
    if (field.places.empty()) continue;
    said.push_back({lane, json(trace.record[field.places.front()].kind), field.text,
                    field.is_evidence ? 1 : 0, messages_of(trace, field), field.places.size()});
  }
  return {trace.ms(line.place), 0, said};
}

// Stretches of lines with the same bar.
json bars_of(const Picture& picture, std::size_t lane) {
  auto bars = json::array();
  const auto& lines = picture.lines;
  const auto same = [&](std::size_t a, std::size_t b) {
    const auto& one = lines[a].fields[lane];
    const auto& other = lines[b].fields[lane];
    return one.bar == other.bar && one.owner == other.owner && one.mistaken == other.mistaken;
  };
  for (std::size_t from = 0, to = 0; from < lines.size(); from = to) {
    while (to < lines.size() && same(from, to)) ++to;
    const auto& field = lines[from].fields[lane];
    if (!field.bar) continue;
    const auto owner = picture.lanes[lane].is_server ? field.owner : picture.lanes[lane].name;
    bars.push_back({lane, from, to, owner, field.mistaken ? 1 : 0});
  }
  return bars;
}

// The line of the event at `place`, or the last line before it.
std::size_t line_at(const Picture& picture, std::size_t place) {
  const auto after = std::find_if(picture.lines.begin(), picture.lines.end(),
                                  [&](const faults::Line& line) { return line.place > place; });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - picture.lines.begin(), 1)) - 1;
}

// The stretches in which `lane` was frozen, or gone.
json stillness_of(const Trace& trace, const Picture& picture, std::size_t lane) {
  auto stretches = json::array();
  std::optional<std::pair<std::size_t, const char*>> since;
  const auto end = [&](std::size_t to) {
    if (since && since->first < to) stretches.push_back({lane, since->first, to, since->second});
    since.reset();
  };
  for (const auto& event : trace.events) {
    if (!event.is(faults::Kind::fault, picture.lanes[lane].name)) continue;
    const auto what = event.text("what");
    const auto line = line_at(picture, event.number);
    if (what == faults::fault::thawed || what == faults::fault::restarted) end(line);
    if (what == faults::fault::frozen) since.emplace(line, "frozen");
    if (what == faults::fault::killed || what == faults::fault::ended) {
      end(line);
      since.emplace(line, "gone");
    }
  }
  end(picture.lines.size());
  return stretches;
}

// The lanes that each fault struck.
json struck_in(const Trace& trace, const Picture& picture) {
  if (picture.lines.empty()) return json::array();
  std::set<std::pair<std::size_t, std::size_t>> struck;
  for (const auto& event : trace.events) {
    if (event.kind != faults::Kind::fault) continue;
    const auto line = line_at(picture, event.number);
    if (picture.lines[line].across.empty()) continue;
    for (std::size_t lane = 0; lane < picture.lanes.size(); ++lane) {
      if (picture.lanes[lane].name == event.process) struck.emplace(line, lane);
    }
  }
  return struck;
}

// The line and the lane of the event at `place`; null if it is not drawn.
json place_in(const Picture& picture, std::size_t place) {
  for (std::size_t line = 0; line < picture.lines.size(); ++line) {
    const auto& fields = picture.lines[line].fields;
    for (std::size_t lane = 0; lane < fields.size(); ++lane) {
      const auto& places = fields[lane].places;
      if (std::find(places.begin(), places.end(), place) != places.end()) return {line, lane};
    }
  }
  return nullptr;
}

json collisions_in(const Picture& picture, const faults::Judgement& judgement) {
  auto collisions = json::array();
  for (const auto& finding : judgement.findings) {
    if (finding.property != faults::Property::mutual_exclusion) continue;
    const auto lost = place_in(picture, finding.evidence.at(0));
    const auto overwritten_by = place_in(picture, finding.evidence.at(1));
    if (!lost.is_null() && !overwritten_by.is_null()) collisions.push_back({lost, overwritten_by});
  }
  return collisions;
}

json findings_in(const faults::Judgement& judgement) {
  auto findings = json::array();
  std::set<faults::Property> seen;
  for (const auto& finding : judgement.findings) {
    if (!seen.insert(finding.property).second) continue;
    findings.push_back({faults::to_string(finding.property), finding.sentence});
  }
  return findings;
}

}  // namespace

void translate(json& drawing, const terminal::Language& language) {
  const auto say = [&](json& text) { text = language(text.get<std::string>()); };
  say(drawing["sentence"]);
  say(drawing["boundary"]);
  for (auto& finding : drawing["findings"]) {
    for (auto& text : finding) say(text);
  }
  for (auto& line : drawing["lines"]) {
    if (line[1].is_string()) {  // a fault
      say(line[1]);
      continue;
    }
    for (auto& said : line[2]) said[2] = language.lane(said[2].get<std::string>());
  }
}

json drawing_of(const faults::Record& record) {
  const Trace trace(record);
  const auto judgement = faults::judge(record);
  const auto picture = faults::picture_of(trace, judgement);
  json drawing{{"verdict", faults::to_string(judgement.verdict)},
               {"sentence", judgement.sentence()},
               {"boundary", trace.setting.value("boundary", "")},
               {"findings", findings_in(judgement)},
               {"lanes", json::array()},
               {"lines", json::array()},
               {"bars", json::array()},
               {"still", json::array()},
               {"struck", struck_in(trace, picture)},
               {"collisions", collisions_in(picture, judgement)}};
  for (std::size_t lane = 0; lane < picture.lanes.size(); ++lane) {
    drawing["lanes"].push_back({picture.lanes[lane].name, picture.lanes[lane].is_server ? 1 : 0});
    for (auto& bar : bars_of(picture, lane)) drawing["bars"].push_back(bar);
    for (auto& still : stillness_of(trace, picture, lane)) drawing["still"].push_back(still);
  }
  for (const auto& line : picture.lines) drawing["lines"].push_back(line_of(trace, line));
  return drawing;
}

}  // namespace report
