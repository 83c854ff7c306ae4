// SPDX-License-Identifier: Apache-2.0
// Hub: receives agents' sessions and is the only writer of a store. Runs inside the console and as `runglassctl serve`.
//
// Threading:  start() and stop() block (a few seconds at most): call them off the GUI thread. The rest is thread-safe and never blocks.
// Ownership:  owns server, store writer and their threads; the destructor stops them.
// Units:      bytes, samples.
// Errors:     start(): FAILED_PRECONDITION an unsafe configuration or a store that cannot be opened (see Store::writer()); UNAVAILABLE the
//             named address cannot be bound; INVALID_ARGUMENT a bad address, token or certificate file.
// Cost:       a few threads; memory is limited by queue_bytes plus the writer's open data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "collectors/hub/server/hub_options.h"
#include "collectors/hub/server/received_batch.h"
#include "model/orders.h"
#include "model/result.h"
#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

// Counters since start; differences over time are rates.
struct HubStats {
  std::int64_t samples = 0, spans = 0, records = 0, batches = 0, bytes = 0;
  std::int64_t duplicate_batches = 0, missing_batches = 0, bad_payloads = 0, refused_sessions = 0;
  std::int64_t agents = 0;           // connected now
  std::int64_t queue_bytes = 0;      // received, not yet stored
  DurNs lag = 0;                     // age of the newest batch when it was journaled
  std::int64_t rounds = 0;           // of the ingest thread: at least 20 a second while it is not blocked
  std::string store_error;           // why storing fails; empty: it does not
  std::int64_t cut_connections = 0;  // closed because of their traffic, see http2_guard.h
  std::string newest_cut;            // address and cause of the last one
  std::string access_error;          // why the token file cannot be read; the last entries stay valid
};

class Hub {
 public:
  static Result<std::unique_ptr<Hub>> start(const std::string& store, HubOptions options);
  ~Hub();

  std::string address() const;  // "127.0.0.1:43211"; "unix:/path" without a port
  int port() const;
  // For Readers of this process, so that they see uncommitted data.
  ReaderOptions readerOptions() const;
  HubStats stats() const;
  // Runs `action` on the store writer's thread: notes, findings, pins of the embedding program.
  void post(std::function<void(Writer&)> action);
  // Commits everything posted or received before; `done` is called on the store writer's thread.
  void commit(std::function<void(const Status&)> done);
  // Takes a batch of a receiver, whatever is queued; false from hasRoom(): the queue is full, let the sender wait.
  void receive(ReceivedBatch batch);
  bool hasRoom() const;
  // Sends a command to the agents of a run and the tracers in its processes; `done` is called on the store writer's thread, within seconds.
  // See OrderDispatcher. A capture at a stall: {.kind = kCapture, .run = its name, .number = CaptureReason::kStall}; the results are in
  // Reader::captures().
  void order(Order order, std::function<void(Result<OrderOutcome>)> done);
  // Rejects new agents, acknowledges received data, says goodbye, closes the store. Later calls do nothing.
  Status stop();

 private:
  Hub();
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

}  // namespace runglass
