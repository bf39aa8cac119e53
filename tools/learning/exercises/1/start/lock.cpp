#include "stage1_setnx/lock.h"

#include <utility>

#include "core/error.h"

namespace stage1 {

Lock::Lock(core::Server& server, std::string key) : server_(server), key_(std::move(key)) {}

core::Acquire Lock::try_acquire() {
  // To be written: ask server_ for key_, for one caller only.
  //   server_.command({"PING"}) sends a command and returns its answer, a core::Reply.
  //   It throws core::LostReply if the answer never came: then nobody knows, and the outcome is
  //   core::Acquire::unknown.
  return core::Acquire::acquired;
}

core::Release Lock::release() {
  // To be written: give it back.
  return core::Release::released;
}

}  // namespace stage1
