// Finds the messages in a stream of RESP bytes, in either direction.
//
// Parsing is hiredis' own reader; this adds what it does not say: which bytes made up each message,
// so that a link can pass them on untouched
// (https://redis.io/docs/latest/develop/reference/protocol-spec/). Thread-safety: none; one stream,
// one thread.
#pragma once

#include <hiredis/hiredis.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

struct Message {
  std::string bytes;               // exactly as they came
  std::vector<std::string> words;  // the parts of an array (a command), or the one part of another
  bool readable = true;            // false: not RESP, `bytes` is whatever came

  // For people: the words, long ones shortened, unprintable bytes escaped.
  [[nodiscard]] std::string text() const;
};

class RespReader {
 public:
  RespReader();

  void feed(std::string_view bytes);

  // The next whole message, or nothing until more bytes are fed. Once the stream has stopped making
  // sense, everything that is fed comes out as unreadable messages.
  [[nodiscard]] std::optional<Message> next();

  // The bytes fed since the last message that `next` gave out.
  [[nodiscard]] std::string_view rest() const { return pending_; }

 private:
  struct Free {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };

  std::unique_ptr<redisReader, Free> reader_;
  std::string pending_;  // fed, and not yet given out as part of a message
  bool broken_ = false;
};

}  // namespace faults
