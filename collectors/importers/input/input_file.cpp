// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Nothing is ever extracted to disk, so member names are harmless; they are only shown.
// 2. A file whose members, read or skipped, decompress to more than kRatioLimit times its size in total, not counting the first kRatioFree
//    bytes, is a decompression bomb.
#include "collectors/importers/input/input_file.h"

#include <archive.h>

#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

namespace runglass {
namespace {

constexpr std::size_t kHead = 64 << 10;
constexpr std::size_t kBlock = 1 << 20;
constexpr std::uint64_t kRatioLimit = 2000, kRatioFree = 64ULL << 20;
constexpr std::int64_t kMemberLimit = 10'000, kEntryLimit = 100'000;  // files; entries of any kind

std::string archiveError(archive* handle) {
  const char* text = archive_error_string(handle);
  return text != nullptr ? text : "unknown archive error";
}

// Absent for implausible times, since an archive can contain any.
std::optional<TimeNs> timeOf(std::time_t seconds) {
  constexpr std::time_t kYear2200 = 7'258'118'400;
  return seconds > 0 && seconds < kYear2200 ? std::optional(TimeNs{seconds} * kNsPerSecond) : std::nullopt;
}

}  // namespace

class InputFile::MemberStream : public ByteStream {
 public:
  // `decompressed`: of all members of the file so far.
  MemberStream(archive* handle, std::string path, std::uint64_t file_bytes, std::uint64_t& decompressed)
      : m_archive(handle), m_path(std::move(path)), m_file_bytes(file_bytes), m_decompressed(decompressed), m_ended(handle == nullptr) {}

  Status readHead() {
    while (m_head.size() < kHead) {
      const Status status = readBlock();
      if (!status.ok()) return status;
      if (m_block.empty()) break;
      const std::size_t n = std::min(kHead - m_head.size(), m_block.size());
      m_head.append(m_block.substr(0, n));
      m_block.remove_prefix(n);
    }
    return {};
  }
  const std::string& head() const { return m_head; }

