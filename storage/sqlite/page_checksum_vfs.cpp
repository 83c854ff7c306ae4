// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Each page written to a database file with checksums contains one. A database has them when byte 20 of its header is kPageReserve; an
//    empty file gets them, because every Connection requests the reserve.
// 2. Only the reserved bytes of a page are changed.
// 3. A page of zeros passes where the connection may write: SQLite leaves holes for pages that were allocated and freed before they were
//    first written. A connection that only reads meets no free page, so that there it is damage.
#include "storage/sqlite/page_checksum_vfs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "storage/sqlite/page_checksum.h"

namespace runglass::sqlite {
namespace {

constexpr const char* kName = "runglass";
constexpr sqlite3_int64 kNowhere = std::numeric_limits<sqlite3_int64>::max();
constexpr int kWalHeader = 32, kFrameHeader = 24;
constexpr int kReserveAt = 20;  // in the header of a database

thread_local std::string t_last_damage;

// The inputs of a frame's checksum other than its page, as this connection wrote them: the first eight bytes of its header, and the
// checksum stored there. With them, a checkpoint only reads pages.
struct FrameHead {
  std::array<unsigned char, 8> number{};
  std::array<unsigned char, 8> checksum{};
};
using WrittenFrames = std::vector<FrameHead>;  // [0] holds the checksum in the -wal's own header, [i + 1] that of frame i

// SQLite allocates it, followed by space for the file of the underlying VFS.
struct File {
  sqlite3_file base;
  const char* name;
  bool wal;
  // For a database:
  bool checked;             // its pages have checksums
  bool only_read;           // by this connection
  bool scanned;             // by checkPages(), which also reads free pages
  bool in_checkpoint;       // pages are being copied from the -wal
  bool copies_damage;       // the next page to be written was damaged in the -wal
  File* database;           // of a -wal: its database
  sqlite3_int64 header_at;  // of a -wal: where the last frame header was written
  // Of a -wal: the position from which frame checksums are only corrected at the commit, because a frame was rewritten. No other connection
  // reads these frames.
  sqlite3_int64 unsettled_from;
  WrittenFrames* written;    // of a -wal; deleted when it is closed
  sqlite3_int64 frame_size;  // of a -wal that this connection started; else 0
};

File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
sqlite3_file* below(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File)); }
sqlite3_vfs* below(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

bool isPageSize(int size) { return size >= 512 && size <= 65536 && std::has_single_bit(static_cast<unsigned>(size)); }

std::uint32_t bigEndian(const unsigned char* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | std::uint32_t{at[3]};
}

std::uint64_t storedChecksum(const unsigned char* page, int size) {
  std::uint64_t stored = 0;
  std::memcpy(&stored, page + size - kPageReserve, sizeof stored);
  return stored;
}

int damaged(const File& file, std::uint32_t page) {
  t_last_damage = "page " + std::to_string(page) + " of " + file.name + " does not match its checksum";
  sqlite3_log(kPageDamaged, "%s", t_last_damage.c_str());
  return kPageDamaged;
}

void readHeader(File& file, const unsigned char* header) {
  if (std::memcmp(header, "SQLite format 3", 16) == 0) file.checked = header[kReserveAt] == kPageReserve;
}

int checkPage(const File& file, unsigned char* page, int size, sqlite3_int64 at) {
  const auto number = static_cast<std::uint32_t>(at / size + 1);
  if (!file.checked && number != 1) return SQLITE_OK;
  // The byte that enables checksums is itself in page 1.
  const unsigned char reserve = page[kReserveAt];
  if (number == 1) page[kReserveAt] = kPageReserve;
  const bool matches = pageChecksum(page, static_cast<std::size_t>(size), number) == storedChecksum(page, size);
  if (number == 1) page[kReserveAt] = reserve;
  if (number == 1 && reserve != kPageReserve) return matches ? damaged(file, number) : SQLITE_OK;
  if (matches || !file.checked) return SQLITE_OK;
  const bool zeros = std::all_of(page, page + size, [](unsigned char byte) { return byte == 0; });
  if (zeros && (!file.only_read || file.scanned)) return SQLITE_OK;
  return damaged(file, number);
}

bool frameMatches(std::span<const unsigned char, 8> before, std::span<const unsigned char, 8> number,
                  std::span<const unsigned char, 8> checksum, const unsigned char* page, int size) {
  std::uint32_t first = bigEndian(before.data()), second = bigEndian(before.data() + 4);
  const auto add = [&](const unsigned char* bytes, int count) {
    for (int i = 0; i < count; i += 8) {
      std::array<std::uint32_t, 2> words{};
      std::memcpy(words.data(), bytes + i, 8);
      first += words[0] + second;
      second += words[1] + first;
    }
  };
  add(number.data(), 8);
  add(page, size);
  return first == bigEndian(checksum.data()) && second == bigEndian(checksum.data() + 4);
}

// Frames are written one after the other, and rewritten in place; the heads of others are read from the file when needed.
void noteWritten(File& wal, const unsigned char* bytes, int size, sqlite3_int64 at) {
  FrameHead head;
  WrittenFrames& written = *wal.written;
  if (at == 0 && size == kWalHeader) {
    std::copy_n(bytes + 24, 8, head.checksum.begin());
    written.assign(1, head);
    wal.frame_size = bigEndian(bytes + 8) + kFrameHeader;
  }
  if (size != kFrameHeader || wal.frame_size == 0) return;
  std::copy_n(bytes, 8, head.number.begin());
  std::copy_n(bytes + 16, 8, head.checksum.begin());
  const auto index = static_cast<std::size_t>((at - kWalHeader) / wal.frame_size) + 1;
  if (index < written.size())
    written[index] = head;
  else if (index == written.size())
    written.push_back(head);
}

// SQLite's own checksum of a frame continues from that of the frame before (sqlite.org/fileformat2.html, 4.2). SQLite checks it when it
// recovers a -wal, but not when it reads a page or copies one into the database.
int checkFrame(sqlite3_file* wal, const unsigned char* page, int size, sqlite3_int64 at) {
  File& file = of(wal);
  const sqlite3_int64 header_at = at - kFrameHeader;
  if (header_at >= file.unsettled_from) return SQLITE_OK;
  std::array<unsigned char, kFrameHeader> header{};
  std::array<unsigned char, 8> before{};
  const sqlite3_int64 before_at = header_at == kWalHeader ? 24 : header_at - size - 8;
  const auto frame = static_cast<std::size_t>((header_at - kWalHeader) / (size + kFrameHeader));
  if (frame + 1 < file.written->size()) {
    const FrameHead &last = (*file.written)[frame], &own = (*file.written)[frame + 1];
    if (frameMatches(last.checksum, own.number, own.checksum, page, size)) return SQLITE_OK;
  }
  sqlite3_file* inner = below(wal);
  int rc = inner->pMethods->xRead(inner, header.data(), kFrameHeader, header_at);
  if (rc == SQLITE_OK) rc = inner->pMethods->xRead(inner, before.data(), static_cast<int>(before.size()), before_at);
  if (rc != SQLITE_OK) return rc;
  if (frameMatches(before, std::span(header).first<8>(), std::span(header).last<8>(), page, size)) return SQLITE_OK;
  const int found = damaged(file, bigEndian(header.data()));
  // A checkpoint that failed here would always fail: the page is copied into the database with its damage.
  if (file.database == nullptr || !file.database->in_checkpoint) return found;
  file.database->copies_damage = true;
  return SQLITE_OK;
}

int readFile(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  File& self = of(file);
  const int rc = below(file)->pMethods->xRead(below(file), to, size, at);
  if (rc != SQLITE_OK) return rc;
  auto* bytes = static_cast<unsigned char*>(to);
  if (self.wal) {
    const bool frame = isPageSize(size) && (at - kWalHeader) % (size + kFrameHeader) == kFrameHeader;
    return frame ? checkFrame(file, bytes, size, at) : SQLITE_OK;
  }
  if (at == 0 && size >= 100) readHeader(self, bytes);
  return isPageSize(size) && at % size == 0 ? checkPage(self, bytes, size, at) : SQLITE_OK;
}

int writeFile(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  File& self = of(file);
  if (self.wal) {
    noteWritten(self, static_cast<const unsigned char*>(from), size, at);
    if (at == 0) self.unsettled_from = kNowhere;  // the -wal restarts
    if (size == kFrameHeader) {
      if (at <= self.unsettled_from) self.unsettled_from = kNowhere;
      self.header_at = at;
    } else if (isPageSize(size) && at - kFrameHeader != self.header_at) {
      self.unsettled_from = std::min(self.unsettled_from, at - kFrameHeader);
    }
  } else if (isPageSize(size) && at % size == 0) {
    // The bytes are in SQLite's page buffer; its reserved bytes are for the VFS to write.
    auto* page = static_cast<unsigned char*>(const_cast<void*>(from));
    if (at == 0) readHeader(self, page);
    if (self.checked) {
      std::uint64_t checksum = pageChecksum(page, static_cast<std::size_t>(size), static_cast<std::uint32_t>(at / size + 1));
      if (std::exchange(self.copies_damage, false)) checksum = ~checksum;
      std::memcpy(page + size - kPageReserve, &checksum, sizeof checksum);
    }
  }
  return below(file)->pMethods->xWrite(below(file), from, size, at);
}

int fileControl(sqlite3_file* file, int operation, void* argument) {
  File& self = of(file);
  if (operation == SQLITE_FCNTL_CKPT_START || operation == SQLITE_FCNTL_CKPT_DONE) {
    self.in_checkpoint = operation == SQLITE_FCNTL_CKPT_START;
    self.copies_damage = false;
  }
  return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

int characteristics(sqlite3_file* file) {
  constexpr int kReadsPartsOfPages = 0x8000;  // SQLITE_IOCAP_SUBPAGE_READ of newer versions
  return below(file)->pMethods->xDeviceCharacteristics(below(file)) & ~kReadsPartsOfPages;
}

int closeFile(sqlite3_file* file) {
  delete of(file).written;  // SQLite owns the memory of the File and runs no destructor
  return below(file)->pMethods->xClose(below(file));
}

const sqlite3_io_methods kMethods = {
    .iVersion = 3,
    .xClose = closeFile,
    .xRead = readFile,
    .xWrite = writeFile,
    .xTruncate = [](sqlite3_file* file, sqlite3_int64 size) { return below(file)->pMethods->xTruncate(below(file), size); },
    .xSync = [](sqlite3_file* file, int flags) { return below(file)->pMethods->xSync(below(file), flags); },
    .xFileSize = [](sqlite3_file* file, sqlite3_int64* size) { return below(file)->pMethods->xFileSize(below(file), size); },
    .xLock = [](sqlite3_file* file, int lock) { return below(file)->pMethods->xLock(below(file), lock); },
    .xUnlock = [](sqlite3_file* file, int lock) { return below(file)->pMethods->xUnlock(below(file), lock); },
    .xCheckReservedLock = [](sqlite3_file* file, int* out) { return below(file)->pMethods->xCheckReservedLock(below(file), out); },
    .xFileControl = fileControl,
    .xSectorSize = [](sqlite3_file* file) { return below(file)->pMethods->xSectorSize(below(file)); },
    .xDeviceCharacteristics = characteristics,
    .xShmMap = [](sqlite3_file* file, int page, int size, int extend,
                  void volatile** out) { return below(file)->pMethods->xShmMap(below(file), page, size, extend, out); },
    .xShmLock = [](sqlite3_file* file, int at, int n, int flags) { return below(file)->pMethods->xShmLock(below(file), at, n, flags); },
    .xShmBarrier = [](sqlite3_file* file) { below(file)->pMethods->xShmBarrier(below(file)); },
    .xShmUnmap = [](sqlite3_file* file, int remove) { return below(file)->pMethods->xShmUnmap(below(file), remove); },
    // Memory-mapped pages would bypass the check.
    .xFetch =
        [](sqlite3_file*, sqlite3_int64, int, void** out) {
          *out = nullptr;
          return SQLITE_OK;
        },
    .xUnfetch = [](sqlite3_file*, sqlite3_int64, void*) { return SQLITE_OK; },
};

int openFile(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return below(vfs)->xOpen(below(vfs), name, file, flags, out_flags);
  const int rc = below(vfs)->xOpen(below(vfs), name, below(file), flags, out_flags);
  if (rc != SQLITE_OK) {
    file->pMethods = nullptr;  // so SQLite does not close it
    return rc;
  }
  const bool wal = (flags & SQLITE_OPEN_WAL) != 0;
  of(file) = {.base = {&kMethods}, .name = name, .wal = wal, .header_at = -1, .unsettled_from = kNowhere};
  of(file).only_read = (flags & SQLITE_OPEN_READONLY) != 0;
  sqlite3_int64 size = 0;
  if (wal) {
    of(file).database = &of(sqlite3_database_file_object(name));
    of(file).written = new WrittenFrames;
  }
  if (!wal && (flags & SQLITE_OPEN_CREATE) != 0)
    of(file).checked = below(file)->pMethods->xFileSize(below(file), &size) == SQLITE_OK && size == 0;
  return SQLITE_OK;
}

// Null unless the file belongs to this VFS.
sqlite3_file* fileOf(sqlite3* db, int which) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(db, "main", which, &file) != SQLITE_OK || file == nullptr || file->pMethods != &kMethods) return nullptr;
  return file;
}

