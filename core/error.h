// What can go wrong between a lock and its server, as exceptions.
//
// The one question a lock asks of an error is: "can my command have been applied?" Hence the types:
//   Unreachable   no: it was never sent.
//   ErrorReply    no: the server read it and refused it, and said why.
//   LostReply     perhaps: it was sent, and the answer never came (timeout, connection broken).
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

class ErrorReply : public ServerError {
 public:
  using ServerError::ServerError;
};

class LostReply : public ServerError {
 public:
  using ServerError::ServerError;
};

}  // namespace core
