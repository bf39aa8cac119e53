#include "faults/kit/shell_word.h"

#include <algorithm>
#include <cctype>

namespace faults {
namespace {

bool is_plain(char c) {
  constexpr std::string_view also = "/._-+=:,@%";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || also.find(c) != also.npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += R"('"'"')";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace faults