// The page numbers in the -wal, whose copies in the database are outdated, and the damage in its committed frames.
class WalScan {
 public:
  WalScan(sqlite3_file* wal, std::int64_t page_size) : m_wal(wal), m_page_size(static_cast<int>(page_size)) { readHeaders(); }

  const std::set<std::uint32_t>& pages() const { return m_pages; }
  void check(const std::function<void(std::int64_t, bool)>& found, const std::function<bool()>& stop) {
    std::string page(static_cast<std::size_t>(m_page_size), '\0');
    for (sqlite3_int64 frame = 0; frame < m_committed && !stop(); ++frame) {
      const sqlite3_int64 at = headerAt(frame) + kFrameHeader;
      if (m_wal->pMethods->xRead(m_wal, page.data(), m_page_size, at) != kPageDamaged) continue;
      std::array<unsigned char, 8> salts{};
      if (!readSalts(salts) || salts != m_salts) return;  // a writer restarted the -wal meanwhile
      found(numberAt(frame), true);
    }
  }

 private:
  sqlite3_int64 headerAt(sqlite3_int64 frame) const { return kWalHeader + frame * (kFrameHeader + m_page_size); }
  bool read(void* to, int size, sqlite3_int64 at) const { return m_wal->pMethods->xRead(m_wal, to, size, at) == SQLITE_OK; }
  bool readSalts(std::array<unsigned char, 8>& salts) const { return read(salts.data(), 8, 16); }
  std::uint32_t numberAt(sqlite3_int64 frame) const {
    std::array<unsigned char, 4> number{};
    return read(number.data(), 4, headerAt(frame)) ? bigEndian(number.data()) : 0;
  }
  void readHeaders() {
    std::array<unsigned char, kFrameHeader> header{};
    if (m_wal == nullptr || !readSalts(m_salts)) return;
    for (sqlite3_int64 frame = 0; read(header.data(), kFrameHeader, headerAt(frame)); ++frame) {
      if (!std::equal(m_salts.begin(), m_salts.end(), header.begin() + 8)) return;
      m_pages.insert(bigEndian(header.data()));
      if (bigEndian(header.data() + 4) != 0) m_committed = frame + 1;
    }
  }

