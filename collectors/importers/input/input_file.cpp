// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. Nothing is ever extracted to disk, so member names can do no harm; they are only shown.
//  2. A member that decompresses to more than kRatioLimit times the whole file, beyond the first kRatioFree bytes, is a bomb.
#include "collectors/importers/input/input_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace runglass {
namespace {

constexpr std::size_t kHead = 64 << 10;
constexpr std::size_t kBlock = 1 << 20;
constexpr std::uint64_t kRatioLimit = 2000, kRatioFree = 64ULL << 20;
constexpr std::int64_t kMemberLimit = 10'000;

std::string archiveError(archive* handle) {
  const char* text = archive_error_string(handle);
  return text != nullptr ? text : "unknown archive error";
}

}  // namespace

class InputFile::MemberStream : public ByteStream {
 public:
  MemberStream(archive* handle, std::string path, std::uint64_t file_bytes)
      : m_archive(handle), m_path(std::move(path)), m_file_bytes(file_bytes) {
    m_block.resize(kBlock);
  }

  Status readHead() {
    while (m_head.size() < kHead) {
      const std::size_t want = kHead - m_head.size();
      m_head.resize(m_head.size() + want);
      const la_ssize_t got = archive_read_data(m_archive, m_head.data() + m_head.size() - want, want);
      m_head.resize(m_head.size() - want + static_cast<std::size_t>(std::max<la_ssize_t>(got, 0)));
      if (got < 0) return m_status = damaged();
      if (got == 0) {
        m_ended = true;
        break;
      }
    }
    return {};
  }
  const std::string& head() const { return m_head; }

  Result<std::string_view> next(std::size_t max) override {
    if (m_head_given < m_head.size()) {
      const std::size_t n = std::min(max, m_head.size() - m_head_given);
      const std::string_view bytes(m_head.data() + m_head_given, n);
      m_head_given += n;
      m_offset += n;
      return bytes;
    }
    if (!m_status.ok()) return m_status;
    if (m_ended) return std::string_view();
    const la_ssize_t got = archive_read_data(m_archive, m_block.data(), std::min(max, m_block.size()));
    if (got < 0) return m_status = damaged();
    m_ended = got == 0;
    m_offset += static_cast<std::uint64_t>(got);
    if (m_offset > kRatioFree && m_offset > kRatioLimit * m_file_bytes)
      return m_status = Status(Code::kResourceExhausted, m_path + ": decompresses to more than " + std::to_string(kRatioLimit) +
                                                             " times its size; refused after " + std::to_string(m_offset) + " bytes");
    return std::string_view(m_block.data(), static_cast<std::size_t>(got));
  }
  std::uint64_t offset() const override { return m_offset; }

 private:
  Status damaged() const {
    return {Code::kDataLoss,
            m_path + ": damaged or cut off after " + std::to_string(m_offset) + " decompressed bytes: " + archiveError(m_archive)};
  }

  archive* m_archive;
  std::string m_path;
  std::uint64_t m_file_bytes;
  std::string m_head, m_block;
  std::size_t m_head_given = 0;
  std::uint64_t m_offset = 0;
  bool m_ended = false;
  Status m_status;
};

InputFile::InputFile(std::string path) : m_path(std::move(path)) {}
InputFile::~InputFile() {
  if (m_archive != nullptr) archive_read_free(m_archive);
}

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    const Code code = errno == EACCES ? Code::kPermissionDenied : Code::kNotFound;
    return Status(code, "cannot open " + path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode)) return Status(Code::kInvalidArgument, "cannot read " + path + ": not a regular file");
  std::unique_ptr<InputFile> file(new InputFile(path));
  file->m_archive = archive_read_new();
  archive_read_support_filter_gzip(file->m_archive);
  archive_read_support_filter_bzip2(file->m_archive);
  archive_read_support_filter_zstd(file->m_archive);
  archive_read_support_filter_xz(file->m_archive);
  archive_read_support_format_tar(file->m_archive);
  archive_read_support_format_raw(file->m_archive);
  archive_read_support_format_empty(file->m_archive);
  if (archive_read_open_filename(file->m_archive, path.c_str(), kBlock) != ARCHIVE_OK) {
    const Code code = errno == EACCES ? Code::kPermissionDenied : Code::kInvalidArgument;
    return Status(code, "cannot open " + path + ": " + archiveError(file->m_archive));
  }
  return file;
}

Result<std::optional<InputFile::Member>> InputFile::next() {
  for (;;) {
    archive_entry* entry = nullptr;
    const int rc = archive_read_next_header(m_archive, &entry);
    if (rc == ARCHIVE_EOF) {
      // An empty file is one empty member, so that it is reported like any other.
      if (m_members++ > 0) return std::optional<Member>();
      m_stream = std::make_unique<MemberStream>(m_archive, m_path, 0);
      (void)m_stream->readHead();
      return std::optional<Member>(Member{m_path, m_stream->head(), m_stream.get(), {}});
    }
    if (rc < ARCHIVE_WARN) return Status(Code::kDataLoss, m_path + ": " + archiveError(m_archive));
    const bool raw = (archive_format(m_archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_RAW;
    if (!raw && archive_entry_filetype(entry) != AE_IFREG) continue;
    if (++m_members > kMemberLimit)
      return Status(Code::kResourceExhausted, m_path + ": holds more than " + std::to_string(kMemberLimit) + " files");
    const char* name = archive_entry_pathname(entry);
    const std::string path = raw ? m_path : m_path + "/" + (name != nullptr ? name : "?");
    struct stat info {};
    const std::uint64_t bytes = stat(m_path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    m_stream = std::make_unique<MemberStream>(m_archive, path, bytes);
    Status head_status = m_stream->readHead();
    return std::optional<Member>(Member{path, m_stream->head(), m_stream.get(), std::move(head_status)});
  }
}

}  // namespace runglass
