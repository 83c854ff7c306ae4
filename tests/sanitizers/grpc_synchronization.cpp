// SPDX-License-Identifier: Apache-2.0
// Makes gRPC's synchronization visible to ThreadSanitizer: Debian's libraries are not built with it. Only three facts are declared here, so
// that races in Runglass code that uses gRPC are still reported:
// 1. abseil's mutex serializes the threads that lock it (it waits in a system call);
// 2. everything before the start of a call's operation is visible to the thread that gets its completion;
// 3. a reactor's OnDone comes after its other functions have ended. gRPC counts them down partly in its library: the thread that reaches
//    zero is assumed to see the writes of the others. OnCancel is called and counted here, on a separate thread, once the reactor exists,
//    so that its waiting is counted in the same way.
// The functions have the names of abseil's and gRPC's, and all libraries of a program resolve to them first
// (collectors/wire/CMakeLists.txt). Each calls the original.
#include <absl/synchronization/mutex.h>
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <grpcpp/support/callback_common.h>
#include <grpcpp/support/server_callback.h>
#include <sanitizer/tsan_interface.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

template <typename Function>
Function* original(const char* symbol) {
  void* const found = dlsym(RTLD_NEXT, symbol);
  if (!found) std::abort();  // another version of the library: its names must be added here
  return reinterpret_cast<Function*>(found);
}

using Run = void(grpc_completion_queue_functor*, int);
Run* runOfReactors();

// CallbackWithSuccessTag is the tag of every operation of a reactor; its private StaticRun calls the reactor's On…Done. An explicit
// instantiation may name private members.
template <Run* kRun>
struct Reached {
  friend Run* runOfReactors() { return kRun; }
};
template struct Reached<&grpc::internal::CallbackWithSuccessTag::StaticRun>;

using Count = std::atomic_int grpc::internal::ServerCallbackCall::*;
Count functionsLeft();
Count cancelsAwaited();
template <Count kLeft, Count kAwaited>
struct ReachedCounts {
  friend Count functionsLeft() { return kLeft; }
  friend Count cancelsAwaited() { return kAwaited; }
};
template struct ReachedCounts<&grpc::internal::ServerCallbackCall::callbacks_outstanding_,
                              &grpc::internal::ServerCallbackCall::on_cancel_conditions_remaining_>;

void runAfterStart(grpc_completion_queue_functor* tag, int ok) {
  __tsan_acquire(tag);
  runOfReactors()(tag, ok);
}

grpc_event completed(const grpc_event& event) {
  if (event.type == GRPC_OP_COMPLETE) __tsan_acquire(event.tag);
  return event;
}

}  // namespace

extern "C" {

grpc_call_error grpc_call_start_batch(grpc_call* call, const grpc_op* ops, size_t count, void* tag, void* reserved) {
  static auto* const start = original<decltype(grpc_call_start_batch)>("grpc_call_start_batch");
  auto* const functor = static_cast<grpc_completion_queue_functor*>(tag);
  // The tag of a call that waits for its operations is another class, which begins with its virtual functions.
  if (functor && functor->functor_run == runOfReactors()) functor->functor_run = runAfterStart;
  __tsan_release(tag);
  return start(call, ops, count, tag, reserved);
}

grpc_event grpc_completion_queue_next(grpc_completion_queue* queue, gpr_timespec deadline, void* reserved) {
  static auto* const next = original<decltype(grpc_completion_queue_next)>("grpc_completion_queue_next");
  return completed(next(queue, deadline, reserved));
}

grpc_event grpc_completion_queue_pluck(grpc_completion_queue* queue, void* tag, gpr_timespec deadline, void* reserved) {
  static auto* const pluck = original<decltype(grpc_completion_queue_pluck)>("grpc_completion_queue_pluck");
  return completed(pluck(queue, tag, deadline, reserved));
}

}  // extern "C"

namespace grpc::internal {

void ServerCallbackCall::ScheduleOnDone(bool inline_ondone) {
  static auto* const schedule = original<void(ServerCallbackCall*, bool)>("_ZN4grpc8internal18ServerCallbackCall14ScheduleOnDoneEb");
  __tsan_acquire(&(this->*functionsLeft()));
  schedule(this, inline_ondone);
}

void ServerCallbackCall::CallOnCancel(ServerReactor* reactor) {
  __tsan_acquire(&(this->*cancelsAwaited()));
  if (reactor->InternalInlineable()) return reactor->OnCancel();
  Ref();  // the call outlives the thread's use of it
  std::thread([this, reactor] {
    reactor->OnCancel();
    MaybeDone();
  }).detach();
}

}  // namespace grpc::internal

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static auto* const lock = original<void(Mutex*)>("_ZN4absl7debian35Mutex4LockEv");
  lock(this);
  __tsan_acquire(this);
}

bool Mutex::TryLock() {
  static auto* const try_lock = original<bool(Mutex*)>("_ZN4absl7debian35Mutex7TryLockEv");
  const bool locked = try_lock(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::Unlock() {
  static auto* const unlock = original<void(Mutex*)>("_ZN4absl7debian35Mutex6UnlockEv");
  __tsan_release(this);
  unlock(this);
}

void CondVar::Wait(Mutex* mutex) {
  static auto* const wait = original<void(CondVar*, Mutex*)>("_ZN4absl7debian37CondVar4WaitEPNS0_5MutexE");
  __tsan_release(mutex);
  wait(this, mutex);
  __tsan_acquire(mutex);
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static auto* const wait =
      original<bool(CondVar*, Mutex*, Duration)>("_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  __tsan_release(mutex);
  const bool expired = wait(this, mutex, timeout);
  __tsan_acquire(mutex);
  return expired;
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static auto* const wait = original<bool(CondVar*, Mutex*, Time)>("_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  __tsan_release(mutex);
  const bool expired = wait(this, mutex, deadline);
  __tsan_acquire(mutex);
  return expired;
}

ABSL_NAMESPACE_END
}  // namespace absl
