#include "faults/running/result_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "faults/judging/judge.h"
#include "faults/kit/shell_word.h"

namespace faults {
namespace {

std::string painted(Verdict verdict, const Paint& paint) {
  const std::string word(to_string(verdict));
  switch (verdict) {
    case Verdict::holds: return paint.green(word);
    case Verdict::violated: return paint.red(word);
    default: return paint.yellow(word);
  }
}

// The properties that could not be judged, in one line with the reason; empty: all could.
std::string say_not_judged(const Judgement& judgement) {
  if (judgement.not_judged.empty()) return {};
  std::vector<std::string_view> names;
  for (const auto property : judgement.not_judged) names.push_back(to_string(property));
  return fmt::format("not judged: {} (the lock's {} is not known)\n", fmt::join(names, ", "),
                     names.front() == to_string(Property::bounded_renewal) ? "period of renewal"
                                                                           : "key on the server");
}

// The first finding of each property.
std::vector<Finding> first_of_each(const Judgement& judgement) {
  std::vector<Finding> firsts;
  std::set<Property> seen;
  for (const auto& finding : judgement.findings) {
    if (seen.insert(finding.property).second) firsts.push_back(finding);
  }
  return firsts;
}

}  // namespace

std::string lock_in(const Record& record) {
  for (const auto& event : record) {
    if (event.kind == Kind::setting && !event.data.contains("lock")) return {};
    if (event.kind != Kind::ready || !event.data.contains("hello")) continue;
    const auto& hello = event.data["hello"];
    const auto library = hello.value("library", nlohmann::json());
    return fmt::format("{} {}", hello.value("name", "a lock without a name"),
                       library.is_string() ? library.get<std::string>()
                                           : std::string("(it does not say its version)"));
  }
  return {};
}

std::string describe_record(const Record& record, const Paint& paint) {
  return describe_record(record, judge(record), paint);
}

std::string describe_record(const Record& record, const Judgement& judgement, const Paint& paint) {
  const auto& setting = record.empty() ? nlohmann::json::object() : record.front().data;
  auto text =
      paint.bold(
          fmt::format("{} · {}", setting.value("stage", "?"), setting.value("scenario", "?"))) +
      fmt::format("   {}\n{}\n", painted(judgement.verdict, paint), setting.value("sentence", ""));
  if (const auto lock = lock_in(record); !lock.empty()) {
    text += fmt::format("lock:      {}\n", lock);
  }
  const auto boundary = setting.value("boundary", std::string{});
  if (!boundary.empty()) text += fmt::format("boundary:  {}\n", boundary);
  for (const auto& finding : first_of_each(judgement)) {
    text += fmt::format("broken:    {}: {}\n", paint.red(std::string(to_string(finding.property))),
                        finding.sentence);
  }
  text += say_not_judged(judgement);
  text += "\n" + draw_timeline(record, paint);
  return text + fmt::format("\n{}: {}\n", painted(judgement.verdict, paint), judgement.sentence());
}

std::string describe_result(const Result& result, const Paint& paint) {
  const auto& shown = result.shown();
  auto text = describe_record(read_record(shown.history), shown.judgement, paint);
  if (!shown.boundary.empty()) {
    const auto same = std::count_if(result.executions.begin(), result.executions.end(),
                                    [&](const Execution& execution) {
                                      return execution.judgement.verdict == shown.judgement.verdict;
                                    });
    text += fmt::format("{} at {} of {} boundaries\n", painted(shown.judgement.verdict, paint),
                        same, result.executions.size());
    for (const auto& execution : result.executions) {
      text +=
          fmt::format("  {:<13}  {}\n", to_string(execution.judgement.verdict), execution.boundary);
    }
  }
  if (!result.left_out.empty()) text += result.left_out + "\n";
  for (const auto& execution : result.executions) {
    if (execution.reruns == 0) continue;
    text += fmt::format("run {} times, since it had shown nothing\n", execution.reruns + 1);
  }
  text += fmt::format("again:     {}\n", result.again);
  return text + fmt::format("this run:  ./lab judge {}\n", shell_word(result.directory.native()));
}

}  // namespace faults
