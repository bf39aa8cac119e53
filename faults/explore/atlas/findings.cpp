#include "faults/explore/atlas/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "faults/explore/atlas/search_locks.h"
#include "faults/kit/errors.h"

namespace atlas {
namespace {

using nlohmann::json;

std::string to_text(const Cell& cell) {
  auto text = std::to_string(cell.orders);
  for (const char letter : cell.broken) text += fmt::format(" {}", letter);
  return cell.is_exhausted ? text : text + " ?";
}

Cell cell_from(const std::string& text) {
  std::istringstream words(text);
  Cell cell;
  words >> cell.orders;
  for (char letter = 0; words >> letter;) {
    if (letter == '?') {
      cell.is_exhausted = false;
    } else {
      cell.broken.insert(letter);
    }
  }
  return cell;
}

// The kinds of fault under which a lock was not searched, since it breaks without any (in
// search_locks.cpp), and what it breaks then: under a fault, too.
std::map<std::string, Cell> not_searched(const Finding& finding) {
  const auto& kinds = kinds_of_fault();
  const auto* alone = finding.cell(kinds.front().name);
  if (alone == nullptr || alone->broken.empty()) return {};
  std::map<std::string, Cell> cells;
  for (const auto& kind : kinds) {
    if (finding.cell(kind.name) == nullptr) cells[kind.name] = {.broken = alone->broken};
  }
  return cells;
}

// What is kept, if that which is not known counts as kept (`unknown_counts`) or as broken.
std::set<Kept> kept(const Finding& finding, bool unknown_counts) {
  std::set<Kept> all;
  // Another client need not wait for the end of the lease: no search is needed to know it.
  if (finding.parts.release != Release::none) all.emplace("hand-over", ' ');
  auto cells = finding.under;
  if (unknown_counts) cells.merge(not_searched(finding));
  for (const auto& [fault, cell] : cells) {
    if (!cell.is_exhausted && !unknown_counts) continue;
    for (const auto& promise : promises()) {
      if (!cell.broken.contains(promise.letter)) all.emplace(fault, promise.letter);
    }
  }
  return all;
}

}  // namespace

const std::vector<Promise>& promises() {
  static const std::vector<Promise> all{{'X', "mutual exclusion"},   {'R', "owner-only release"},
                                        {'N', "owner-only renewal"}, {'L', "liveness"},
                                        {'T', "truthful outcomes"},  {'F', "rising tokens"}};
  return all;
}

const Cell* Finding::cell(const std::string& fault) const {
  const auto found = under.find(fault);
  return found == under.end() ? nullptr : &found->second;
}

bool is_alike(const Finding& a, const Finding& b) {
  return a.parts == b.parts &&
         std::equal(a.under.begin(), a.under.end(), b.under.begin(), b.under.end(),
                    [](const auto& one, const auto& other) {
                      return one.first == other.first && one.second.broken == other.second.broken &&
                             one.second.is_exhausted == other.second.is_exhausted;
                    });
}

std::set<Kept> surely_kept(const Finding& finding) {
  return kept(finding, /*unknown_counts=*/false);
}

std::set<Kept> perhaps_kept(const Finding& finding) {
  return kept(finding, /*unknown_counts=*/true);
}

std::vector<Finding> findings_from(const std::string& text) {
  std::vector<Finding> findings;
  for (const auto& one : json::parse(text)) {
    Finding finding{.parts = parts_named(one.at("lock").get<std::string>())};
    for (const auto& [fault, cell] : one.at("under").items()) {
      finding.under[fault] = cell_from(cell.get<std::string>());
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

const Finding* find(const Parts& parts, const std::vector<Finding>& all) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Finding& one) { return one.parts == parts; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<Finding> recorded_with(const std::vector<Finding>& recorded,
                                   const std::vector<Finding>& found) {
  std::vector<Finding> all;
  for (const auto& parts : all_locks()) {
    const auto* finding = find(parts, found);
    if (finding == nullptr) finding = find(parts, recorded);
    if (finding != nullptr) all.push_back(*finding);
  }
  return all;
}

std::filesystem::path recorded_atlas() {
  return std::filesystem::path(LAB_SOURCE_DIR) / "faults" / "explore" / "atlas" / "atlas.json";
}

std::vector<Finding> read_findings(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) throw faults::CannotRun(fmt::format("cannot read {}", file.native()));
  try {
    return findings_from({std::istreambuf_iterator<char>(input), {}});
  } catch (const std::exception& error) {
    throw faults::CannotRun(fmt::format("{}: {}", file.native(), error.what()));
  }
}

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings) {
    json under;
    for (const auto& [fault, cell] : finding.under) under[fault] = to_text(cell);
    const json line{{"lock", name_of(finding.parts)}, {"under", under}};
    text += (text.empty() ? "[\n" : ",\n") + line.dump();
  }
  return text + "\n]\n";
}

}  // namespace atlas
