// SPDX-License-Identifier: Apache-2.0
// One line of NCCL Inspector's JSON (v4.0 to v4.3): an operation of a communicator, or the header of a dump.
//
// Threading:  one parser per thread.
// Ownership:  an InspectorRecord owns its texts.
// Units:      µs as written, bytes, GB/s.
// Errors:     read(): false for text that is not a JSON object.
// Cost:       one pass over the line.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runglass {

// Owner of a record. Since v4.3 it is given once, before the records of a dump.
struct InspectorContext {
  std::string comm, comm_name, hostname, version;
  std::optional<std::int64_t> rank, n_ranks, pid, dump_us;
};

struct InspectorRecord {
  enum class Kind : std::uint8_t { kCollective, kP2p, kDump, kOther } kind = Kind::kOther;
  bool has_context = false;
  InspectorContext context;
  std::int64_t dropped = 0;  // of a dump: records lost since the previous one
  std::string op, algo, proto, timing;
  std::optional<std::int64_t> seq, bytes, peer;
  std::optional<double> exec_us, algobw, busbw;
  std::optional<std::int64_t> start_us, stop_us;  // verbose dumps only; of the kernels, else of the host's calls
  std::string raw;                                // the operation's JSON object
};

class InspectorParser {
 public:
  bool read(std::string_view line, InspectorRecord& into);

 private:
  simdjson::dom::parser m_parser;
};

}  // namespace runglass
