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
  [[nodiscard]] long long integer() const {
    return raw_->type == REDIS_REPLY_INTEGER ? raw_->integer : 0;
  }

  // The number of elements of an array reply (0 for any other), and element `part`. An element that
  // is missing is 0, and empty.
  [[nodiscard]] std::size_t parts() const {
    return raw_->type == REDIS_REPLY_ARRAY ? raw_->elements : 0;
  }
  [[nodiscard]] long long integer(std::size_t part) const {
    const auto* element = at(part);
    return element != nullptr && element->type == REDIS_REPLY_INTEGER ? element->integer : 0;
  }
  [[nodiscard]] std::string_view text(std::size_t part) const {
    const auto* element = at(part);
    return element == nullptr || element->str == nullptr
               ? std::string_view{}
               : std::string_view{element->str, static_cast<std::size_t>(element->len)};
  }

  // The number of elements of element `part`, and the text of one, where that is an array itself.
  [[nodiscard]] std::size_t parts(std::size_t part) const {
    const auto* element = at(part);
    return element != nullptr && element->type == REDIS_REPLY_ARRAY ? element->elements : 0;
  }
  [[nodiscard]] std::string_view text(std::size_t part, std::size_t inner) const {
    if (inner >= parts(part)) return {};
    const auto* element = at(part)->element[inner];
    return element->str == nullptr
               ? std::string_view{}
               : std::string_view{element->str, static_cast<std::size_t>(element->len)};
  }

  // The bytes of a string, status or error reply; empty for any other. Valid while `*this` lives.
  [[nodiscard]] std::string_view text() const {
    return raw_->str == nullptr ? std::string_view{} : std::string_view{raw_->str, size()};
  }

 private:
  struct Free {
    void operator()(redisReply* raw) const { freeReplyObject(raw); }
  };
  [[nodiscard]] const redisReply* at(std::size_t part) const {
    return part < parts() ? raw_->element[part] : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(raw_->len); }

  std::unique_ptr<redisReply, Free> raw_;
};

}  // namespace core
