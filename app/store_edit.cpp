// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/store_edit.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "app/store_access.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr DurNs kPatience = 3 * kNsPerSecond;  // with one that holds the store for a moment, as we do
constexpr auto kPause = std::chrono::milliseconds(50);

Status editAsWriter(const std::string& store, const Edit& edit) {
  RG_ASSIGN(const auto writer, Writer::open(store, writerOptions()));
  RG_TRY(writer->edit(edit));
  // The edit is committed. A file that could not be folded because somebody reads it is whole all the same.
  (void)writer->close();
  return {};
}

Result<std::string> uuidOf(const std::string& store) {
  RG_ASSIGN(const auto reader, Reader::open(store));
  RG_ASSIGN(StoreInfo info, reader->info());
  return std::move(info.store_uuid);
}

Status editThroughHub(const std::string& store, const Edit& edit, ControlTarget control, const std::string& contact) {
  control.hub = contact;
  RG_ASSIGN(const std::string uuid, uuidOf(store));
  return ControlClient(std::move(control)).edit(edit, uuid);
}

}  // namespace

Status editStore(const std::string& store, const Edit& edit, const ControlTarget& control) {
  std::error_code ignored;
  if (!std::filesystem::exists(store, ignored)) return {Code::kNotFound, "cannot open store: " + store + ": no such file"};
  const TimeNs give_up = monotonicNow() + kPatience;
  while (true) {
    const auto holder = holderOf(store);
    if (holder && !holder->contact.empty()) {
      Status made = editThroughHub(store, edit, control, holder->contact);
      // A hub that ended meanwhile is not there to be asked, and the store is free.
      if (made.code() != Code::kUnavailable || holderOf(store) || monotonicNow() >= give_up) return made;
    } else if (!holder) {
      Status made = editAsWriter(store, edit);
      if (made.code() != Code::kAlreadyExists || monotonicNow() >= give_up) return made;
    } else if (monotonicNow() >= give_up) {
      return {Code::kUnavailable, "cannot edit store: " + store + ": process " + holder->pid + " writes it and takes no edits"};
    }
    std::this_thread::sleep_for(kPause);
  }
}

Result<OrderOutcome> placeOrder(const std::string& store, const Order& order, const ControlTarget& control) {
  const auto holder = holderOf(store);
  if (!holder) return Status(Code::kFailedPrecondition, store + ": no hub writes it now");
  if (holder->contact.empty()) return Status(Code::kFailedPrecondition, store + ": process " + holder->pid + " writes it and is no hub");
  ControlTarget target = control;
  target.hub = holder->contact;
  RG_ASSIGN(const std::string uuid, uuidOf(store));
  return ControlClient(std::move(target)).order(order, uuid);
}

}  // namespace runglass
