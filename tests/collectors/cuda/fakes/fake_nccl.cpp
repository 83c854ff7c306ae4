// SPDX-License-Identifier: Apache-2.0
// libnccl.so.2: operations take 100 us each; inside a group they are launched together when it ends, once per stream.
#include <set>

#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

constexpr std::int64_t kOperationNs = 100'000;
constexpr const char* kKernel = "ncclDevKernel";

struct UniqueId {
  char internal[128];
};
struct Comm {
  int ranks, rank, device;
};

thread_local int t_group = 0;
thread_local std::multiset<void*> t_waiting;

int operate(void* stream) {
  ++fakeReport()->collectives;
  if (t_group > 0) {
    t_waiting.insert(stream);
    return 0;
  }
  return fakeEnqueue(stream, kOperationNs, {.name = kKernel});
}

int make(void** comm, int ranks, int rank) {
  int device = 0;
  fakeGetDevice(&device);
  *comm = new Comm{ranks, rank, device};
  return 0;
}

}  // namespace

FAKE_API int ncclCommInitRank(void** comm, int ranks, UniqueId, int rank) { return make(comm, ranks, rank); }
FAKE_API int ncclCommInitRankConfig(void** comm, int ranks, UniqueId, int rank, void*) { return make(comm, ranks, rank); }
FAKE_API int ncclCommSplit(void* comm, int color, int, void** made, void*) {
  *made = nullptr;
  return color < 0 ? 0 : make(made, static_cast<Comm*>(comm)->ranks / 2, static_cast<Comm*>(comm)->rank / 2);
}
FAKE_API int ncclCommDestroy(void*) { return 0; }
FAKE_API int ncclCommCount(void* comm, int* count) {
  *count = static_cast<Comm*>(comm)->ranks;
  return 0;
}
FAKE_API int ncclCommUserRank(void* comm, int* rank) {
  *rank = static_cast<Comm*>(comm)->rank;
  return 0;
}
FAKE_API int ncclCommCuDevice(void* comm, int* device) {
  *device = static_cast<Comm*>(comm)->device;
  return 0;
}

FAKE_API int ncclAllReduce(const void*, void*, std::size_t, int, int, void*, void* stream) { return operate(stream); }
FAKE_API int ncclReduceScatter(const void*, void*, std::size_t, int, int, void*, void* stream) { return operate(stream); }
FAKE_API int ncclAllGather(const void*, void*, std::size_t, int, void*, void* stream) { return operate(stream); }
FAKE_API int ncclBroadcast(const void*, void*, std::size_t, int, int, void*, void* stream) { return operate(stream); }
FAKE_API int ncclReduce(const void*, void*, std::size_t, int, int, int, void*, void* stream) { return operate(stream); }
FAKE_API int ncclSend(const void*, std::size_t, int, int, void*, void* stream) { return operate(stream); }
FAKE_API int ncclRecv(void*, std::size_t, int, int, void*, void* stream) { return operate(stream); }

FAKE_API int ncclGroupStart() {
  ++t_group;
  return 0;
}
FAKE_API int ncclGroupEnd() {
  if (--t_group > 0) return 0;
  for (auto it = t_waiting.begin(); it != t_waiting.end(); it = t_waiting.upper_bound(*it))
    fakeEnqueue(*it, kOperationNs, {.name = kKernel});
  t_waiting.clear();
  return 0;
}