  sqlite3_file* m_wal;
  int m_page_size;
  std::array<unsigned char, 8> m_salts{};
  std::set<std::uint32_t> m_pages;
  sqlite3_int64 m_committed = 0;  // frames
};

}  // namespace

const char* storeVfs() {
  static const bool kRegistered = [] {
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    vfs.pAppData = sqlite3_vfs_find(nullptr);
    vfs.pNext = nullptr;
    vfs.zName = kName;
    vfs.szOsFile += static_cast<int>(sizeof(File));
    vfs.xOpen = openFile;
    vfs.xDelete = [](sqlite3_vfs* self, const char* name, int sync) { return below(self)->xDelete(below(self), name, sync); };
    vfs.xAccess = [](sqlite3_vfs* self, const char* name, int flags, int* out) {
      return below(self)->xAccess(below(self), name, flags, out);
    };
    vfs.xFullPathname = [](sqlite3_vfs* self, const char* name, int size, char* out) {
      return below(self)->xFullPathname(below(self), name, size, out);
    };
    vfs.xRandomness = [](sqlite3_vfs* self, int size, char* out) { return below(self)->xRandomness(below(self), size, out); };
    vfs.xSleep = [](sqlite3_vfs* self, int microseconds) { return below(self)->xSleep(below(self), microseconds); };
    vfs.xCurrentTime = [](sqlite3_vfs* self, double* out) { return below(self)->xCurrentTime(below(self), out); };
    vfs.xGetLastError = [](sqlite3_vfs* self, int size, char* out) { return below(self)->xGetLastError(below(self), size, out); };
    vfs.xCurrentTimeInt64 = [](sqlite3_vfs* self, sqlite3_int64* out) { return below(self)->xCurrentTimeInt64(below(self), out); };
    // Connections to stores cannot load extensions or replace system calls.
    vfs.xDlOpen = nullptr;
    vfs.xDlError = nullptr;
    vfs.xDlSym = nullptr;
    vfs.xDlClose = nullptr;
    vfs.iVersion = 2;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
  }();
  return kRegistered ? kName : nullptr;
}

