// The name under which a thread enters a hold.
#pragma once

#include <string>

namespace stage6 {

// A random name of this process, and the number of the calling thread in it. Not the operating
// system's number of the thread: that is another thread's as soon as this one has ended.
[[nodiscard]] const std::string& participant();

// For people: host name and process number.
[[nodiscard]] const std::string& host_and_process();

}  // namespace stage6