  Result<std::string_view> next(std::size_t max) override {
    std::string_view& from = m_head_left.empty() ? m_block : m_head_left;
    if (!m_started) {
      m_started = true;
      m_head_left = m_head;
      return next(max);
    }
    if (from.empty()) RG_TRY(readBlock());
    const std::string_view bytes = from.substr(0, max);
    from.remove_prefix(bytes.size());
    m_offset += bytes.size();
    return bytes;
  }
  // Skips the unread rest.
  Status skip() {
    // Without compression the archive seeks.
    if (m_archive == nullptr || archive_filter_code(m_archive, 0) == ARCHIVE_FILTER_NONE ||
        (archive_format(m_archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_RAW)
      return {};
    while (m_status.ok() && !m_ended) {
      m_block = {};
      RG_TRY(readBlock());
    }
    return m_status;
  }
  std::uint64_t offset() const override { return m_offset; }
  bool damaged() const { return !m_status.ok(); }
  std::string tail(std::size_t most) const override {
    const bool plain =
        m_archive != nullptr && archive_filter_code(m_archive, 0) == ARCHIVE_FILTER_NONE && archive_format(m_archive) == ARCHIVE_FORMAT_RAW;
    std::ifstream file;
    if (plain) file.open(m_path, std::ios::binary);
    const auto bytes = static_cast<std::streamoff>(std::min<std::uint64_t>(most, m_file_bytes));
    std::string last(static_cast<std::size_t>(bytes), '\0');
    if (!file.seekg(-bytes, std::ios::end).read(last.data(), bytes)) return {};
    return last;
  }

 private:
  // Fills an empty m_block; it stays empty at the end. By blocks, because archive_read_data() drops the data before a damaged place.
  Status readBlock() {
    while (m_status.ok() && m_block.empty() && !m_ended) {
      const void* data = nullptr;
      std::size_t size = 0;
      la_int64_t at = 0;
      const int rc = archive_read_data_block(m_archive, &data, &size, &at);
      if (rc == ARCHIVE_EOF)
        m_ended = true;
      else if (rc < ARCHIVE_WARN)
        m_status = Status(Code::kDataLoss, m_path + ": damaged or cut off after " + std::to_string(m_read) +
                                               " decompressed bytes: " + archiveError(m_archive));
      else
        m_block = {static_cast<const char*>(data), size};
      m_read += m_block.size();
      m_decompressed += m_block.size();
      if (m_decompressed > kRatioFree && m_decompressed > kRatioLimit * m_file_bytes)
        m_status = Status(Code::kResourceExhausted, m_path + ": decompresses to more than " + std::to_string(kRatioLimit) +
                                                        " times its size; refused after " + std::to_string(m_decompressed) + " bytes");
    }
    return m_status;
  }

  archive* m_archive;
  std::string m_path;
  std::uint64_t m_file_bytes;
  std::uint64_t& m_decompressed;
  std::string m_head;
  std::string_view m_head_left, m_block;
  bool m_started = false;
  std::uint64_t m_offset = 0, m_read = 0;  // returned; received from the archive
  bool m_ended;
  Status m_status;
};

InputFile::InputFile(std::string path) : m_path(std::move(path)) {}
InputFile::~InputFile() {
  if (m_archive != nullptr) archive_read_free(m_archive);
}

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || (S_ISREG(info.st_mode) && access(path.c_str(), R_OK) != 0)) {
    const Code code = errno == EACCES ? Code::kPermissionDenied : Code::kNotFound;
    return Status(code, "cannot open " + path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) return Status(Code::kInvalidArgument, "cannot read " + path + ": not a regular file");
  std::unique_ptr<InputFile> file(new InputFile(path));
  RG_TRY(file->openArchive(true));
  return file;
}

Status InputFile::openArchive(bool tar) {
  if (m_archive != nullptr) archive_read_free(m_archive);
  m_archive = archive_read_new();
  archive_read_support_filter_gzip(m_archive);
  archive_read_support_filter_bzip2(m_archive);
  archive_read_support_filter_zstd(m_archive);
  archive_read_support_filter_xz(m_archive);
  if (tar) archive_read_support_format_tar(m_archive);
  archive_read_support_format_raw(m_archive);
  archive_read_support_format_empty(m_archive);
  m_tar = tar;
  if (archive_read_open_filename(m_archive, m_path.c_str(), kBlock) == ARCHIVE_OK) return {};
  const Code code = errno == EACCES ? Code::kPermissionDenied : Code::kInvalidArgument;
  return {code, "cannot open " + m_path + ": " + archiveError(m_archive)};
}

Result<std::optional<InputFile::Member>> InputFile::next() {
  if (m_stream && m_stream->damaged()) m_done = true;  // reported by the member; no later member can be found
  if (m_stream && !m_done) RG_TRY(m_stream->skip());
  while (!m_done) {
    archive_entry* entry = nullptr;
    const int rc = archive_read_next_header(m_archive, &entry);
    if (rc == ARCHIVE_EOF) {
      // A file that begins with zeros looks like an empty tar, but is a log whose beginning was truncated while it was being written.
      if (m_members == 0 && m_tar && (archive_format(m_archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR) {
        RG_TRY(openArchive(false));
        continue;
      }
      // An empty file is one empty member, so that it is reported like any other.
      m_done = true;
      if (m_members > 0) break;
      m_stream = std::make_unique<MemberStream>(nullptr, m_path, 0, m_decompressed);
      return std::optional<Member>(Member{m_path, m_stream->head(), m_stream.get(), {}});
    }
    if (rc < ARCHIVE_WARN) return Status(Code::kDataLoss, m_path + ": " + archiveError(m_archive));
    const bool raw = (archive_format(m_archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_RAW;
    if (++m_entries > kEntryLimit)
      return Status(Code::kResourceExhausted, m_path + ": holds more than " + std::to_string(kEntryLimit) + " files, folders and links");
    if (!raw && archive_entry_filetype(entry) != AE_IFREG) continue;
    if (++m_members > kMemberLimit)
      return Status(Code::kResourceExhausted, m_path + ": holds more than " + std::to_string(kMemberLimit) + " files");
    const char* name = archive_entry_pathname(entry);
    const std::string path = raw ? m_path : m_path + "/" + (name != nullptr ? name : "?");
    struct stat info {};
    const bool found = stat(m_path.c_str(), &info) == 0;
    const std::uint64_t bytes = found ? static_cast<std::uint64_t>(info.st_size) : 0;
    std::optional<TimeNs> modified;
    if (!raw && archive_entry_mtime_is_set(entry) != 0)
      modified = timeOf(archive_entry_mtime(entry));
    else if (found)
      modified = timeOf(info.st_mtim.tv_sec);
    m_stream = std::make_unique<MemberStream>(m_archive, path, bytes, m_decompressed);
    Status head_status = m_stream->readHead();
    return std::optional<Member>(Member{path, m_stream->head(), m_stream.get(), std::move(head_status), modified});
  }
  return std::optional<Member>();
}

}  // namespace runglass
