// One reply of a Redis server, owned. Nothing here throws: a question that does not fit the reply's
// type gets 0, false, or an empty text.
//
// Thread-safety: a value; use it from one thread at a time.
#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <string_view>

namespace core {

class Reply {
 public:
  // Takes ownership of `raw`, which must not be null.
  explicit Reply(redisReply* raw) : raw_(raw) {}

  // "No such key", or `SET ... NX` that did not set (https://redis.io/docs/latest/commands/set/).
  [[nodiscard]] bool is_nil() const { return raw_->type == REDIS_REPLY_NIL; }

  // The simple string `+OK`.
  [[nodiscard]] bool is_ok() const { return raw_->type == REDIS_REPLY_STATUS && text() == "OK"; }

  [[nodiscard]] bool is_error() const { return raw_->type == REDIS_REPLY_ERROR; }

  // The integer of an integer reply, 0 for any other.
  [[nodiscard]] long long integer() const { return integer_of(raw_.get()); }

  // The number of elements of an array reply (0 for any other), and element `part`. An element that
  // is missing is 0, and empty.
  [[nodiscard]] std::size_t parts() const { return elements(raw_.get()); }
  [[nodiscard]] long long integer(std::size_t part) const { return integer_of(at(part)); }
  [[nodiscard]] std::string_view text(std::size_t part) const { return text_of(at(part)); }

  // The number of elements of element `part`, and one of them, where that is an array itself.
  [[nodiscard]] std::size_t parts(std::size_t part) const { return elements(at(part)); }
  [[nodiscard]] long long integer(std::size_t part, std::size_t inner) const {
    return integer_of(element(at(part), inner));
  }
  [[nodiscard]] std::string_view text(std::size_t part, std::size_t inner) const {
    return text_of(element(at(part), inner));
  }
  // The same one level deeper.
  [[nodiscard]] long long integer(std::size_t part, std::size_t inner,
                                  std::size_t innermost) const {
    return integer_of(element(element(at(part), inner), innermost));
  }
  [[nodiscard]] std::string_view text(std::size_t part, std::size_t inner,
                                      std::size_t innermost) const {
    return text_of(element(element(at(part), inner), innermost));
  }

  // The bytes of a string, status or error reply; empty for any other. Valid while `*this` lives.
  [[nodiscard]] std::string_view text() const { return text_of(raw_.get()); }

 private:
  struct Free {
    void operator()(redisReply* raw) const { freeReplyObject(raw); }
  };

  // Each of these takes null for an element that is missing.
  static std::size_t elements(const redisReply* raw) {
    return raw != nullptr && raw->type == REDIS_REPLY_ARRAY ? raw->elements : 0;
  }
  static const redisReply* element(const redisReply* raw, std::size_t part) {
    return part < elements(raw) ? raw->element[part] : nullptr;
  }
  static long long integer_of(const redisReply* raw) {
    return raw != nullptr && raw->type == REDIS_REPLY_INTEGER ? raw->integer : 0;
  }
  static std::string_view text_of(const redisReply* raw) {
    return raw == nullptr || raw->str == nullptr
               ? std::string_view{}
               : std::string_view{raw->str, static_cast<std::size_t>(raw->len)};
  }
  [[nodiscard]] const redisReply* at(std::size_t part) const { return element(raw_.get(), part); }

  std::unique_ptr<redisReply, Free> raw_;
};

}  // namespace core
