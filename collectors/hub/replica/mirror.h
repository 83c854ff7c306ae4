// SPDX-License-Identifier: Apache-2.0
// Mirror: copies the store that a hub writes into one of our own over one connection, for as long as it lives, and goes on where it was
// after any cut, crash or sleep of either side.
//
// Threading:  start(), stop() and waitComplete() block; the rest from any thread. Two threads of its own.
// Ownership:  owns the store's Writer and the connection.
// Units:      TimeNs of the hub's clock where it says so.
// Errors:     start(): those of Store::writer(); FAILED_PRECONDITION the file is a store of its own, not a copy. A hub that cannot be had
// is
//             no error: it is asked again with growing pauses, status() says why. One that refuses us for good ends in status().refused.
// Cost:       memory: what is on the wire (<= 512 KiB) and the Writer's.
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
  std::function<void(const std::string&)> say = [](const std::string&) {};  // when the connection comes, goes, or the reason changes
  // How it says why a connection is not to be had; empty: as it came.
  std::function<std::string(Code, const std::string&)> words = {};
  DurNs first_pause = 200 * kNsPerMs, longest_pause = 10 * kNsPerSecond;
  DurNs silence = 20 * kNsPerSecond;  // a hub that says nothing for so long is gone: it tells something twice a second
};

struct MirrorStatus {
  bool connected = false;
  std::optional<TimeNs> complete;      // hub's time up to which all is here but summaries
  std::optional<TimeNs> summarised;    // the same for these
  std::optional<DurNs> hub_ahead;      // hub's clock - ours, as of the last connection
  std::int64_t frames = 0, bytes = 0;  // on the wire, since start
  std::int64_t connections = 0, resumed = 0;
  bool caught_up = false;       // this connection has brought all that there was when it was made
  std::optional<DurNs> silent;  // since a connection last brought something; absent: none has yet
  Code code = Code::kOk;        // of the problem
  std::string problem;          // why nothing comes now; empty: it does
  bool refused = false;         // the hub will not change its mind
  std::string other_source;     // the store that the hub writes, where that is why it refuses

  // How old what is here is, by the hub's clock.
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
  // For followedReader(): its Readers see also what stays at the hub.
  std::shared_ptr<HubQuestions> questions() const;
  // Until all that the hub had at some moment after this call is here, or all but summaries. False: refused, or the time is over.
  bool waitSummarised(DurNs timeout) { return wait(&MirrorStatus::summarised, timeout); }
  bool waitComplete(DurNs timeout) { return wait(&MirrorStatus::complete, timeout); }
  // Stores what arrived, closes the store. Later calls do nothing.
  Status stop();

 private:
  Mirror();
  bool wait(std::optional<TimeNs> MirrorStatus::*mark, DurNs timeout);
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
