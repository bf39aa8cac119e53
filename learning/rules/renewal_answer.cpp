// Rules about what a renewal is answered: whether that is so, and says what became of the lock.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {

Says renewal_says_yes_to_all(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    const auto* hold = evidence.held_at(renewal->server, renewal->place);
    const bool is_its_own = hold != nullptr && hold->owner == renewal->client;
    if (is_its_own || !renewal->said_yes() || !renewal->effects.empty()) continue;
    return fmt::format(
        "your renewal answered yes ({}) when the lock was gone and there was nothing to renew, so "
        "nobody told {} that it had lost it; the answer has to be that of the comparison",
        renewal->reply, renewal->client);
  }
  return std::nullopt;
}

namespace {

// An error that is the server's own and no fault of the command: a member without its marker does
// not vote, a replica changes nothing, and who still loads its data does not answer yet.
bool is_of_the_server(const std::string& reply) {
  const std::array<std::string_view, 3> own{"ABSTAIN", "READONLY", "LOADING"};
  return std::any_of(own.begin(), own.end(),
                     [&](const auto word) { return reply.find(word) != std::string::npos; });
}

}  // namespace

Says renewal_is_refused(const Evidence& evidence) {
  // One is what a server answers that has forgotten the script.
  std::map<std::string, std::map<std::string, std::size_t>> errors;  // in a row, by client, server
  for (const auto* renewal : evidence.renewals()) {
    auto& counts = errors[renewal->client];
    auto& count = counts[renewal->server];
    count = renewal->was_refused() && !is_of_the_server(renewal->reply) ? count + 1 : 0;
    const auto refusing = std::count_if(counts.begin(), counts.end(),
                                        [](const auto& server) { return server.second >= 2; });
    if (static_cast<std::size_t>(refusing) < evidence.trace.majority()) continue;
    return fmt::format(
        "your renewal is refused: {}'s {} was answered with an error again and again ({}), so it "
        "renews nothing; look at what its commands are given",
        renewal->client, renewal->name(), renewal->reply);
  }
  return std::nullopt;
}

Says renewal_refuses_its_own(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* renewal : evidence.renewals()) {
    const auto* before = evidence.held_at(renewal->server, renewal->place);
    const auto* after = evidence.held_at(renewal->server, renewal->answered);
    const bool its_own = before != nullptr && before == after && before->owner == renewal->client;
    const bool in_vain = renewal->effects.empty() && renewal->said_no() && renewal->is_script();
    if (!its_own || !in_vain || is_beside_a_release(evidence, *renewal)) continue;
    // One of an older hold is told no, and rightly.
    const auto arguments = renewal->arguments();
    const auto token = evidence.token_of(renewal->client, renewal->place);
    if (std::find(arguments.begin(), arguments.end(), token) == arguments.end()) continue;
    return fmt::format(
        "your renewal does not know its own lock: at {} ms the lock was {}'s, and {} answered {} "
        "and set no lease; look at what it compares with what, and at the conditions of PEXPIRE",
        evidence.ms(renewal->place), renewal->client, renewal->name(), renewal->reply);
  }
  return std::nullopt;
}

Says renewal_says_no(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    // What is not 1 says nothing, unless it was taken for a no.
    const bool says_nothing = last->number() != 1 && !last->was_refused() && !last->reply.empty();
    const bool taken_for_no =
        says_nothing && std::any_of(evidence.record().begin(), evidence.record().end(),
                                    [&](const faults::Event& event) {
                                      return event.is(faults::Kind::told, last->client);
                                    });
    if (!lengthened || !(last->said_no() || taken_for_no)) continue;
    return fmt::format(
        "your renewal set the lease and answered {}, which {}, so {} was told so; it has to answer "
        "1 when it has renewed, as PEXPIRE does",
        last->reply,
        last->said_no() ? "says that the lock is lost" : "is not 1 and counts as a lost lock",
        last->client);
  }
  return std::nullopt;
}

}  // namespace learning::rules