const std::string& lastPageDamage() { return t_last_damage; }

bool hasPageChecksums(sqlite3* db) {
  sqlite3_file* file = fileOf(db, SQLITE_FCNTL_FILE_POINTER);
  return file != nullptr && of(file).checked;
}

bool checkPages(sqlite3* db, std::int64_t pages, std::int64_t page_size, const std::function<void(std::int64_t page, bool in_wal)>& found,
                const std::function<bool()>& stop) {
  sqlite3_file* file = fileOf(db, SQLITE_FCNTL_FILE_POINTER);
  if (file == nullptr || !isPageSize(static_cast<int>(page_size))) return false;
  WalScan wal(fileOf(db, SQLITE_FCNTL_JOURNAL_POINTER), page_size);
  std::string bytes(static_cast<std::size_t>(page_size), '\0');
  bool zeros = false;
  of(file).scanned = true;
  for (std::int64_t page = 1; page <= pages && !stop(); ++page) {
    const auto read = [&] {
      return file->pMethods->xRead(file, bytes.data(), static_cast<int>(page_size), (page - 1) * page_size) != kPageDamaged;
    };
    // A newer version in the -wal may be half copied, and a checkpoint may be writing the page right now.
    const bool good = read() || wal.pages().contains(static_cast<std::uint32_t>(page)) || read();
    if (!good) found(page, false);
    zeros = zeros || (good && of(file).checked && bytes.find_first_not_of('\0') == std::string::npos);
  }
  of(file).scanned = false;
  wal.check(found, stop);
  return zeros;
}

}  // namespace runglass::sqlite
