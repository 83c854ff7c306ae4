// SPDX-License-Identifier: Apache-2.0
// AgentLink: a connected agent, as used by the ingest thread; implemented by the gRPC reactor and by test fakes.
//
// Threading:  all calls from any thread; none blocks.
// Ownership:  shared by the connection and the ingest thread.
// Errors:     calls on a link without a connection do nothing.
// Cost:       a lock and a small copy.
#pragma once

#include <string>

#include "model/result.h"
#include "runglass/v1/ingest.pb.h"

namespace runglass {

class AgentLink {
 public:
  virtual ~AgentLink() = default;
  virtual void sendWelcome(v1::Welcome welcome) = 0;
  virtual void sendPong(const v1::Pong& pong) = 0;
  // Cumulative: a newer acknowledgement of the same stream replaces a queued one.
  virtual void sendAck(std::uint32_t session_index, std::uint32_t stream, std::uint64_t next_seq, std::uint64_t credit_bytes) = 0;
  virtual void sendCredit(std::uint64_t credit_bytes) = 0;  // if no acknowledgement carries it
  virtual void sendOrder(v1::Order order) = 0;
  virtual void resumeReads() = 0;  // after IngestThread::push() returned false
  virtual void finish(const Status& status) = 0;
  virtual std::string peer() const = 0;
  // Name of the only node for which it may send data; empty: any.
  virtual std::string onlyNode() const { return {}; }
  // Name of its credential; empty: none was required.
  virtual std::string passName() const { return {}; }
};

}  // namespace runglass
