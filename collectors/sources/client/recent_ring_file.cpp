// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. No value from the file is used as a size or an offset before it was checked against the sizes fixed at open().
// 2. A record counts if its commit words were intact before its payload was read, are the same with the payload, and the head read after
//    that is not a lap ahead: then it was not overwritten meanwhile.
// 3. The strings are read after the slots that refer to them.
#include "collectors/sources/client/recent_ring_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collectors/sources/client/process_identity.h"
#include "collectors/sources/client/record_payload.h"
#include "collectors/sources/client/ring_file.h"
#include "collectors/sources/client/span_gatherer.h"

namespace runglass {
namespace {

constexpr std::uint64_t kSlotsAtOnce = 16384;
constexpr int kIdentityTries = 20;

rgr_commit commitAt(const std::vector<char>& slots, std::uint64_t index) {
  rgr_commit commit;
  std::memcpy(&commit, slots.data() + index * RGR_SLOT_BYTES, sizeof(commit));
  return commit;
}

// Slots of the complete record at `index`; 0 if none begins there.
std::uint64_t recordAt(const std::vector<char>& slots, std::uint64_t position, std::uint64_t index, std::uint64_t count) {
  const rgr_commit head = commitAt(slots, index);
  if (head.stamp != static_cast<std::uint32_t>(position + index + 1)) return 0;
  if (head.type == RGR_CONT || head.slots == 0 || head.slots > RGR_MAX_SLOTS || index + head.slots > count) return 0;
  for (std::uint64_t i = 1; i < head.slots; ++i) {
    const rgr_commit next = commitAt(slots, index + i);
    if (next.stamp != static_cast<std::uint32_t>(position + index + i + 1) || next.type != RGR_CONT) return 0;
  }
  return head.slots;
}

}  // namespace

struct RecentRing::Visit {
  Recorder& out;
  SpanGatherer& gatherer;
  std::int64_t from = 0;  // on the trainer's clock
  Shipped shipped{};
  std::vector<char> before{}, slots{};  // the commit words of both are compared
  bool in_damage = false;
  std::int64_t first = INT64_MAX, last = INT64_MIN;
};

Result<std::unique_ptr<RecentRing>> RecentRing::open(const std::string& path) {
  RG_ASSIGN(OpenRing file, OpenRing::open(path, O_RDONLY));
  std::unique_ptr<RecentRing> ring(new RecentRing(std::move(file)));
  rgr_header& header = ring->m_header;
  if (!ring->readAt(&header, sizeof(header), 0)) return Status(Code::kInvalidArgument, "recent ring " + path + ": shorter than a header");
  if (header.magic != RGR_RECENT_MAGIC) return Status(Code::kInvalidArgument, "recent ring " + path + ": not a recent ring");
  if (header.version != RGR_VERSION)
    return Status(Code::kInvalidArgument, "recent ring " + path + ": version " + std::to_string(header.version) + ", this agent reads " +
                                              std::to_string(RGR_VERSION));
  const std::uint64_t slots = header.slots;
  if (slots < RGR_MIN_SLOTS || slots > RGR_MAX_RING_SLOTS || (slots & (slots - 1)) != 0 || header.max_strings != RGR_MAX_STRINGS ||
      header.string_bytes != RGR_STRING_BYTES || header.header_bytes != RGR_HEADER_BYTES ||
      ring->m_file.size() != RGR_SLOTS_AT + slots * RGR_SLOT_BYTES)
    return Status(Code::kInvalidArgument, "recent ring " + path + ": sizes in its header do not fit the file");
  RG_TRY(ring->look());
  return ring;
}

bool RecentRing::readAt(void* to, std::size_t bytes, std::uint64_t offset) const { return readWhole(m_file.fd(), to, bytes, offset); }

bool RecentRing::readSlots(std::vector<char>& to, std::uint64_t position, std::uint64_t count) const {
  const std::uint64_t first = position & (m_header.slots - 1);
  const std::uint64_t before_wrap = std::min<std::uint64_t>(count, m_header.slots - first);
  to.resize(count * RGR_SLOT_BYTES);
  return readAt(to.data(), before_wrap * RGR_SLOT_BYTES, RGR_SLOTS_AT + first * RGR_SLOT_BYTES) &&
         readAt(to.data() + before_wrap * RGR_SLOT_BYTES, (count - before_wrap) * RGR_SLOT_BYTES, RGR_SLOTS_AT);
}

Status RecentRing::look() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  m_alive = fcntl(m_file.fd(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  const std::uint32_t slots = m_header.slots;
  for (int i = 0; i < kIdentityTries; ++i) {
    VersionsOfHeader before{}, after{};
    rgr_header header{};
    if (!readVersions(m_file.fd(), before) || !readAt(&header, sizeof(header), 0) || !readVersions(m_file.fd(), after))
      return {Code::kDataLoss, "recent ring " + path() + ": the file was cut"};
    if (header.magic != RGR_RECENT_MAGIC || header.slots != slots || header.head < m_mark.to)
      return {Code::kDataLoss, "recent ring " + path() + ": its header was overwritten"};
    m_header = header;
    m_header.identity_version = before.identity == after.identity ? before.identity : before.identity | 1;
    if (m_header.identity_version % 2 == 0) break;
    if (!m_alive) break;  // it died while it wrote its identity
    usleep(1000);
  }
  terminateTexts(m_header);
  return {};
}

DurNs RecentRing::age() const {
  const std::int64_t written = std::max(m_header.progress[m_header.progress_version & 1].time, m_header.anchor_mono);
  const std::int64_t now = monotonicNow();
  if (!isOfThisBoot(m_header) || written < 0) return INT64_MAX;
  return written > now ? 0 : now - written;
}

Status RecentRing::readStrings() {
  std::uint64_t count = 0;
  const Status cut{Code::kDataLoss, "recent ring " + path() + ": the file was cut"};
  if (!readAt(&count, sizeof(count), offsetof(rgr_header, string_count))) return cut;
  std::vector<rgr_string> entries(std::min<std::uint64_t>(count, RGR_MAX_STRINGS));
  if (!readAt(entries.data(), entries.size() * sizeof(rgr_string), RGR_STRINGS_AT)) return cut;
  for (std::size_t i = m_strings.size(); i < entries.size(); ++i) {  // an entry never changes
    const rgr_string entry = entries[i];
    std::string text = "(damaged name)";
    if (entry.bytes <= RGR_LONGEST_STRING && entry.offset <= RGR_STRING_BYTES - entry.bytes) {
      text.resize(entry.bytes);
      if (!readAt(text.data(), text.size(), RGR_STRING_DATA_AT + entry.offset)) return cut;
    }
    m_strings.push_back(std::move(text));
  }
  return {};
}

std::string_view RecentRing::string(std::uint32_t id) const {
  return id < m_strings.size() ? std::string_view(m_strings[id]) : "(damaged name)";
}

void RecentRing::takeRecord(Visit& visit, std::uint64_t position, std::uint64_t index, std::uint64_t slots) const {
  const rgr_commit head = commitAt(visit.slots, index);
  if (head.type != RGR_GPU_SPAN) return;
  std::string payload;
  for (std::uint64_t i = 0; i < slots; ++i) payload.append(visit.slots.data() + (index + i) * RGR_SLOT_BYTES + 8, RGR_SLOT_PAYLOAD);
  const auto span = fixedPart<rgr_span>(payload);
  const std::int64_t end = saturatingSum(span.start, std::max<std::int64_t>(span.dur, 0));
  if (end < visit.from) return;
  if ((head.a & RGR_SHIPPED) != 0 || (position + index < m_mark.to && end >= m_mark.from)) {
    ++visit.shipped.known;
    return;
  }
  if (!visit.gatherer.addGpu(visit.out, payload, head.a, head.b)) return;
  ++visit.shipped.spans;
  visit.first = std::min(visit.first, span.start);
  visit.last = std::max(visit.last, end);
}

std::uint64_t RecentRing::takeChunk(Visit& visit, std::uint64_t position, std::uint64_t count, std::uint64_t oldest) const {
  std::uint64_t index = oldest > position ? std::min(oldest - position, count) : 0;
  if (index > 0) visit.in_damage = true, ++visit.shipped.damaged;
  while (index < count) {
    const std::uint64_t slots = recordAt(visit.before, position, index, count);
    if (slots > 0 && recordAt(visit.slots, position, index, count) == slots) {
      takeRecord(visit, position, index, slots);
      visit.in_damage = false;
      index += slots;
      continue;
    }
    // A record may continue in the next chunk.
    const rgr_commit head = commitAt(visit.before, index);
    if (index > 0 && head.stamp == static_cast<std::uint32_t>(position + index + 1) && head.type != RGR_CONT && index + head.slots > count)
      break;
    // The first slots of the oldest record may be overwritten; that is not damage.
    if (!visit.in_damage && !(head.type == RGR_CONT && index == 0)) ++visit.shipped.damaged;
    visit.in_damage = true;
    ++index;
  }
  return index;
}

Result<RecentRing::Shipped> RecentRing::ship(Recorder& out, const SourceContext& context, DurNs last) {
  RG_TRY(look());
  if (m_alive && (m_header.identity_version == 0 || m_header.identity_version % 2 != 0))
    return Status(Code::kUnavailable, "recent ring " + path() + ": the trainer has not identified itself");
  Run run;
  Attempt attempt;
  Rank rank;
  applyIdentity(m_header.identity, run, attempt, rank);
  attempt.run = out.run(run);
  rank.attempt = out.attempt(attempt);
  rank.node = out.node(context.node);
  out.rank(rank);

  const DurNs offset = ringClockOffset(m_header, context.now());
  const auto toTime = [offset](std::int64_t mono) {
    return static_cast<TimeNs>(static_cast<std::uint64_t>(mono) + static_cast<std::uint64_t>(offset));
  };
  SpanGatherer gatherer([this](std::uint32_t id) { return string(id); }, toTime);
  gatherer.owner(rank.attempt, rank.rank);
  if (last <= 0) last = static_cast<DurNs>(m_header.recent_seconds) * kNsPerSecond;
  const std::int64_t newest = m_alive ? monotonicNow() : m_header.progress[m_header.progress_version & 1].time;
  Visit visit{.out = out, .gatherer = gatherer, .from = saturatingSum(newest, -last)};

  const std::uint64_t end = m_header.head, slots = m_header.slots;
  for (std::uint64_t position = end > slots ? end - slots : 0; position < end;) {
    const std::uint64_t count = std::min(end - position, kSlotsAtOnce);
    std::uint64_t head = 0;
    if (!readSlots(visit.before, position, count) || !readSlots(visit.slots, position, count))
      return Status(Code::kDataLoss, "recent ring " + path() + ": the file was cut");
    if (!readAt(&head, sizeof(head), offsetof(rgr_header, head)) || head < end)
      return Status(Code::kDataLoss, "recent ring " + path() + ": its header was overwritten");
    RG_TRY(readStrings());
    position += takeChunk(visit, position, count, head > slots ? head - slots : 0);
    gatherer.handOver(out);
    RG_TRY(out.flush());
  }
  m_mark.to = end;
  m_mark.from = std::min(m_mark.from, visit.from);
  if (visit.shipped.spans > 0) {
    visit.shipped.first = toTime(visit.first);
    visit.shipped.last = toTime(visit.last);
  }
  return visit.shipped;
}

}  // namespace runglass
