#include "faults/kit/resp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace faults {
namespace {

constexpr std::string_view error_mark = "error ";
constexpr std::string_view line_end = "\r\n";

std::optional<long> length_in(std::string_view text) {
  long number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

bool is_any_of(char type, std::string_view types) {
  return types.find(type) != std::string_view::npos;
}

// Random, all of it, or the SHA-1 of a script: as our tokens are.
bool is_by_chance(std::string_view word) {
  constexpr std::size_t token = 32;
  constexpr std::size_t sha1 = 40;
  return (word.size() == token || word.size() == sha1) &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

bool is_one_name(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return std::isgraph(static_cast<unsigned char>(c)) != 0; });
}

// How a long name ends: enough to distinguish it, and to show that it is no number if it is none.
std::string_view end_of(std::string_view word, std::size_t enough) {
  constexpr std::size_t most = 12;
  const auto last_letter = word.find_last_not_of("0123456789");
  if (last_letter != std::string_view::npos && last_letter >= enough) {
    enough = std::clamp(word.size() - last_letter, enough, most);
  }
  return word.substr(word.size() - enough);
}

std::string for_people(std::string_view word) {
  const bool is_error = word.starts_with(error_mark);
  const std::size_t longest = is_error ? 32 : 12;
  const std::size_t enough = is_error ? 31 : 4;  // of a token: to distinguish it
  std::string result;
  for (const char c : word.substr(0, word.size() > longest ? enough : longest)) {
    const auto byte = static_cast<unsigned char>(c);
    result += std::isprint(byte) != 0 ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  if (word.size() <= longest) return result;
  // Two that begin alike, such as "client-1f93…" and "client-77ab…", often end differently.
  const bool tells_more = !is_error && !is_by_chance(word) && is_one_name(word);
  return result + "…" + std::string(tells_more ? end_of(word, enough) : "");
}

bool is_called(std::string_view word, std::string_view command) {
  return std::equal(word.begin(), word.end(), command.begin(), command.end(), [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == b;
  });
}

}  // namespace

std::string Message::text() const {
  if (!readable) return fmt::format("{} bytes", bytes.size());
  const bool has_password =
      !words.empty() && (is_called(words.front(), "AUTH") || is_called(words.front(), "HELLO"));
  std::string result;
  for (const auto& word : words) {
    if (!result.empty()) result += ' ';
    result += for_people(word);
    // A password follows it: https://redis.io/docs/latest/commands/hello/
    if (has_password && words.size() > 1 && is_called(word, "AUTH")) return result + " …";
  }
  return result;
}

std::optional<Message> RespReader::next() {
  if (pending_.empty()) return std::nullopt;
  auto read = Read::part;
  while (!broken_ && read == Read::part) read = read_part();
  if (broken_ || read == Read::nonsense) {
    broken_ = true;
    return Message{.bytes = std::exchange(pending_, {}), .words = {}, .readable = false};
  }
  if (read == Read::too_little) return std::nullopt;
  auto message = std::exchange(message_, {});
  message.bytes = pending_.substr(0, at_);
  pending_.erase(0, std::exchange(at_, 0));
  return message;
}

RespReader::Read RespReader::read_part() {
  if (at_ == pending_.size()) return Read::too_little;
  const auto type = pending_[at_];
  if (!is_any_of(type, chunks_ ? ";" : "+-:_#,($!=*%~>|.")) return Read::nonsense;
  const auto end = pending_.find(line_end, at_);
  if (end == std::string::npos) return Read::too_little;
  const auto line = std::string_view(pending_).substr(at_ + 1, end - at_ - 1);
  if (is_any_of(type, "$!=;")) return read_text(type, line);
  at_ = end + line_end.size();
  if (is_any_of(type, "*%~>|")) return begin(type, line);
  return type == '.' ? end_streamed() : read_line(type, line);
}

RespReader::Read RespReader::read_line(char type, std::string_view line) {
  if (type == '_') return end_part("nil");
  if (type == '#') return end_part(line == "t" ? "1" : "0");
  if (type == '-') return end_part(std::string(error_mark).append(line));
  return end_part(line);
}

// A string, a long error, a text with its format, or a chunk of a streamed string.
RespReader::Read RespReader::read_text(char type, std::string_view length) {
  const auto begin = at_ + 1 + length.size() + line_end.size();
  const auto size = length_in(length);
  const bool is_nil = type == '$' && size == -1;
  const bool begins_chunks = type == '$' && length == "?";
  const bool ends_chunks = type == ';' && size == 0;
  if (is_nil || begins_chunks || ends_chunks) at_ = begin;
  if (is_nil) return end_part("nil");
  if (ends_chunks) return end_part(*std::exchange(chunks_, std::nullopt));
  if (begins_chunks) chunks_.emplace();
  if (begins_chunks) return Read::part;
  if (!size || *size < 0) return Read::nonsense;
  const auto bytes = static_cast<std::size_t>(*size);
  if (pending_.size() < begin + bytes + line_end.size()) return Read::too_little;
  const auto text = std::string_view(pending_).substr(begin, bytes);
  at_ = begin + bytes + line_end.size();
  if (type == '!') return end_part(std::string(error_mark).append(text));
  constexpr std::string_view format = "txt:";
  if (type == '=') return end_part(text.substr(std::min(format.size(), text.size())));
  if (type == '$') return end_part(text);
  chunks_->append(text);
  return Read::part;
}

RespReader::Read RespReader::begin(char type, std::string_view count) {
  if (type == '*' && count == "-1") return end_part("nil");
  const auto number = count == "?" ? streamed : length_in(count).value_or(-2);
  if (number < 0 && count != "?") return Read::nonsense;
  const bool is_attribute = type == '|';
  const auto parts = number > 0 && (type == '%' || is_attribute) ? 2 * number : number;
  const bool is_outermost = aggregates_.empty();
  if (is_outermost) message_.is_push = type == '>';
  if (!is_outermost && is_shown() && !is_attribute) {
    message_.words.push_back(number < 0 ? "[parts]" : fmt::format("[{} parts]", parts));
  }
  if (parts == 0) return is_attribute ? Read::part : end_part();
  aggregates_.push_back({.type = type, .parts = parts, .is_shown = is_outermost && !is_attribute});
  return Read::part;
}

RespReader::Read RespReader::end_streamed() {
  if (aggregates_.empty() || aggregates_.back().parts != streamed) return Read::nonsense;
  const bool is_attribute = aggregates_.back().type == '|';
  aggregates_.pop_back();
  return is_attribute ? Read::part : end_part();
}

RespReader::Read RespReader::end_part(std::string_view word) {
  if (is_shown()) message_.words.emplace_back(word);
  return end_part();
}

RespReader::Read RespReader::end_part() {
  while (!aggregates_.empty()) {
    auto& innermost = aggregates_.back();
    if (innermost.parts == streamed || --innermost.parts > 0) return Read::part;
    const bool is_attribute = innermost.type == '|';
    aggregates_.pop_back();
    if (is_attribute) return Read::part;  // the part that it is about follows
  }
  return Read::message;
}

// Is it part of the message itself, and not of an aggregate within it?
bool RespReader::is_shown() const {
  return aggregates_.empty() || aggregates_.back().is_shown;
}

}  // namespace faults
