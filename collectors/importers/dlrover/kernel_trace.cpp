// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/dlrover/kernel_trace.h"

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "collectors/wire/wire_reader.h"

namespace runglass::xpu_timer {
namespace {

constexpr std::uint32_t kVarint = 0, kLength = 2;
constexpr std::size_t kMaxMessage = 64U << 10;  // real ones have some hundred bytes

void member(Details& details, const char* key, const std::string& json) {
  details.json += (details.json.empty() ? "\"" : ",\"") + std::string(key) + "\":" + json;
}
void text(Details& details, const char* key, std::string_view value) {
  member(details, key, nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Repeated numbers are packed or single; each call appends the values of its field.
class Numbers {
 public:
  bool read(WireReader& in) {
    if (in.wireType() == kVarint) {
      add(in.varint());
      return in.ok();
    }
    if (in.wireType() != kLength) return false;
    WireReader packed(in.bytes());
    while (packed.ok() && !packed.done()) add(packed.varint());
    return in.ok() && packed.ok();
  }
  void tell(Details& details, const char* key) const {
    if (!m_json.empty()) member(details, key, "[" + m_json + "]");
  }

 private:
  void add(std::uint64_t value) { m_json += (m_json.empty() ? "" : ",") + std::to_string(static_cast<std::int64_t>(value)); }
  std::string m_json;
};

// Result of a message's reader for the current field.
enum class Took : std::uint8_t { kNo, kYes, kBad };
Took took(bool ok) { return ok ? Took::kYes : Took::kBad; }

// Reads a message field by field; fields that `field` does not handle, or of another type, are skipped.
template <class Field>
bool walk(std::string_view message, Field&& field) {
  WireReader in(message);
  while (in.next()) {
    const Took result = field(in);
    if (result == Took::kBad) return false;
    if (result == Took::kNo) in.skip();
  }
  return in.ok();
}

bool readMatmul(std::string_view message, Details& into) {
  Numbers shapes, leading, strides;
  const bool ok = walk(message, [&](WireReader& in) {
    if (in.field() == 1) return took(shapes.read(in));
    if (in.field() == 4) return took(leading.read(in));
    if (in.field() == 5) return took(strides.read(in));
    if (in.field() == 6 && in.wireType() == kVarint)
      member(into, "algo", std::to_string(static_cast<std::int32_t>(in.varint())));
    else if (in.wireType() == kLength && (in.field() == 2 || in.field() == 3 || in.field() == 7))
      text(into, in.field() == 2 ? "dtype" : in.field() == 3 ? "trans" : "api", in.bytes());
    else
      return Took::kNo;
    return Took::kYes;
  });
  shapes.tell(into, "bmnk");
  leading.tell(into, "ld");
  strides.tell(into, "stride");
  return ok;
}

bool readAttention(std::string_view message, Details& into) {
  Numbers shapes;
  const bool ok = walk(message, [&](WireReader& in) { return in.field() == 1 ? took(shapes.read(in)) : Took::kNo; });
  shapes.tell(into, "bssh");
  return ok;
}

bool readGroupedMatmul(std::string_view message, Details& into) {
  std::int64_t members = 0;
  const bool ok = walk(message, [&](WireReader& in) {
    if (in.field() == 1 && in.wireType() == kLength) {
      in.bytes();
      ++members;
    } else if ((in.field() == 2 || in.field() == 3) && in.wireType() == kLength) {
      text(into, in.field() == 2 ? "dtype" : "api", in.bytes());
    } else if (in.field() == 4 && in.wireType() == 1) {
      const double flop = std::bit_cast<double>(in.fixed64());
      if (std::isfinite(flop)) member(into, "flop", nlohmann::json(flop).dump());
    } else {
      return Took::kNo;
    }
    return Took::kYes;
  });
  member(into, "matmuls", std::to_string(members));
  return ok;
}

bool readNccl(std::string_view message, Details& into) {
  Numbers grids, blocks;
  const bool ok = walk(message, [&](WireReader& in) {
    if (in.field() == 1) return took(grids.read(in));
    if (in.field() == 2) return took(blocks.read(in));
    if (in.field() == 5 && in.wireType() == kLength) {
      text(into, "dtype", in.bytes());
      return Took::kYes;
    }
    if (in.wireType() != kVarint || in.field() > 10) return Took::kNo;
    const std::uint64_t value = in.varint();
    static constexpr const char* kKeys[] = {"", "", "", "", "", "", "ranks", "nodes", "", "problem_size", "send_recv_type"};
    if (in.field() == 3) into.comm_hash = value;
    if (in.field() == 4) into.bytes = value;
    if (in.field() == 8) into.seq = value;
    if (const char* key = kKeys[in.field()]; *key != '\0') member(into, key, std::to_string(value));
    return Took::kYes;
  });
  grids.tell(into, "grids");
  blocks.tell(into, "blocks");
  return ok;
}

bool readMemory(std::string_view message, Details& into) {
  return walk(message, [&](WireReader& in) {
    if (in.field() == 1 && in.wireType() == kVarint)
      into.bytes = in.varint();
    else if (in.field() == 2 && in.wireType() == kLength)
      text(into, "direction", in.bytes());
    else
      return Took::kNo;
    return Took::kYes;
  });
}

bool readLaunch(std::string_view message, Details& into) {
  Numbers grids, blocks;
  const bool ok = walk(message, [&](WireReader& in) {
    if (in.field() == 1) return took(grids.read(in));
    if (in.field() == 2) return took(blocks.read(in));
    if (in.field() != 3 || in.wireType() != kVarint) return Took::kNo;
    into.stream = static_cast<std::uint32_t>(in.varint());
    return Took::kYes;
  });
  if (ok && !into.stream) into.stream = 0;  // proto3 omits zeros
  grids.tell(into, "grids");
  blocks.tell(into, "blocks");
  return ok;
}

// The wrapper in the CUPTI build: a launch and one of the details.
bool readWrapped(std::string_view message, Details& into) {
  return walk(message, [&](WireReader& in) {
    if (in.wireType() != kLength) return Took::kNo;
    switch (in.field()) {
      case 1:
        return took(readLaunch(in.bytes(), into));
      case 3:
        return took(readMatmul(in.bytes(), into));
      case 4:
        return took(readNccl(in.bytes(), into));
      case 5:
        return took(readAttention(in.bytes(), into));
      case 6:
        return took(readMemory(in.bytes(), into));
      case 7:
        return took(readGroupedMatmul(in.bytes(), into));
      default:
        return Took::kNo;
    }
  });
}

// Field 7 is a matmul in one layout, the wrapper in the other. A matmul always has a type (2), a field number that the wrapper does not
// use.
bool isMatmul(std::string_view message) {
  bool typed = false;
  const bool ok = walk(message, [&typed](WireReader& in) {
    typed = typed || (in.field() == 2 && in.wireType() == kLength);
    return Took::kNo;
  });
  return ok && typed;
}

bool readDetails(WireReader& in, KernelTrace& into) {
  const std::uint32_t field = in.field();
  const std::string_view message = in.bytes();
  switch (field) {
    case 7:
      return isMatmul(message) ? readMatmul(message, into.details) : readWrapped(message, into.details);
    case 8:
      return readAttention(message, into.details);
    case 9:
      return readNccl(message, into.details);
    case 10:
      return readMemory(message, into.details);
    default:
      return readGroupedMatmul(message, into.details);
  }
}

}  // namespace

bool readKernelTrace(std::string_view message, KernelTrace& into) {
  if (message.size() > kMaxMessage) return false;
  return walk(message, [&](WireReader& in) {
    if (in.wireType() == kLength && ((in.field() >= 7 && in.field() <= 10) || in.field() == 12)) {
      return took(readDetails(in, into));
    }
    if (in.wireType() != kVarint || in.field() > 11) return Took::kNo;
    const std::uint64_t value = in.varint();
    switch (in.field()) {
      case 1:
        into.kind = static_cast<std::uint32_t>(value);
        break;
      case 2:
        into.code = static_cast<std::uint32_t>(value);
        break;
      case 3:
        into.start_us = value;
        break;
      case 4:
        into.dur_us = value;
        break;
      case 5:
        into.delay_us = value;
        break;
      case 6:
        into.count = value;
        break;
      case 8:   // CUPTI build
      case 11:  // CUDA-event build
        into.is_host = value != 0;
        break;
      default:
        break;
    }
    return Took::kYes;
  });
}

bool readHostTrace(std::string_view message, HostTrace& into) {
  if (message.size() > kMaxMessage) return false;
  return walk(message, [&](WireReader& in) {
    if (in.field() == 3 && in.wireType() == kLength) {
      into.name = in.bytes();
      return Took::kYes;
    }
    if (in.field() == 5 && in.wireType() == kLength) {
      into.collected = into.uncollectable = 0;
      return took(walk(in.bytes(), [&](WireReader& gc) {
        if (gc.wireType() != kVarint || gc.field() > 2) return Took::kNo;
        (gc.field() == 1 ? into.collected : into.uncollectable) = gc.varint();
        return Took::kYes;
      }));
    }
    if (in.wireType() != kVarint || in.field() > 4) return Took::kNo;
    const std::uint64_t value = in.varint();
    if (in.field() == 1) into.start_us = value;
    if (in.field() == 2) into.dur_us = value;
    if (in.field() == 4) into.count = value;
    return Took::kYes;
  });
}

}  // namespace runglass::xpu_timer
