// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/input_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

class InputFileTest : public ::testing::Test {
 protected:
  // Writes entries (path, content) with libarchive's filter; a single entry without a path is a compressed plain file.
  std::string write(const std::string& name, int (*filter)(archive*), const std::vector<std::pair<std::string, std::string>>& entries) {
    const std::string path = m_dir.file(name);
    archive* out = archive_write_new();
    const bool raw = entries.size() == 1 && entries[0].first.empty();
    raw ? archive_write_set_format_raw(out) : archive_write_set_format_ustar(out);
    filter(out);
    archive_write_open_filename(out, path.c_str());
    for (const auto& [entry_path, content] : entries) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, entry_path.empty() ? "data" : entry_path.c_str());
      archive_entry_set_filetype(entry, AE_IFREG);
      archive_entry_set_perm(entry, 0600);
      archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
      archive_write_header(out, entry);
      archive_write_data(out, content.data(), content.size());
      archive_entry_free(entry);
    }
    archive_write_free(out);
    return path;
  }
  static std::string readWhole(ByteStream& stream, Status* status) {
    std::string text;
    for (;;) {
      auto bytes = stream.next();
      if (!bytes.ok()) {
        *status = bytes.status();
        return text;
      }
      if (bytes->empty()) return text;
      text += *bytes;
    }
  }

  test::TempFolder m_dir;
};

TEST_F(InputFileTest, ReadsCompressedFilesFromTheirFirstByte) {
  std::string content;
  for (int i = 0; i < 50'000; ++i) content += "line " + std::to_string(i) + "\n";
  for (const auto& [name, filter] : {std::pair{"a.gz", &archive_write_add_filter_gzip},
                                     {"a.bz2", &archive_write_add_filter_bzip2},
                                     {"a.zst", &archive_write_add_filter_zstd},
                                     {"a.log", &archive_write_add_filter_none}}) {
    auto file = InputFile::open(write(name, filter, {{"", content}}));
    ASSERT_TRUE(file.ok()) << file.status().message();
    auto member = (*file)->next();
    ASSERT_TRUE(member.ok() && member->has_value()) << name;
    EXPECT_EQ((*member)->head, std::string_view(content).substr(0, 64 << 10));
    Status status;
    EXPECT_EQ(readWhole(*(*member)->stream, &status), content) << name;
    EXPECT_EQ((*member)->stream->offset(), content.size());
    EXPECT_FALSE((*file)->next()->has_value()) << name;
  }
}

TEST_F(InputFileTest, ShowsTheMembersOfATarByTheirPaths) {
  auto file = InputFile::open(write("a.tar.gz", &archive_write_add_filter_gzip, {{"run/one.log", "first"}, {"../../etc/two", "second"}}));
  ASSERT_TRUE(file.ok());
  auto one = (*file)->next();
  EXPECT_TRUE((*one)->path.ends_with("a.tar.gz/run/one.log"));
  EXPECT_EQ((*one)->head, "first");
  auto two = (*file)->next();
  EXPECT_EQ((*two)->head, "second") << "nothing is extracted, so an evil name is only a name";
  EXPECT_FALSE((*file)->next()->has_value());
}

TEST_F(InputFileTest, KeepsWhatCameBeforeADamagedEnd) {
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i * 2654435761U) + "\n";
  const std::string path = write("cut.gz", &archive_write_add_filter_gzip, {{"", content}});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  auto file = InputFile::open(path);
  auto member = (*file)->next();
  ASSERT_TRUE(member.ok() && member->has_value());
  Status status;
  const std::string read = readWhole(*(*member)->stream, &status);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("cut.gz: damaged or cut off after"), std::string::npos) << status.message();
  EXPECT_GT(read.size(), content.size() / 4);
  EXPECT_EQ(read, content.substr(0, read.size()));
}

TEST_F(InputFileTest, RefusesADecompressionBomb) {
  const std::string path = write("bomb.zst", &archive_write_add_filter_zstd, {{"", std::string(300 << 20, 'a')}});
  ASSERT_LT(std::filesystem::file_size(path), 100U << 10);
  auto file = InputFile::open(path);
  auto member = (*file)->next();
  Status status;
  const std::string read = readWhole(*(*member)->stream, &status);
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.message();
  EXPECT_LT(read.size(), 120U << 20);
}

TEST_F(InputFileTest, ReportsEmptyMissingAndUnreadableFilesClearly) {
  const std::string empty = m_dir.file("empty");
  std::ofstream(empty).close();
  auto file = InputFile::open(empty);
  ASSERT_TRUE(file.ok()) << file.status().message();
  auto member = (*file)->next();
  ASSERT_TRUE(member.ok() && member->has_value());
  EXPECT_EQ((*member)->head, "");
  EXPECT_FALSE((*file)->next()->has_value());
  EXPECT_EQ(InputFile::open(m_dir.file("nothing")).status().message(),
            "cannot open " + m_dir.file("nothing") + ": No such file or directory");
  EXPECT_EQ(InputFile::open(m_dir.path()).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace runglass
