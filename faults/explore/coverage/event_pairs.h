// Which events of a search came in both orders.
//
// A pair is two events of different participants: of two clients, of a client and time. (Those of
// one client come in the order of its program.) The second `A: send GET` of a run is another event
// than the first.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace explore {

class EventPairs {
 public:
  // The events of a run, by their labels, in their order.
  void add(const std::vector<std::string>& labels);

  struct Counts {
    long both_orders = 0;
    long one_order = 0;
  };
  [[nodiscard]] Counts counts() const;

 private:
  [[nodiscard]] std::size_t number_of(const std::string& label, int repetition);

  std::map<std::pair<std::string, int>, std::size_t> numbers_;
  std::vector<std::string> participants_;  // of each event, by its number
  std::vector<std::vector<bool>> before_;  // before_[a][b]: in some run a came before b
};

}  // namespace explore
