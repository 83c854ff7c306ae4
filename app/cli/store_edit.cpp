// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/store_edit.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "app/cli/store_access.h"
#include "storage/open_store.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr DurNs kPatience = 3 * kNsPerSecond;  // wait for a process that holds the store briefly, as this one does
constexpr auto kPause = std::chrono::milliseconds(50);

Status editAsWriter(const std::string& store, const Edit& edit) {
  RG_ASSIGN(const auto writer, openStore(store).writer(writerOptions()));
  RG_TRY(writer->edit(edit));
  // The edit is committed. A file that could not be folded because another process reads it is complete nevertheless.
  (void)writer->close();
  return {};
}

// The store that an edit belongs to: for a replica, the store of its source hub.
struct Owner {
  std::string uuid;
  std::optional<std::string> hub;  // of a replica
};

Result<Owner> ownerOf(const std::string& store) {
  RG_ASSIGN(const auto reader, openItself(store));
  RG_ASSIGN(StoreInfo info, reader->info());
  if (info.mirror) return Owner{info.mirror->source_uuid, info.mirror->from};
  return Owner{std::move(info.store_uuid), std::nullopt};
}

// Why no hub can forward a command.
Status noHub(const std::string& store, const std::string& run_name) {
  RG_ASSIGN(const auto reader, openItself(store));
  RG_ASSIGN(const std::vector<Run> runs, reader->runs());
  const auto run = std::ranges::find(runs, run_name, &Run::name);
  const std::string end = run != runs.end() ? runEndText(*run) : std::string();
  if (!end.empty()) return {Code::kFailedPrecondition, store + ": " + end + ": only a running run can be traced or captured"};
  return {Code::kFailedPrecondition, store + ": no hub writes it now"};
}

Status editThroughHub(const Owner& owner, const Edit& edit, ControlTarget control, const std::string& contact) {
  control.hub = contact;
  return ControlClient(std::move(control)).edit(edit, owner.uuid);
}

}  // namespace

Status editStore(const std::string& store, const Edit& edit, const ControlTarget& control) {
  std::error_code ignored;
  if (!std::filesystem::exists(store, ignored)) return {Code::kNotFound, "cannot open store: " + store + ": no such file"};
  RG_ASSIGN(const Owner owner, ownerOf(store));
  // A replica receives the edit from its hub.
  if (owner.hub) return editThroughHub(owner, edit, control, *owner.hub);
  const TimeNs give_up = monotonicNow() + kPatience;
  while (true) {
    const auto holder = holderOf(store);
    if (holder && !holder->contact.empty()) {
      Status made = editThroughHub(owner, edit, control, holder->contact);
      // If the hub ended meanwhile, it is unreachable and the store is free.
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
  RG_ASSIGN(const Owner owner, ownerOf(store));
  const auto holder = holderOf(store);
  if (!holder && !owner.hub) return noHub(store, order.run);
  if (!owner.hub && holder->contact.empty())
    return Status(Code::kFailedPrecondition, store + ": process " + holder->pid + " writes it and is no hub");
  ControlTarget target = control;
  target.hub = owner.hub ? *owner.hub : holder->contact;
  return ControlClient(std::move(target)).order(order, owner.uuid);
}

}  // namespace runglass
