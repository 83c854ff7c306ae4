// SPDX-License-Identifier: Apache-2.0
// Mirror: replicates a hub's store into a local one over one connection, continuously, and resumes after a lost connection, crash or
// suspend of either side.
//
// Threading:  start(), stop() and waitComplete() block; the rest from any thread. Two threads.
// Ownership:  owns the store's Writer and the connection.
// Units:      TimeNs of the hub's clock where stated.
// Errors:     start(): those of Store::writer(); FAILED_PRECONDITION the file is a store but not a replica. An unreachable hub is no error:
//             the connection is retried with growing backoff, and status() has the cause. A permanent refusal sets status().refused.
// Cost:       memory: data on the wire (<= 512 KiB) and the Writer's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "collectors/hub/replica/hub_questions.h"
#include "collectors/wire/control_client.h"
#include "model/result.h"
#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

struct MirrorOptions {
  std::string store;
  ControlTarget hub;
  std::function<void(const std::string&)> say = [](const std::string&) {};  // logs when the connection begins, ends, or the cause changes
  // Text for a failed connection; empty: the original message.
  std::function<std::string(Code, const std::string&)> words = {};
  DurNs first_pause = 200 * kNsPerMs, longest_pause = 10 * kNsPerSecond;
  DurNs silence = 20 * kNsPerSecond;  // a hub that sends nothing for this long is considered gone: it sends twice a second
};

struct MirrorStatus {
  bool connected = false;
  std::optional<TimeNs> complete;      // hub's time up to which all data but summaries is here
  std::optional<TimeNs> summarised;    // the same for these
  std::optional<DurNs> hub_ahead;      // hub's clock - local clock, as of the last connection
  std::int64_t frames = 0, bytes = 0;  // on the wire, since start
  std::int64_t connections = 0, resumed = 0;
  bool caught_up = false;       // this connection has delivered all data that existed when it began
  std::optional<DurNs> silent;  // since the last message of a connection; absent: none yet
  Code code = Code::kOk;        // of the problem
  std::string problem;          // why no data arrives; empty: it does
  bool refused = false;         // the hub refuses permanently
  std::string other_source;     // uuid of the hub's store, where that is the cause of the refusal

  // Lag of the replica, by the hub's clock.
  std::optional<DurNs> age(TimeNs now) const {
    return complete ? std::optional(std::max<DurNs>(0, now + hub_ahead.value_or(0) - *complete)) : std::nullopt;
  }
};

class Mirror {
 public:
  static Result<std::unique_ptr<Mirror>> start(MirrorOptions options);
  ~Mirror();

  MirrorStatus status() const;
  ReaderOptions readerOptions() const;  // for Readers of this process
  // For followedReader(): its Readers also see the data that stays at the hub.
  std::shared_ptr<HubQuestions> questions() const;
  // Waits until all data that the hub has at some moment after this call is here (waitComplete: but summaries). False: refused, timeout.
  bool waitSummarised(DurNs timeout) { return wait(&MirrorStatus::summarised, timeout); }
  bool waitComplete(DurNs timeout) { return wait(&MirrorStatus::complete, timeout); }
  // Stores the received frames and closes the store. Later calls do nothing.
  Status stop();

 private:
  Mirror();
  bool wait(std::optional<TimeNs> MirrorStatus::*mark, DurNs timeout);
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
