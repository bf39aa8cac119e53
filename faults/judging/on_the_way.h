// The commands that are on their way to servers, as a story goes on: who changed a server is to be
// found among those whose command was on its way there. (With several servers a client may be
// asking one of them long after another has answered.)
//
// Thread-safety: none; one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "faults/judging/story.h"

namespace faults {

class OnTheWay {
 public:
  // `story` must outlive it.
  explicit OnTheWay(const Story& story) : story_(story) {}

  // To be called with one place of the story after the other.
  void follow(std::size_t place);

  // The clients that have one on its way to `server`, as `Story::node_of` names it, the first that
  // was sent first. Not those whose command is held, was lost, or went over a link that is cut.
  [[nodiscard]] std::vector<std::string> asking(const std::string& server) const;
  // The same. If none has, the one that the server answered last: an announcement may come after
  // the answer.
  [[nodiscard]] std::vector<std::string> asking_or_answered(const std::string& server) const;

  // Whose command has set the lock on `server` at `place`: of those sent by an acquire the first
  // that has done nothing yet, however long ago that acquire was answered. (One that stood still
  // does late what has waited at its door.) Not that of a dead client that is waited for no more.
  // Nothing if there is none. From then on that command has done what it does.
  [[nodiscard]] std::optional<std::string> whose_set(const std::string& server, std::size_t place);
  // The next command of `lane` on its way to `server` has done what it does.
  void has_done(const std::string& lane, const std::string& server);

 private:
  struct Sent {
    std::string lane;
    std::string server;
    bool acquires = false;  // was sent by an acquire
    bool held = false;      // on the wire, and not yet there
    bool done = false;      // the server was seen to do what it says
  };

  [[nodiscard]] bool is_acquiring(const std::string& lane, std::size_t place) const;
  void follow_link(const Event& event, const std::string& what, const std::string& server);
  void erase_first(const std::string& lane, const std::string& server);

  const Story& story_;
  std::vector<Sent> sent_;
  std::map<std::string, std::string> last_answered_;   // by server, the client
  std::set<std::pair<std::string, std::string>> cut_;  // client and server
  std::set<std::string> killed_;
};

}  // namespace faults
