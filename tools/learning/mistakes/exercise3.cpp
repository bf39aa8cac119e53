// Mistakes with the token: whose it is, how it is made, and what a release does with it.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/learning/mistakes/mistake.h"

namespace learning {
namespace {

// The commands that took the lock, each with its token. Who joins a hold has its token from others.
CommandList takings(const TraceQuery& query) {
  const auto begins = [](const Operation& call) { return !call.asked.contains("join"); };
  return query.acquires()
      .where(begins)
      .on_one_server()
      .outermost()
      .acquired()
      .commands()
      .that_wrote()
      .where([](const Sent& sent) {
        const bool names_a_field = sent.name().starts_with("H");
        return !sent.token().empty() && sent.name() != "SETNX" && !names_a_field;
      });
}

bool is_small_number(const std::string& token) {
  return token.size() < 5 && is_number(token);
}

// Is the token a number that the server counted for this call?
bool is_serial_number(const TraceQuery& query, const Sent& sent) {
  const auto* call = query.call_of(sent);
  if (call == nullptr) return false;
  return query.commands_of(*call)
      .before(sent.place)
      .where([&](const Sent& other) {
        return other.reply == sent.token() && other.name().starts_with("INCR");
      })
      .any();
}

// The whole of its token, as far as the history tells; nothing if it shows two ends of a longer
// one.
std::optional<std::string> whole_token(const TraceQuery& query, const Sent& sent) {
  const auto token = sent.token();
  const auto cut = token.find("…");
  const bool is_random = cut == 4 && token.ends_with("…") &&
                         std::all_of(token.begin(), token.begin() + 4,
                                     [](unsigned char c) { return std::isxdigit(c) != 0; });
  if (cut == std::string::npos || is_random) return token;
  const auto& command = query.trace().record[sent.place].data;
  const auto whole = command.value("whole", nlohmann::json::object());
  const auto found = whole.find(token);
  return found == whole.end() ? std::nullopt : std::optional(token + found->get<std::string>());
}

bool in_a_transaction(const TraceQuery& query, const Sent& sent) {
  const auto* call = query.call_of(sent);
  return call == nullptr || query.commands_of(*call).named("MULTI").any();
}

Seen lease_in_a_second_command(const TraceQuery& query) {
  const auto set =
      query.preparations("acquire").commands().that_wrote().where([&](const Sent& sent) {
        return !sent.is_script() && !sent.did("expire") && !in_a_transaction(query, sent);
      });
  const auto later = query.preparations("acquire").commands().leases();
  if (!set.any() || !later.any()) return {};
  const auto here = query.acquires().commands().that_wrote();
  return here.any() ? here.seen() : set.seen();
}

Seen token_shared(const TraceQuery& query) {
  std::map<std::string, std::string> clients;  // by token, the first that used it
  return takings(query)
      .where([&](const Sent& sent) {
        const auto token = whole_token(query, sent);
        if (!token || is_small_number(*token)) return false;
        return clients.emplace(*token, sent.client).first->second != sent.client;
      })
      .seen();
}

Seen token_is_thread_number(const TraceQuery& query) {
  return takings(query)
      .where([&](const Sent& sent) {
        return is_small_number(sent.token()) && !is_serial_number(query, sent);
      })
      .seen();
}

Seen token_not_fresh(const TraceQuery& query) {
  std::map<std::string, const Sent*> last;  // by client, what took its last hold
  return takings(query)
      .where([&](const Sent& sent) {
        const auto* before = std::exchange(last[sent.client], &sent);
        if (before == nullptr || before->operation == sent.operation) return false;
        const auto token = whole_token(query, sent);
        return token && token == whole_token(query, *before) && !is_small_number(*token);
      })
      .seen();
}

Seen del_without_compare(const TraceQuery& query) {
  return query.releases()
      .commands()
      .named("DEL")
      .on_anothers()
      .that_did("del")
      .where([&](const Sent& sent) {
        return !query.commands_of(*query.call_of(sent)).before(sent.place).that_look().any();
      })
      .seen();
}

Seen takes_back_nothing(const TraceQuery& query) {
  return query.acquires()
      .on_one_server()
      .unknown()
      .where([&](const Operation& call) {
        const auto lost = query.commands_of(call).unheard().that_wrote().where(
            [](const Sent& sent) { return sent.is_about(faults::lock_key); });
        return lost.any() && !query.commands_of(call).after(lost.first()->place).any();
      })
      .seen();
}

// A release that left its own lock where it was, and says that it is not its own.
Seen own_lock_left(const TraceQuery& query) {
  return query.releases()
      .on_one_server()
      .of_holders()
      .where([&](const Operation& call) {
        const bool denies =
            call.outcome == "stolen" || call.outcome == "expired" || call.outcome == "not_held";
        const auto* hold = query.trace().hold_at(call.called);
        return denies && query.commands_of(call).any() && hold->to > call.answered;
      })
      .seen();
}

Seen theft_called_expired(const TraceQuery& query) {
  return query.releases()
      .on_one_server()
      .answered("expired")
      .where([&](const Operation& call) {
        const auto* hold = query.trace().hold_at(call.called);
        return hold != nullptr && !hold->may_be_of(call.client) && !hold->owner.empty() &&
               hold->to > call.answered && query.commands_of(call).any();
      })
      .seen();
}

constexpr std::string_view fresh_token_in_python =
    "a fresh random token for every hold: secrets.token_hex(16)";

const std::array tokens_rows{
    Mistake{.key = "lease_in_a_second_command",
            .seen = lease_in_a_second_command,
            .sentence = "Your acquire sets the key in one command and its lease in another: killed "
                        "between the two, it leaves a lock without a lease.",
            .look_at = "SET takes NX and PX in one command",
            .rather_than = {"no_lease", "lease_before_the_key"}},
    Mistake{.key = "token_shared",
            .seen = token_shared,
            .sentence = "Two clients wrote the same token into the key, so nobody can tell whose "
                        "lock it is.",
            .look_at = "a fresh random token for every hold: core::random_token()",
            .rather_than = {"compare_then_del", "script_without_compare", "token_not_fresh"},
            .look_at_in_python = fresh_token_in_python},
    Mistake{.key = "token_is_thread_number",
            .seen = token_is_thread_number,
            .sentence = "Your token is a small number: another client, or a later hold of the same "
                        "one, can have the same.",
            .look_at = "a fresh random token for every hold: core::random_token()",
            .rather_than = {"token_shared", "compare_then_del", "script_without_compare",
                            "token_not_fresh"},
            .although_it_holds = true,
            .look_at_in_python = fresh_token_in_python},
    Mistake{.key = "token_not_fresh",
            .seen = token_not_fresh,
            .sentence = "Two holds of one client have the same token: a late release of the first "
                        "removes the second.",
            .look_at = "make the token in acquire, anew for every hold",
            .although_it_holds = true},
    Mistake{.key = "del_without_compare",
            .seen = del_without_compare,
            .sentence = "Your release deletes the key without asking whose it is: it removed "
                        "another client's lock.",
            .look_at = "compare the key's value with the token of this hold before it is deleted"},
    Mistake{.key = "takes_back_nothing",
            .until = '6',
            .seen = takes_back_nothing,
            .sentence = "Your acquire said \"unknown\" and left it at that: the server may have "
                        "set the key, and nobody gives that back.",
            .look_at = "after a lost reply, remove the key if it carries this call's token",
            .although_it_holds = true},
    Mistake{.key = "own_lock_left",
            .seen = own_lock_left,
            .sentence = "Your release took its own lock for another client's, and left it where it "
                        "was.",
            .look_at = "what is compared with what: the key's value, and this hold's token"},
    Mistake{.key = "theft_called_expired",
            .seen = theft_called_expired,
            .sentence = "Your release said \"expired\" although another client had the lock by "
                        "then: that is \"stolen\".",
            .look_at = "tell a key that is gone from a key with another token"},
};

}  // namespace

std::span<const Mistake> mistakes_with_tokens() {
  return tokens_rows;
}

}  // namespace learning
