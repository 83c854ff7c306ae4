// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/write_request.h"

#include <snappy.h>

#include <bit>

#include "collectors/wire/wire_reader.h"

namespace runglass {
namespace {

// Fields of prometheus.WriteRequest and the messages in it.
constexpr std::uint32_t kSeries = 1, kMetadata = 3;
constexpr std::uint32_t kLabels = 1, kSamples = 2, kHistograms = 4;
constexpr std::uint32_t kLabelName = 1, kLabelValue = 2;
constexpr std::uint32_t kSampleValue = 1, kSampleTime = 2;
constexpr std::uint64_t kStale = 0x7FF0000000000002;
constexpr std::size_t kMaxRatio = 1'024;  // of snappy's copies: three bytes repeat 64

bool readSample(std::string_view bytes, WriteSample& sample) {
  sample = {};
  WireReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == kSampleValue && reader.wireType() == 1)
      sample.value = std::bit_cast<double>(reader.fixed64());
    else if (reader.field() == kSampleTime && reader.wireType() == 0)
      sample.time_ms = static_cast<std::int64_t>(reader.varint());
    else
      reader.skip();
  }
  return reader.ok();
}

bool readLabel(std::string_view bytes, std::pair<std::string_view, std::string_view>& label) {
  label = {};
  WireReader reader(bytes);
  while (reader.next()) {
    if (reader.field() == kLabelName && reader.wireType() == 2)
      label.first = reader.bytes();
    else if (reader.field() == kLabelValue && reader.wireType() == 2)
      label.second = reader.bytes();
    else
      reader.skip();
  }
  return reader.ok();
}

Status malformed(const char* what) { return {Code::kInvalidArgument, std::string("remote_write: malformed ") + what}; }
Status tooMany(const char* what, std::int64_t most) {
  return {Code::kResourceExhausted, "remote_write: more than " + std::to_string(most) + " " + what};
}

Status countSeries(std::string_view bytes, WriteCounts& counts) {
  WireReader reader(bytes);
  std::int64_t labels = 0;
  std::size_t label_bytes = 0;
  while (reader.next()) {
    if (reader.wireType() != 2) {
      reader.skip();
      continue;
    }
    const std::uint32_t field = reader.field();
    const std::string_view one = reader.bytes();
    if (field == kLabels) {
      std::pair<std::string_view, std::string_view> label;
      if (!readLabel(one, label)) return malformed("label");
      label_bytes += one.size();
      if (++labels > WriteCounts::kMaxLabelsOfSeries) return tooMany("labels of a series", WriteCounts::kMaxLabelsOfSeries);
      if (label_bytes > WriteCounts::kMaxLabelBytes) return tooMany("bytes of labels of a series", WriteCounts::kMaxLabelBytes);
    } else if (field == kSamples) {
      WriteSample sample;
      if (!readSample(one, sample)) return malformed("sample");
      if (++counts.samples > WriteCounts::kMaxSamples) return tooMany("samples", WriteCounts::kMaxSamples);
    } else if (field == kHistograms) {
      ++counts.histograms;
    }
  }
  return reader.ok() ? Status() : malformed("series");
}

}  // namespace

Result<std::string> unpackSnappy(std::string_view block, std::size_t most) {
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(block.data(), block.size(), &size)) return malformed("snappy block");
  if (size > most) return tooMany("MiB unpacked", static_cast<std::int64_t>(most >> 20U));
  if (size > block.size() * kMaxRatio) return malformed("snappy block: its declared size cannot be");
  std::string out;
  if (!snappy::Uncompress(block.data(), block.size(), &out)) return malformed("snappy block");
  return out;
}

Result<WriteCounts> countWriteRequest(std::string_view bytes) {
  WriteCounts counts;
  WireReader reader(bytes);
  while (reader.next()) {
    if (reader.wireType() != 2) {
      reader.skip();
    } else if (const std::uint32_t field = reader.field(); field == kSeries) {
      if (++counts.series > WriteCounts::kMaxSeries) return tooMany("series", WriteCounts::kMaxSeries);
      const std::string_view one = reader.bytes();
      if (reader.ok()) RG_TRY(countSeries(one, counts));
    } else {
      counts.metadata += field == kMetadata ? 1 : 0;
      reader.skip();
    }
  }
  if (!reader.ok()) return malformed("WriteRequest");
  return counts;
}

bool isStaleMarker(double value) { return std::bit_cast<std::uint64_t>(value) == kStale; }

void forEachSeries(std::string_view bytes, const UseSeries& use) {
  std::vector<WriteSample> samples;
  std::string apart;  // the key of a series whose label fields are not next to each other
  WireReader request(bytes);
  while (request.next()) {
    if (request.field() != kSeries || request.wireType() != 2) {
      request.skip();
      continue;
    }
    const std::string_view series = request.bytes();
    WireReader reader(series);
    samples.clear();
    std::string_view key;
    apart.clear();
    std::size_t at = 0;
    while (reader.next()) {
      const std::uint32_t field = reader.field();
      if (field == kSamples && reader.wireType() == 2) {
        readSample(reader.bytes(), samples.emplace_back());
      } else {
        reader.skip();
        const std::size_t end = series.size() - reader.left();
        if (field == kLabels && key.data() + key.size() == series.data() + at && !key.empty())
          key = {key.data(), key.size() + end - at};
        else if (field == kLabels && key.empty())
          key = series.substr(at, end - at);
        else if (field == kLabels)
          apart.append(series.substr(at, end - at));
      }
      at = series.size() - reader.left();
    }
    if (samples.empty()) continue;
    if (!apart.empty()) {
      apart.insert(0, key);
      key = apart;
    }
    use(key, samples);
  }
}

std::vector<std::pair<std::string_view, std::string_view>> labelsOf(std::string_view key) {
  std::vector<std::pair<std::string_view, std::string_view>> labels;
  WireReader reader(key);
  while (reader.next()) {
    if (reader.wireType() == 2)
      readLabel(reader.bytes(), labels.emplace_back());
    else
      reader.skip();
  }
  return labels;
}

}  // namespace runglass
