// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: g_files has the names of all files in the folder before the first signal handler is installed; the handler only reads it.
#include "app/cli/repaired_copy.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "model/mutex.h"
#include "model/number_text.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr std::uintmax_t kRoom = std::uintmax_t{16} << 20;
constexpr std::size_t kNamedObjects = 3;

Mutex g_mutex;                                              // workers of a console open stores too
std::optional<std::string> g_store RG_GUARDED_BY(g_mutex);  // the first one that the command opened
bool g_edits RG_GUARDED_BY(g_mutex) = false;
std::unique_ptr<RepairedCopy> g_copy;
std::vector<std::string> g_files;
std::string g_folder;

// Only async-signal-safe calls.
void removeCopy() {
  for (const std::string& file : g_files) ::unlink(file.c_str());
  ::rmdir(g_folder.c_str());
}
void endBySignal(int number) {
  removeCopy();
  ::signal(number, SIG_DFL);
  ::raise(number);
}

class CopyFolder {
 public:
  static Result<std::unique_ptr<CopyFolder>> make() {
    RG_ASSIGN(g_folder, makeCopyFolder());
    for (const char* name : {"/copy.rgl", "/copy.rgl.part"})
      for (const char* suffix : {"", "-wal", "-shm", "-journal", "-lock", "-ingest", "-ingest-next", "-ingest.bad"})
        g_files.push_back(g_folder + name + suffix);
    for (const int number : kEndingSignals)
      if (::signal(number, endBySignal) == SIG_IGN) ::signal(number, SIG_IGN);
    return std::unique_ptr<CopyFolder>(new CopyFolder());
  }
  ~CopyFolder() {
    g_copy.reset();
    removeCopy();
  }
  std::string store() const { return g_files.front(); }

 private:
  CopyFolder() = default;
};

std::uintmax_t bytesOf(const std::string& path) {
  std::error_code absent;
  const std::uintmax_t bytes = std::filesystem::file_size(path, absent);
  return absent ? 0 : bytes;
}

}  // namespace

Result<std::string> makeCopyFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return Status(Code::kPermissionDenied, "TMPDIR: " + error.message());
  std::string folder = (parent / "runglass-repaired-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return Status(Code::kPermissionDenied, folder + ": no folder can be made for a repaired copy");
  return folder;
}

// A repaired store is hardly larger than the damaged one; indexes and summaries are rebuilt.
Status roomForCopy(const std::string& store, const std::string& folder) {
  const std::uintmax_t bytes = bytesOf(store) + bytesOf(walPath(store)) + bytesOf(journalPath(store)) + bytesOf(nextJournalPath(store));
  const std::uintmax_t needed = bytes + bytes / 4 + kRoom;
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error || space.available >= needed) return {};
  return {Code::kResourceExhausted, "a repaired copy needs " + bytesText(static_cast<double>(needed)) + " in " + folder + ", which has " +
                                        bytesText(static_cast<double>(space.available))};
}

namespace {

std::string missingText(const Repair& repair) {
  std::int64_t rows = 0, unknown = 0;
  for (const LostObject& lost : repair.lost) rows += lost.rows.value_or(0), unknown += lost.rows ? 0 : 1;
  if (repair.lost.empty()) return "no row is missing";
  std::string text = "at most " + std::to_string(rows) + (rows == 1 ? " row is missing" : " rows are missing");
  const std::string uncounted = "an unknown number of rows (?) is missing";
  if (unknown > 0) text = rows == 0 ? uncounted : text + ", and " + uncounted;
  text += ": ";
  for (std::size_t i = 0; i < std::min(repair.lost.size(), kNamedObjects); ++i)
    text += (i > 0 ? ", " : "") + repair.lost[i].object + (repair.lost[i].rows ? "" : " (?)");
  if (repair.lost.size() > kNamedObjects) text += " and " + std::to_string(repair.lost.size() - kNamedObjects) + " other objects";
  return text;
}

std::string adviceFor(const std::string& store) { return "runglassctl repair --store " + store + " --to NEW.rgl"; }

// The failure itself, why there is no copy, and the command that makes one.
Status withoutCopy(const Status& failed, const std::string& store, const std::string& why) {
  return {failed.code(), failed.message() + "; no answer from a repaired copy: " + why + "; " + adviceFor(store)};
}

void warnOfCopy(const Status& failed) {
  std::string line = "warning: " + g_copy->store + ": answered from a repaired copy; " + missingText(g_copy->repair) +
                     "; cause: " + failed.message() + "; to keep the copy: " + adviceFor(g_copy->store);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

Status runAroundDamage(const std::function<Status()>& run) {
  const Status failed = run();
  std::error_code unknown;
  std::string store;
  bool edits = false;
  {
    const MutexLock lock(g_mutex);
    store = g_store.value_or("");
    edits = g_edits;
  }
  if (failed.code() != Code::kDataLoss || !std::filesystem::exists(store, unknown)) return failed;
  if (edits)
    return failed.message().find("runglassctl repair") != std::string::npos
               ? failed
               : Status(failed.code(), failed.message() + "; " + adviceFor(store));
  if (const auto holder = holderOf(store)) return withoutCopy(failed, store, "process " + holder->pid + " writes the store; stop it first");
  const auto folder = CopyFolder::make();
  if (!folder.ok()) return withoutCopy(failed, store, folder.status().message());
  if (const Status room = roomForCopy(store, g_folder); !room.ok()) return withoutCopy(failed, store, room.message());
  auto repair = repairStore(store, (*folder)->store());
  if (repair.status().code() == Code::kDataLoss)  // its header or schema
    return {failed.code(), failed.message() + "; runglassctl repair cannot read it either: restore the store from a backup"};
  if (!repair.ok()) return withoutCopy(failed, store, repair.status().message());
  g_copy = std::make_unique<RepairedCopy>(RepairedCopy{store, (*folder)->store(), *std::move(repair)});
  warnOfCopy(failed);
  return run();
}

void noteStore(const std::string& store, StoreUse use) {
  const MutexLock lock(g_mutex);
  if (!g_store) g_store = store;
  g_edits = g_edits || use == StoreUse::kEdit;
}

const RepairedCopy* repairedCopy() { return g_copy.get(); }

std::string readableStore(const std::string& store) { return g_copy && g_copy->store == store ? g_copy->path : store; }

}  // namespace runglass
