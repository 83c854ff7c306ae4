// SPDX-License-Identifier: Apache-2.0
// Runs an importer on bytes or on one of the shared real files, into a MemoryRecorder.
//
// Threading:  one thread.
// Units:      bytes.
// Errors:     Imported::status is the importer's.
// Cost:       whole content in memory.
#pragma once

#include <filesystem>
#include <string>

#include "collectors/importers/importer.h"
#include "collectors/importers/input/input_file.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string_view text, std::size_t piece = 1 << 20) : m_text(text), m_piece(piece) {}
  Result<std::string_view> next(std::size_t max) override {
    const std::string_view bytes = m_text.substr(m_at, std::min(max, m_piece));
    m_at += bytes.size();
    return bytes;
  }
  std::uint64_t offset() const override { return m_at; }

 private:
  std::string_view m_text;
  std::size_t m_piece, m_at = 0;
};

struct Imported {
  Status status;
  std::string kind;
  ImportReport report;
  MemoryRecorder recorder;
};

inline Importer* importerFor(const ImportProbe& probe) {
  Importer* chosen = nullptr;
  int best = 0;
  for (const auto& importer : importers())
    if (const int score = importer->recognise(probe); score > best) best = score, chosen = importer.get();
  return chosen;
}

inline Imported importText(std::string_view text, ImportTarget target = {}, std::size_t piece = 1 << 20) {
  Imported result;
  Importer* importer = importerFor({"test", text.substr(0, 64 << 10)});
  if (importer == nullptr) {
    result.status = Status(Code::kNotFound, "no importer");
    return result;
  }
  result.kind = importer->kind();
  if (target.run_name.empty()) target.run_name = "run";
  if (target.path.empty()) target.path = "test";
  TextStream stream(text, piece);
  result.status = importer->run(stream, target, result.recorder, result.report, {});
  return result;
}

inline Imported importFile(const std::filesystem::path& path) {
  Imported result;
  auto file = InputFile::open(path.string());
  if (!file.ok()) {
    result.status = file.status();
    return result;
  }
  auto member = (*file)->next();
  Importer* importer = importerFor({path.string(), (*member)->head});
  if (importer == nullptr) {
    result.status = Status(Code::kNotFound, "no importer");
    return result;
  }
  result.kind = importer->kind();
  result.status = importer->run(*(*member)->stream, {.run_name = "run", .path = path.string()}, result.recorder, result.report, {});
  return result;
}

}  // namespace runglass::test
