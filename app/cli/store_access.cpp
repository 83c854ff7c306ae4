// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/store_access.h"

#include <cstdio>
#include <filesystem>
#include <set>

#include "app/cli/repaired_copy.h"
#include "collectors/wire/payload_replay.h"
#include "model/mutex.h"
#include "storage/open_store.h"
#include "storage/store_files.h"
#include "storage/travel/forwarding_reader.h"

namespace runglass {
namespace {

// A process opens a store with several Readers: one note is enough.
bool isFirst(const std::string& path) {
  static Mutex mutex;
  static std::set<std::string> noted;
  const MutexLock lock(mutex);
  return noted.insert(path).second;
}

Result<std::unique_ptr<Reader>> openNoting(const std::string& path) {
  RG_ASSIGN(auto reader, openStore(path).reader());
  if (!needsRecovery(path) || !isFirst(path)) return reader;
  const auto batches = unstoredBatches(path);
  if (!batches.ok() || *batches > 0)
    std::fprintf(stderr, "note: %s acknowledged batches are still in the journal of %s; store them with: runglassctl recover --store %s\n",
                 batches.ok() ? std::to_string(*batches).c_str() : "some", path.c_str(), path.c_str());
  return reader;
}

// The repaired copy, presented as the store that it was made of.
class CopyReader : public ForwardingReader {
 public:
  CopyReader(std::unique_ptr<Reader> copy, std::string store, bool page_checksums)
      : ForwardingReader(std::move(copy)), m_store(std::move(store)), m_page_checksums(page_checksums) {}
  Result<StoreInfo> info() override {
    RG_ASSIGN(StoreInfo info, ForwardingReader::info());
    std::error_code unknown;
    info.path = m_store;
    info.page_checksums = m_page_checksums;
    if (const auto bytes = std::filesystem::file_size(m_store, unknown); !unknown) info.file_bytes = static_cast<std::int64_t>(bytes);
    return info;
  }
  Result<std::unique_ptr<Reader>> unaligned() override {
    RG_ASSIGN(auto inner, ForwardingReader::unaligned());
    return std::unique_ptr<Reader>(std::make_unique<CopyReader>(std::move(inner), m_store, m_page_checksums));
  }
  Result<std::vector<std::string>> verify(std::stop_token stop) override {
    auto itself = openStore(m_store).reader();
    if (!itself.ok()) return std::vector{m_store + ": " + itself.status().message()};
    return (*itself)->verify(std::move(stop));
  }

 private:
  const std::string m_store;
  const bool m_page_checksums;
};

}  // namespace

WriterOptions writerOptions() { return {.replay = makeJournalReplay()}; }

Result<std::unique_ptr<Reader>> openForReading(const std::string& path) {
  noteStore(path, StoreUse::kAnswer);
  const std::string readable = readableStore(path);
  if (readable == path) return openNoting(path);
  return openCopy(readable, path, repairedCopy()->repair.page_checksums);
}

Result<std::unique_ptr<Reader>> openCopy(const std::string& copy, const std::string& store, bool page_checksums) {
  RG_ASSIGN(auto reader, openStore(copy).reader());
  return std::unique_ptr<Reader>(std::make_unique<CopyReader>(std::move(reader), store, page_checksums));
}

Result<std::unique_ptr<Reader>> openItself(const std::string& path) {
  noteStore(path, StoreUse::kEdit);
  return openNoting(path);
}

}  // namespace runglass
