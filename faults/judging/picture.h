// A trace laid out: its lanes, and line by line the content of each.
//
// The terminal's timeline and the report's drawing are both made of it, so that the two cannot
// show different things. Thread-safety: pure functions and values.
#pragma once

#include <string>
#include <vector>

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"

namespace faults {

struct Lane {
  std::string name;
  bool is_server = false;
};

// One lane of one line.
struct Field {
  bool bar = false;       // a client believes that it holds the lock; a server has the lock
  std::string owner;      // on a server with a bar: whose lock it is; empty: nobody can tell
  bool mistaken = false;  // a client believes so, and it is not so
  std::string text;
  std::vector<std::size_t> places;  // the events that the text stands for
  bool is_evidence = false;         // the judgement rests on one of them
};

struct Line {
  std::size_t place = 0;      // in the record, of what it begins with
  std::string across;         // if set: a fault, across the page
  std::vector<Field> fields;  // one for each lane; on a fault's line none has a text
};

struct Picture {
  std::vector<Lane> lanes;  // the clients by name, then the servers
  std::vector<Line> lines;
};

[[nodiscard]] Picture picture_of(const Trace& trace, const Judgement& judgement);

}  // namespace faults
