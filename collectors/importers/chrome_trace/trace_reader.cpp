// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/trace_reader.h"

namespace runglass {

Result<TraceEnd> readTrace(ByteStream& in, const std::string& path, EventSlicer& slicer, const std::stop_token& stop,
                           const std::function<Status()>& failure) {
  TraceEnd end;
  while (true) {
    if (stop.stop_requested()) {
      end.stopped = true;
      return end;
    }
    const auto bytes = in.next();
    if (!bytes.ok()) {
      end.partial_reason = bytes.status().message();
      break;
    }
    if (bytes->empty()) break;
    slicer.feed(*bytes);
    RG_TRY(failure());
    if (!slicer.wellBegun()) return Status(Code::kInvalidArgument, path + ": byte 0: no Chrome trace: neither an object nor a list");
  }
  slicer.finish();
  if (end.partial_reason.empty() && slicer.cut())
    end.partial_reason = "the file ends in the middle, at byte " + std::to_string(in.offset());
  return end;
}

}  // namespace runglass
