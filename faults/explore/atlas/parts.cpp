#include "faults/explore/atlas/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

namespace atlas {
namespace {

constexpr std::string_view prefix = "atlas:";

// A part: its choices from the simplest on, and where `Parts` has it.
struct Part {
  std::string name;
  std::vector<std::string> choices;
  bool is_named_always;
  std::function<std::size_t(const Parts&)> place;
  std::function<void(Parts&, std::size_t)> choose;
};

template <typename Field>
Part part(std::string name, std::vector<std::string> choices, bool is_named_always,
          Field Parts::*field) {
  return {.name = std::move(name),
          .choices = std::move(choices),
          .is_named_always = is_named_always,
          .place = [field](const Parts& parts) { return static_cast<std::size_t>(parts.*field); },
          .choose = [field](Parts& parts,
                            std::size_t place) { parts.*field = static_cast<Field>(place); }};
}

const std::vector<Part>& all_parts() {
  static const std::vector<Part> all{
      part("acquire", {"setnx", "setnx+expire", "set", "script"}, true, &Parts::acquire),
      part("token", {"no", "yes"}, false, &Parts::token),
      part("release", {"none", "del", "compare", "script"}, true, &Parts::release),
      part("renewal", {"none", "blind", "compare", "script"}, false, &Parts::renewal),
      part("look", {"no", "yes"}, false, &Parts::look),
      part("fencing", {"no", "incr"}, false, &Parts::fencing)};
  return all;
}

const Part& part_of_word(const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  const auto& all = all_parts();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Part& one) { return one.name == name; });
  if (found != all.end()) return *found;
  throw std::invalid_argument(fmt::format("\"{}\" is no part of a lock: there are {}", word,
                                          fmt::join(part_names(), ", ")));
}

std::size_t choice_of_word(const Part& part, const std::string& word) {
  const auto equals = word.find('=');
  const auto choice = equals == std::string::npos ? std::string() : word.substr(equals + 1);
  const auto found = std::find(part.choices.begin(), part.choices.end(), choice);
  if (found != part.choices.end()) return static_cast<std::size_t>(found - part.choices.begin());
  throw std::invalid_argument(fmt::format("\"{}\" is no choice of {}: there are {}", choice,
                                          part.name, fmt::join(part.choices, ", ")));
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

}  // namespace

Parts parts_from(const std::vector<std::string>& words) {
  Parts parts;
  std::set<std::string> named;
  for (const auto& word : words) {
    const auto& one = part_of_word(word);
    if (!named.insert(one.name).second) {
      throw std::invalid_argument(fmt::format("{} is given twice", one.name));
    }
    one.choose(parts, choice_of_word(one, word));
  }
  for (const auto& one : all_parts()) {
    if (!one.is_named_always || named.contains(one.name)) continue;
    throw std::invalid_argument(fmt::format("a lock of the atlas needs {}=, one of {}", one.name,
                                            fmt::join(one.choices, ", ")));
  }
  const auto why = senseless_because(parts);
  if (!why.empty()) throw std::invalid_argument(why);
  return parts;
}

Parts parts_named(std::string_view name) {
  if (names_atlas_lock(name)) name.remove_prefix(prefix.size());
  return parts_from(split(name));
}

bool names_atlas_lock(std::string_view name) {
  return name.starts_with(prefix);
}

std::vector<std::string> to_words(const Parts& parts) {
  std::vector<std::string> words;
  for (const auto& one : all_parts()) {
    const auto place = one.place(parts);
    if (place == 0 && !one.is_named_always) continue;
    words.push_back(one.name + "=" + one.choices[place]);
  }
  return words;
}

std::string name_of(const Parts& parts) {
  return fmt::format("{}{}", prefix, fmt::join(to_words(parts), ","));
}

std::string senseless_because(const Parts& parts) {
  const bool compares = parts.compares_on_release() || parts.compares_on_renewal();
  if (compares && !parts.token) return "without a token there is nothing to compare";
  if (parts.token && !compares) return "a token is of no use if nothing compares it";
  if (!parts.has_lease() && parts.renewal != Renewal::none) {
    return "without a lease there is nothing to renew";
  }
  if (!parts.has_lease() && parts.look) return "without a lease no clock says that it has expired";
  if (parts.acquire == Acquire::script && !parts.fencing) {
    return "a script that does no more than SET NX PX is acquire=set";
  }
  return {};
}

std::vector<Parts> all_locks() {
  std::vector<Parts> all{Parts{}};
  for (const auto& one : all_parts()) {
    std::vector<Parts> longer;
    for (const auto& parts : all) {
      for (std::size_t place = 0; place < one.choices.size(); ++place) {
        longer.push_back(parts);
        one.choose(longer.back(), place);
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [](const Parts& parts) { return !senseless_because(parts).empty(); });
  return all;
}

const std::vector<std::string>& part_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& one : all_parts()) all.push_back(one.name);
    return all;
  }();
  return names;
}

std::vector<std::size_t> places_of(const Parts& parts) {
  std::vector<std::size_t> places;
  for (const auto& one : all_parts()) places.push_back(one.place(parts));
  return places;
}

bool is_simpler(const Parts& a, const Parts& b) {
  const auto of_a = places_of(a);
  const auto of_b = places_of(b);
  return a != b && std::equal(of_a.begin(), of_a.end(), of_b.begin(), std::less_equal<>());
}

}  // namespace atlas
