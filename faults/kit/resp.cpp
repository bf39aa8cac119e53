#include "faults/kit/resp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace faults {
namespace {

constexpr std::string_view error_mark = "error ";

std::string text_of(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER: return std::to_string(reply.integer);
    case REDIS_REPLY_NIL: return "nil";
    case REDIS_REPLY_ERROR:
      return std::string(error_mark) + std::string(reply.str, static_cast<std::size_t>(reply.len));
    case REDIS_REPLY_ARRAY: return fmt::format("[{} parts]", reply.elements);
    default:
      return reply.str == nullptr ? ""
                                  : std::string(reply.str, static_cast<std::size_t>(reply.len));
  }
}

std::vector<std::string> words_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY) return {text_of(reply)};
  std::vector<std::string> words;
  for (std::size_t i = 0; i < reply.elements; ++i) words.push_back(text_of(*reply.element[i]));
  return words;
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
    // A password is behind it: https://redis.io/docs/latest/commands/hello/
    if (has_password && words.size() > 1 && is_called(word, "AUTH")) return result + " …";
  }
  return result;
}

RespReader::RespReader() : reader_(redisReaderCreate()) {
  // hiredis gives back a buffer that grew past this; a link should not pay for that on every reply.
  reader_->maxbuf = 1 << 20;
}

void RespReader::feed(std::string_view bytes) {
  pending_.append(bytes);
  if (!broken_) redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

std::optional<Message> RespReader::next() {
  if (pending_.empty()) return std::nullopt;
  void* raw = nullptr;
  if (!broken_ && redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) broken_ = true;
  if (broken_) {
    return Message{.bytes = std::exchange(pending_, {}), .words = {}, .readable = false};
  }
  if (raw == nullptr) return std::nullopt;
  const std::unique_ptr<redisReply, void (*)(redisReply*)> reply(
      static_cast<redisReply*>(raw), [](redisReply* r) { freeReplyObject(r); });
  // The bytes that the reader has not consumed yet are the last that were fed.
  const auto size = pending_.size() - (reader_->len - reader_->pos);
  Message message{.bytes = pending_.substr(0, size), .words = words_of(*reply)};
  pending_.erase(0, size);
  return message;
}

}  // namespace faults
