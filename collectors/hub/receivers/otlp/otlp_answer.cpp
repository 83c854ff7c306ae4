// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/otlp/otlp_answer.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>
#include <utility>

#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/wire/wire_writer.h"

namespace runglass {

std::optional<OtlpSignal> otlpSignalOf(std::string_view path) {
  if (path == "/v1/metrics") return OtlpSignal::kMetrics;
  if (path == "/v1/logs") return OtlpSignal::kLogs;
  if (path == "/v1/traces") return OtlpSignal::kTraces;
  return std::nullopt;
}

Result<std::string> unpackGzip(std::string_view packed, std::size_t most) {
  const std::unique_ptr<archive, decltype(&archive_read_free)> in(archive_read_new(), &archive_read_free);
  const Status malformed(Code::kInvalidArgument, "otlp: malformed gzip");
  archive_entry* entry = nullptr;
  if (!in || archive_read_support_filter_gzip(in.get()) != ARCHIVE_OK || archive_read_support_format_raw(in.get()) != ARCHIVE_OK ||
      archive_read_open_memory(in.get(), packed.data(), packed.size()) != ARCHIVE_OK ||
      archive_read_next_header(in.get(), &entry) != ARCHIVE_OK || archive_filter_code(in.get(), 0) != ARCHIVE_FILTER_GZIP ||
      archive_filter_count(in.get()) != 2)  // gzip and the bytes: libarchive would also unpack gzip in gzip
    return malformed;
  std::string out;
  std::array<char, 64U << 10> piece{};
  while (true) {
    const la_ssize_t size = archive_read_data(in.get(), piece.data(), piece.size());
    if (size < 0) return malformed;
    if (size == 0) return out;
    if (out.size() + static_cast<std::size_t>(size) > most)
      return Status(Code::kResourceExhausted, "otlp: more than " + std::to_string(most >> 20U) + " MiB unpacked");
    out.append(piece.data(), static_cast<std::size_t>(size));
  }
}

std::string otlpResponse(OtlpSignal signal, bool json, std::int64_t rejected, const std::string& why) {
  if (rejected == 0) return json ? "{}" : "";
  if (json) {
    const char* const name = signal == OtlpSignal::kMetrics ? "rejectedDataPoints"
                             : signal == OtlpSignal::kLogs  ? "rejectedLogRecords"
                                                            : "rejectedSpans";
    std::string text;
    appendJsonText(text, why);
    return R"({"partialSuccess":{")" + std::string(name) + "\":\"" + std::to_string(rejected) + R"(","errorMessage":)" + text + "}}";
  }
  std::string partial, response;
  wire::appendTag(partial, 1, 0);
  wire::appendVarint(partial, static_cast<std::uint64_t>(rejected));
  wire::appendBytes(partial, 2, why);
  wire::appendBytes(response, 1, partial);
  return response;
}

HttpReply otlpReply(HttpReply reply, bool json) {
  if (reply.status >= 400) {
    while (reply.text.ends_with('\n')) reply.text.pop_back();
    std::string status;
    if (json)
      appendJsonText(status, reply.text), status = "{\"message\":" + status + "}";
    else
      wire::appendBytes(status, 2, reply.text);
    reply.text = std::move(status);
  }
  reply.content_type = json ? "application/json" : "application/x-protobuf";
  return reply;
}

}  // namespace runglass
