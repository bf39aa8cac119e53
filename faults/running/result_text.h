// A result in words: what a person reads in the terminal and in a failed test.
//
// The sentence, the broken properties, the boundary, the timeline, and the one command to see it
// again. Golden files keep it from changing by accident.
#pragma once

#include <string>

#include "faults/judging/timeline.h"
#include "faults/judging/verdict.h"
#include "faults/kit/history.h"
#include "faults/running/run_scenario.h"
#include "faults/scenarios/scenario.h"

namespace faults {

// The name and the version that a foreign lock says it has, in its answer to `hello`; empty of a
// stage, and if no client came so far.
[[nodiscard]] std::string lock_in(const Record& record);

// One execution: headline, findings, boundary, timeline. Without a judgement of its own it is
// judged here. (A run that broke off shows nothing, whatever its record has.)
[[nodiscard]] std::string describe_record(const Record& record, const Paint& paint);
[[nodiscard]] std::string describe_record(const Record& record, const Judgement& judgement,
                                          const Paint& paint);

// A whole result: the execution that shows the verdict, how many boundaries were tried, and how to
// see it again.
[[nodiscard]] std::string describe_result(const Result& result, const Paint& paint);

}  // namespace faults
