// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. No value from the file is used as a size or an offset before it was checked against the sizes fixed at open().
// 2. A record's payload is read after its commit word was seen (two reads), so that it is the committed payload.
// 3. `tail` moves only in release(): records that the Recorder did not accept are read again.
// 4. Whether the owner is alive is checked before `head` is read: once it is dead, head is final.
#include "collectors/sources/client/ring_reader.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "collectors/sources/client/process_identity.h"
#include "collectors/sources/client/ring_file.h"

namespace runglass {
namespace {
constexpr std::uint64_t kSlotsAtOnce = 16384;
}

Result<std::unique_ptr<RingReader>> RingReader::open(const std::string& path) {
  RG_ASSIGN(OpenRing file, OpenRing::open(path, O_RDWR));
  std::unique_ptr<RingReader> reader(new RingReader(std::move(file)));
  if (flock(reader->m_file.fd(), LOCK_EX | LOCK_NB) != 0) return Status(Code::kUnavailable, "ring " + path + ": another agent reads it");
  rgr_header& header = reader->m_header;
  if (!reader->readAt(&header, sizeof(header), 0)) return Status(Code::kInvalidArgument, "ring " + path + ": shorter than a header");
  if (header.magic != RGR_MAGIC) return Status(Code::kInvalidArgument, "ring " + path + ": not a ring");
  if (header.version < RGR_OLDEST_VERSION || header.version > RGR_VERSION)
    return Status(Code::kInvalidArgument, "ring " + path + ": version " + std::to_string(header.version) + ", this agent reads " +
                                              std::to_string(RGR_OLDEST_VERSION) + " to " + std::to_string(RGR_VERSION));
  const std::uint64_t slots = header.slots;
  if (header.version == 1) {
    reader->m_string_bytes = RGR_STRING_BYTES_V1;
    reader->m_slots_at = RGR_SLOTS_AT_V1;
  }
  if (slots < RGR_MIN_SLOTS || slots > RGR_MAX_RING_SLOTS || (slots & (slots - 1)) != 0 || header.max_strings != RGR_MAX_STRINGS ||
      header.string_bytes != reader->m_string_bytes || header.header_bytes != RGR_HEADER_BYTES ||
      reader->m_file.size() != reader->m_slots_at + slots * RGR_SLOT_BYTES)
    return Status(Code::kInvalidArgument, "ring " + path + ": sizes in its header do not fit the file");
  reader->m_first_tail = reader->m_position = reader->m_next = header.tail_check == ~header.tail ? header.tail : 0;
  RG_TRY(reader->look());
  return reader;
}

void RingReader::remove() const {
  m_file.remove();
  m_file.removeWithExtension(".stack");
}

bool RingReader::readAt(void* to, std::size_t bytes, std::uint64_t offset) const { return readWhole(m_file.fd(), to, bytes, offset); }

void RingReader::lookForOwner() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  m_alive = fcntl(m_file.fd(), F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  m_pid = m_alive && lock.l_pid > 0 ? lock.l_pid : 0;
}

Status RingReader::refresh() {
  const std::uint32_t slots = m_header.slots;
  VersionsOfHeader before{}, after{};
  rgr_header header{};
  if (!readVersions(m_file.fd(), before) || !readAt(&header, sizeof(header), 0) || !readVersions(m_file.fd(), after))
    return {Code::kDataLoss, "ring " + path() + ": the file was cut"};
  const std::uint64_t held = header.head - m_position;
  if (header.magic != RGR_MAGIC || header.slots != slots || held > slots)
    return {Code::kDataLoss, "ring " + path() + ": its header was overwritten"};
  // The live copy of the progress slot is stable while its version is; see ring_layout.h.
  if (before.progress == after.progress && before.progress != 0) {
    m_progress = header.progress[before.progress & 1];
    m_progress_version = before.progress;
  }
  header.identity_version = before.identity == after.identity ? before.identity : before.identity | 1;
  m_header = header;
  terminateTexts(m_header);
  return {};
}

bool RingReader::readSlots(std::uint64_t position, std::uint64_t count) {
  const std::uint64_t first = position & (m_header.slots - 1);
  const std::uint64_t before_wrap = std::min<std::uint64_t>(count, m_header.slots - first);
  m_slots.resize(count * RGR_SLOT_BYTES);
  return readAt(m_slots.data(), before_wrap * RGR_SLOT_BYTES, m_slots_at + first * RGR_SLOT_BYTES) &&
         readAt(m_slots.data() + before_wrap * RGR_SLOT_BYTES, (count - before_wrap) * RGR_SLOT_BYTES, m_slots_at);
}

rgr_commit RingReader::commitAt(std::uint64_t index) const {
  rgr_commit commit;
  std::memcpy(&commit, m_slots.data() + index * RGR_SLOT_BYTES, sizeof(commit));
  return commit;
}

std::uint64_t RingReader::recordAt(std::uint64_t index, std::uint64_t count) const {
  const rgr_commit head = commitAt(index);
  if (head.stamp != static_cast<std::uint32_t>(m_position + index + 1)) return 0;
  if (head.type == RGR_CONT || head.slots == 0 || index + head.slots > count) return 0;
  for (std::uint64_t i = 1; i < head.slots; ++i) {
    const rgr_commit next = commitAt(index + i);
    if (next.stamp != static_cast<std::uint32_t>(m_position + index + i + 1) || next.type != RGR_CONT) return 0;
  }
  return head.slots;
}

Status RingReader::look() {
  lookForOwner();
  return refresh();
}

Result<bool> RingReader::drain(const std::function<void(const Record&)>& take) {
  RG_TRY(look());
  const std::uint64_t waiting = m_header.head - m_position;
  const std::uint64_t count = std::min(waiting, kSlotsAtOnce);
  const bool all = count == waiting;
  m_next = m_position;
  if (count == 0) return false;
  const auto cut = Status(Code::kDataLoss, "ring " + path() + ": the file was cut");
  if (!readSlots(m_position, count)) return cut;

  // Complete records: a prefix while the owner is alive, any of them after its death (possibly inside a record).
  std::vector<std::uint64_t> starts;
  std::uint64_t index = 0;
  while (index < count) {
    const std::uint64_t slots = recordAt(index, count);
    if (slots > 0) {
      starts.push_back(index);
      index += slots;
      m_in_torn = false;
      continue;
    }
    const bool may_be_cut_by_us = !all && index + RGR_MAX_SLOTS > count && index > 0;
    if (m_alive || may_be_cut_by_us) break;
    if (!m_in_torn) ++m_torn;
    m_in_torn = true;
    ++index;
  }
  if (index == 0) return false;
  if (!readSlots(m_position, index)) return cut;
  for (const std::uint64_t start : starts) {
    const rgr_commit head = commitAt(start);
    const std::uint64_t slots = std::min<std::uint64_t>(head.slots, index - start);
    if (slots == 0) continue;
    m_joined.clear();
    for (std::uint64_t i = 0; i < slots; ++i) m_joined.append(m_slots.data() + (start + i) * RGR_SLOT_BYTES + 8, RGR_SLOT_PAYLOAD);
    take({head, m_joined});
  }
  m_next = m_position + index;
  return !all;
}

void RingReader::release() {
  if (m_next == m_position) return;
  m_position = m_next;
  const std::uint64_t pair[2] = {m_position, ~m_position};
  // 16 bytes in one page of a memory file are never written partially; a torn read of them fails the complement check.
  [[maybe_unused]] const ssize_t n = pwrite(m_file.fd(), pair, sizeof(pair), offsetof(rgr_header, tail));
}

rgr_tracer RingReader::tracer() const {
  rgr_tracer tracer{};
  if (!readAt(&tracer, sizeof(tracer), RGR_TRACER_AT)) return {};
  return tracer;
}

rgr_orders RingReader::orders() const {
  rgr_orders orders{};
  // Torn by an agent that crashed, or never written: the serial continues from its value all the same.
  const bool whole = readAt(&orders, sizeof(orders), RGR_ORDERS_AT) && orders.serial != 0 && orders.check == rgr_orders_check(&orders);
  if (whole && orders.filter_bytes <= RGR_FILTER_BYTES) return orders;
  const std::uint64_t serial = orders.serial;
  orders = {};
  orders.serial = serial;
  orders.trace_every = orders.first_step = orders.exact_first = orders.recent_seconds = RGR_UNSAID;
  return orders;
}

Result<std::uint64_t> RingReader::putOrders(rgr_orders orders) const {
  // Never 0, which means no request.
  orders.serial = orders.serial == std::numeric_limits<std::uint64_t>::max() ? 1 : orders.serial + 1;
  orders.check = rgr_orders_check(&orders);
  const char* bytes = reinterpret_cast<const char*>(&orders);
  constexpr std::size_t kSerial = sizeof(orders.serial);
  const bool written = pwrite(m_file.fd(), bytes + kSerial, sizeof(orders) - kSerial, RGR_ORDERS_AT + kSerial) ==
                           static_cast<ssize_t>(sizeof(orders) - kSerial) &&
                       pwrite(m_file.fd(), bytes, kSerial, RGR_ORDERS_AT) == static_cast<ssize_t>(kSerial);
  if (!written) return Status(Code::kUnavailable, "ring " + path() + ": orders cannot be written: " + std::strerror(errno));
  return orders.serial;
}

std::string_view RingReader::string(std::uint32_t id) {
  if (id == 0) return "";
  if (id >= m_strings.size()) {
    std::uint64_t count = 0;
    if (!readAt(&count, sizeof(count), offsetof(rgr_header, string_count))) return "(damaged name)";
    std::vector<rgr_string> entries(std::min<std::uint64_t>(count, RGR_MAX_STRINGS));
    if (!readAt(entries.data(), entries.size() * sizeof(rgr_string), RGR_STRINGS_AT)) return "(damaged name)";
    for (std::size_t i = m_strings.size(); i < entries.size(); ++i) {
      const rgr_string entry = entries[i];
      std::string text = "(damaged name)";
      if (entry.bytes <= RGR_LONGEST_STRING && entry.offset <= m_string_bytes - entry.bytes) {
        text.resize(entry.bytes);
        if (!readAt(text.data(), text.size(), RGR_STRING_DATA_AT + entry.offset)) text = "(damaged name)";
      }
      m_strings.push_back(std::move(text));
    }
  }
  return id < m_strings.size() ? std::string_view(m_strings[id]) : "(damaged name)";
}

}  // namespace runglass
