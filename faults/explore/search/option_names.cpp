#include "faults/explore/search/option_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "faults/explore/world/event.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using faults::Property;

const std::array<std::pair<std::string_view, unsigned>, 8> kinds_by_name{
    {{"freeze", freeze_fault},
     {"kill", kill_fault},
     {"lose", lose_fault},
     {"slow", slow_fault},
     {"cut", cut_fault},
     {"failover", failover_fault},
     {"amnesia", amnesia_fault},
     {"clock", clock_fault}}};

// All but holder_was_told: no lock can notify a frozen or slow client in time.
constexpr std::array usually_judged{Property::mutual_exclusion, Property::owner_only_release,
                                    Property::owner_only_renewal, Property::liveness,
                                    Property::truthful_outcomes};

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(words)};
  for (std::string part; std::getline(stream, part, ',');) {
    const auto first = part.find_first_not_of(' ');
    if (first != std::string::npos) parts.push_back(part.substr(first));
  }
  return parts;
}

[[noreturn]] void unknown(std::string_view what, const std::string& word,
                          const std::vector<std::string_view>& known) {
  throw faults::CannotRun(
      fmt::format("\"{}\" is no {}: there are {}", word, what, fmt::join(known, ", ")));
}

}  // namespace

unsigned faults_from(std::string_view words) {
  unsigned faults = 0;
  for (const auto& word : split(words)) {
    const auto* found = std::find_if(kinds_by_name.begin(), kinds_by_name.end(),
                                     [&](const auto& kind) { return kind.first == word; });
    if (found == kinds_by_name.end()) {
      std::vector<std::string_view> known;
      for (const auto& kind : kinds_by_name) known.push_back(kind.first);
      unknown("fault", word, known);
    }
    faults |= found->second;
  }
  return faults;
}

std::string to_words(unsigned faults, std::string_view between) {
  std::vector<std::string_view> words;
  for (const auto& [word, kind] : kinds_by_name) {
    if ((faults & kind) != 0) words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, between));
}

std::vector<std::string> operations_from(std::string_view words) {
  auto operations = split(words);
  for (const auto& word : operations) {
    if (word != "acquire" && word != "work" && word != "release") {
      unknown("operation", word, {"acquire", "work", "release"});
    }
  }
  return operations;
}

std::vector<Property> properties_from(std::string_view words) {
  std::vector<Property> properties;
  for (const auto& word : split(words)) properties.push_back(faults::property_from(word));
  if (properties.empty()) properties.assign(usually_judged.begin(), usually_judged.end());
  return properties;
}

}  // namespace explore
