#include "faults/explore/states/server_names.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace explore {
namespace {

// If `text` begins with a server's name: the length of that name without its number; else 0.
std::size_t length_of_word(std::string_view text) {
  for (const std::string_view word : {"node", "server "}) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

}  // namespace

std::string ServerNames::number_of(std::size_t own) const {
  const auto found = std::find(order_.begin(), order_.end(), own - 1);
  const auto number =
      found == order_.end() ? own : static_cast<std::size_t>(found - order_.begin()) + 1;
  return std::to_string(number);
}

std::string ServerNames::in(const std::string& text) const {
  if (order_.empty()) return text;
  std::string named;
  for (std::size_t from = 0; from < text.size();) {
    const auto rest = std::string_view(text).substr(from);
    const auto word = length_of_word(rest);
    const auto end = std::min(rest.find_first_not_of("0123456789", word), rest.size());
    const bool is_name = word > 0 && end > word;
    named += rest.substr(0, is_name ? word : 1);
    if (is_name) named += number_of(std::strtoul(rest.data() + word, nullptr, 10));
    from += is_name ? end : 1;
  }
  return named;
}

faults::Record ServerNames::in(faults::Record record) const {
  if (order_.empty()) return record;
  for (auto& event : record) {
    event.process = in(event.process);
    for (const auto* name : {"to", "from", "server"}) {
      if (event.data.contains(name)) event.data[name] = in(event.text(name));
    }
  }
  return record;
}

}  // namespace explore
