// Names for the words that a lock draws by chance, so that two runs can be compared: each long word
// of a client's commands is named after the client and its number among that client's long words. A
// script's digest is named after the script alone.
//
// A number keeps its value: a lock may compare it. So a token that is a number in one run is
// another number in the next, and no state is met twice.
//
// Thread-safety: none; one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace explore {

class WordNames {
 public:
  // The words that `client` has sent, and a name for each. The first client that is added names a
  // word.
  void add(const std::string& client, const std::vector<std::string>& words,
           const std::vector<std::string>& names);
  // The same of a client that has ended: how many words it has used does not matter any more, so
  // they are numbered as they appear in texts.
  void add_ended(const std::string& client, const std::vector<std::string>& words);
  // `text` with each of these words replaced by its name.
  [[nodiscard]] std::string in(std::string text);

  // True for a word that may have been drawn by chance: long, and no number.
  [[nodiscard]] static bool is_named(std::string_view word);

 private:
  struct Named {
    std::string word;
    std::string client;
    std::string name = {};  // empty: it has none yet
  };
  void add(Named named);
  [[nodiscard]] std::string name_of(Named& named);

  std::vector<Named> words_;             // the longest first, so that none hides in another
  std::map<std::string, int> appeared_;  // by client
};

}  // namespace explore
