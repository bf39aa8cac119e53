#include "faults/kit/client_protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <utility>

#include "faults/kit/errors.h"

namespace faults {

using nlohmann::json;

namespace {

// Only a thread other than the first is named: a client need not know of threads.
json on_thread(int thread, json request) {
  if (thread != 1) request["thread"] = thread;
  return request;
}

ClientLine parse(std::string text) {
  ClientLine line{.text = std::move(text), .object = {}, .id = {}};
  auto object = json::parse(line.text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return line;
  line.is_event = object.contains("event");
  const auto id = object.find("id");
  if (id != object.end() && id->is_number()) line.id = id->get<int>();
  line.object = std::move(object);
  return line;
}

}  // namespace

std::map<std::string, std::string> client_environment(const std::string& name,
                                                      const std::vector<std::string>& nodes,
                                                      const std::string& storage) {
  return {{"LOCK_CLIENT", name},
          {"LOCK_NODES", fmt::format("{}", fmt::join(nodes, ","))},
          {"LOCK_STORAGE", storage}};
}

json to_json(const AcquireRequest& request) {
  json fields{{"op", "acquire"}, {"key", request.key}, {"wait_ms", request.wait.count()}};
  if (request.lease) fields["lease_ms"] = request.lease->count();
  if (!request.join.empty()) fields["join"] = request.join;
  if (request.must_get_in) fields["must_get_in"] = true;
  if (request.must_end_within) fields["must_end_within_ms"] = request.must_end_within->count();
  return on_thread(request.thread, std::move(fields));
}

json to_json(const ReleaseRequest& request) {
  return on_thread(request.thread, {{"op", "release"}, {"key", request.key}});
}

json to_json(const ExtendRequest& request) {
  json fields{{"op", "extend"}, {"key", request.key}};
  if (request.lease) fields["lease_ms"] = request.lease->count();
  return on_thread(request.thread, std::move(fields));
}

json to_json(const WorkRequest& request) {
  return on_thread(
      request.thread,
      {{"op", "work"}, {"key", request.key}, {"amount", 1}, {"throws", request.throws}});
}

const std::vector<std::string>& capability_words() {
  static const std::vector<std::string> words{
      "lease",     "token",    "atomic_release", "renewal",   "loss_notice", "max_hold",
      "discovery", "fallback", "reentrant",      "join",      "quorum",      "fencing",
      "queue",     "let_go",   "extend",         "interrupt", "session"};
  return words;
}

const std::vector<std::string>& acquire_words() {
  static const std::vector<std::string> words{"acquired", "contended", "not_acquired",
                                              "interrupted", "unknown"};
  return words;
}

const std::vector<std::string>& release_words() {
  static const std::vector<std::string> words{
      "released", "still_held", "expired",      "stolen",     "not_mine",
      "not_held", "not_found",  "not_released", "no_outcome", "unknown"};
  return words;
}

std::vector<json> warm_up_requests() {
  std::vector<json> requests;
  for (const auto* operation : {"hello", "acquire", "release"}) {
    requests.push_back({{"op", operation}, {"key", "warm-up"}, {"lease_ms", 60'000}});
  }
  return requests;
}

std::vector<ClientLine> ClientLineReader::feed(std::string_view bytes) {
  unfinished_ += bytes;
  std::vector<ClientLine> lines;
  std::size_t begin = 0;
  for (auto end = unfinished_.find('\n'); end != std::string::npos;
       end = unfinished_.find('\n', begin)) {
    lines.push_back(parse(unfinished_.substr(begin, end - begin)));
    begin = end + 1;
  }
  unfinished_.erase(0, begin);
  return lines;
}

std::optional<std::string> error_in(const json& answer) {
  const auto error = answer.find("error");
  if (error == answer.end()) return std::nullopt;
  return error->is_string() ? error->get<std::string>() : error->dump();
}

std::string outcome_in(const json& answer, const std::string& what) {
  const auto outcome = answer.value("outcome", json(""));
  if (outcome.is_string()) return outcome;
  throw ClientFailed(fmt::format("{} was {}: an outcome is a word", what, answer.dump()));
}

std::string log_excerpt(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string first;
  std::string error;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == ' ') continue;
    if (first.empty()) first = line;
    const bool names_one = line.find("rror") != line.npos || line.find("xception") != line.npos;
    if (names_one) error = line;
  }
  if (first.empty()) return "it said nothing";
  return error.empty() ? first : error;
}

}  // namespace faults
