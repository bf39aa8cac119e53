// Finds the messages in a stream of RESP bytes, in either direction, of either version of the
// protocol (https://redis.io/docs/latest/develop/reference/protocol-spec/).
//
// It reads no more than a link needs: which bytes make up each message, so that they are passed on
// untouched, and its parts. (hiredis 0.14, which Debian 12 has, reads no RESP3.) A part of RESP3 is
// given as RESP2 would send it: a map as its keys and values in turn, a set as an array, true and
// false as 1 and 0; attributes are left out.
//
// Thread-safety: none; one stream, one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

struct Message {
  std::string bytes;               // exactly as they came
  std::vector<std::string> words;  // the parts of an array (a command), or the one part of another
  bool is_push = false;            // of a type of its own (RESP3): see UnansweredCommands
  bool readable = true;            // false: not RESP, `bytes` is whatever came

  // For people: the words, long ones shortened, unprintable bytes escaped.
  [[nodiscard]] std::string text() const;
};

class RespReader {
 public:
  void feed(std::string_view bytes) { pending_.append(bytes); }

  // The next whole message, or nothing until more bytes are fed. Once the stream has stopped making
  // sense, everything that is fed comes out as unreadable messages.
  [[nodiscard]] std::optional<Message> next();

  // The bytes fed since the last message that `next` gave out.
  [[nodiscard]] std::string_view rest() const { return pending_; }

 private:
  enum class Read { part, message, too_little, nonsense };

  // An array, map, set, push or attribute that has begun.
  struct Aggregate {
    char type;
    long parts;  // that are still to come; streamed: it says itself when it ends
    bool is_shown;
  };
  static constexpr long streamed = -1;

  // Each reads what begins at `at_`: a part of the message, or the head of an aggregate.
  [[nodiscard]] Read read_part();
  [[nodiscard]] Read read_line(char type, std::string_view line);
  [[nodiscard]] Read read_text(char type, std::string_view length);
  [[nodiscard]] Read begin(char type, std::string_view count);
  [[nodiscard]] Read end_streamed();

  // Ends a part, and each aggregate of which it was the last.
  [[nodiscard]] Read end_part(std::string_view word);
  [[nodiscard]] Read end_part();
  [[nodiscard]] bool is_shown() const;

  std::string pending_;                // fed, and not yet given out as part of a message
  std::size_t at_ = 0;                 // the beginning of what is read next
  std::vector<Aggregate> aggregates_;  // the outermost first
  std::optional<std::string> chunks_;  // of a streamed string
  Message message_;                    // its parts so far
  bool broken_ = false;
};

}  // namespace faults
