// Words by which the reason is known why a story was not told, or came to no end. They stand in
// sentences that others write, each where its comment says: who changes them there changes them
// here.
#pragma once

#include <string>
#include <string_view>

namespace learning {

// Does the sentence `why` have those words?
[[nodiscard]] inline bool says(const std::string& why, std::string_view words) {
  return why.find(words) != std::string::npos;
}

namespace known {

// So begins what did not come in time: faults/world/wait_for.cpp; client.cpp, link.cpp,
// redis_process.cpp and sentinels.cpp in faults/kit.
inline constexpr std::string_view waited = "waited";
// After a client's name, and before the operation: Client::start (faults/kit/client.cpp).
inline constexpr std::string_view answer_to = "'s answer to";
inline constexpr std::string_view answer_to_acquire = "'s answer to acquire";
inline constexpr std::string_view answer_to_release = "'s answer to release";
// What may come after that: Pending::wait (faults/kit/client.cpp).
inline constexpr std::string_view was_an_error = "was an error";
// Client::await_end (faults/kit/client.cpp).
inline constexpr std::string_view end_after_sigterm = "to end after SIGTERM";
// A pushed message, which is what Fault::await waited for (faults/kit/link.cpp).
inline constexpr std::string_view of_message = "of message";
// WaitFor::renewals (faults/world); of a client that died meanwhile: WaitFor::died_renewing.
inline constexpr std::string_view renewals_of = "renewals of";
// What a client answered instead, in quotes: must_answer (faults/world/steps.cpp).
inline constexpr std::string_view contended = "contended";
inline constexpr std::string_view answered_died = "\"died\"";
// The same, and a client that "died at its start": Client::get_ready (faults/kit/client.cpp).
inline constexpr std::string_view died = "died";
// A client that was to end and had died: Client::say_bye (faults/kit/client.cpp), with the words
// of Ending::text.
inline constexpr std::string_view died_at_its_end = "did not end well, it was killed by signal";
// One that was to end and did not: the same.
inline constexpr std::string_view did_not_end = "did not end:";
// Ending::text (faults/kit/process.cpp).
inline constexpr std::string_view killed_by_segmentation_fault = "killed by signal 11";
inline constexpr std::string_view killed_by_abort = "killed by signal 6";
// faults/scenarios/same_thread_id.cpp.
inline constexpr std::string_view not_given_back = "the one before did not give it back";
// A reply that a client lost: core/connection.cpp.
inline constexpr std::string_view lost_reply = "no reply from";
// Redis, of a script that sets a global variable.
inline constexpr std::string_view readonly_table = "readonly table";
// Redis and Valkey, of one that calls a command with nil.
inline constexpr std::string_view no_argument = "arguments must be strings or integers";
// Redis and Valkey, of one that runs for seconds already.
inline constexpr std::string_view busy_with_a_script = " is busy running a script";
// The scripts of the stages 7 and 8, of a server without its marker.
inline constexpr std::string_view abstain = "ABSTAIN";

}  // namespace known
}  // namespace learning
