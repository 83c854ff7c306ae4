// SPDX-License-Identifier: Apache-2.0
// Pages of a store's tables and indexes, so that a test can damage one.
//
// Threading:  one thread.
// Errors:     a failure here fails the test.
// Cost:       reads the whole file.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace runglass {

inline std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return (std::stringstream() << file.rdbuf()).str();
}

inline std::uint32_t bigEndian(std::string_view bytes, std::size_t at, int width) {
  std::uint32_t value = 0;
  for (int i = 0; i < width; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}

// Numbers of the leaf pages of a table or index, in the order of its keys (SQLite's file format, 1.6).
inline std::vector<std::uint32_t> leavesOf(const std::string& path, const std::string& name) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  sqlite3_stmt* root = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, ("SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'").c_str(), -1, &root, nullptr),
            SQLITE_OK);
  EXPECT_EQ(sqlite3_step(root), SQLITE_ROW) << name;
  const auto first = static_cast<std::uint32_t>(sqlite3_column_int64(root, 0));
  sqlite3_finalize(root);
  sqlite3_close(db);
  const std::string file = contentOf(path);
  std::vector<std::uint32_t> leaves;
  const std::function<void(std::uint32_t)> walk = [&](std::uint32_t page) {
    const std::string_view bytes = std::string_view(file).substr((page - 1) * 4096UL, 4096);
    if (bytes[0] == 10 || bytes[0] == 13) return leaves.push_back(page);
    for (std::uint32_t i = 0; i < bigEndian(bytes, 3, 2); ++i) walk(bigEndian(bytes, bigEndian(bytes, 12 + 2UL * i, 2), 4));
    walk(bigEndian(bytes, 8, 4));
  };
  walk(first);
  return leaves;
}

// A copy of the file with a flipped bit in that page.
inline void copyFlipped(const std::string& from, std::uint32_t page, const std::string& to) {
  std::string file = contentOf(from);
  char& byte = file[(page - 1) * 4096UL];
  byte = static_cast<char>(byte ^ 0x40);
  std::ofstream(to, std::ios::binary | std::ios::trunc) << file;
}

}  // namespace runglass
