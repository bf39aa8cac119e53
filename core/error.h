// The errors between a lock and its server, as exceptions.
//
// A lock asks one question of an error: "can the server have applied my command?"
//   Unreachable   no: the command was never sent.
//   AccessDenied  no: it does not let us in; a kind of Unreachable.
//   ErrorReply    no: the server read the command and refused it; `what()` has its reason.
//   LostReply     perhaps: the command was sent, and no reply came (timeout, broken connection).
// Each carries one sentence for a person.
#pragma once

#include <stdexcept>

namespace core {

class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Unreachable : public ServerError {
 public:
  using ServerError::ServerError;
};

// The server cannot be used as it is: the password is wrong, or a certificate is not accepted. A
// later try does not help.
class AccessDenied : public Unreachable {
 public:
  using Unreachable::Unreachable;
};

class ErrorReply : public ServerError {
 public:
  using ServerError::ServerError;
};

class LostReply : public ServerError {
 public:
  using ServerError::ServerError;
};

}  // namespace core
