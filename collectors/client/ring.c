/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. A slot is written only by the thread whose compare-and-swap moved `head` over it, and only while head - tail <= slots.
 * 2. A record's first commit word is its last store (release), so a reader that sees it sees the whole record.
 * 3. `tail` is used only when tail_check is its complement; a torn or impossible pair means "nothing was released".
 * 4. All pages are allocated before the file gets its name: a full /dev/shm is an error here, not a SIGBUS later.
 * 5. In a recent ring `head` moves before the claimed slots are written: a reader that still finds `head` low enough after its read has
 *    read no torn slot.
 * 6. The file appears under its final name only when it is complete and locked, so that a reader never finds a partial header.
 */
#define _GNU_SOURCE
#include "collectors/client/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct rgr_commit) == 8, "commit word is one 64-bit store");
_Static_assert(sizeof(struct rgr_span) == RGR_SLOT_PAYLOAD, "a span is one slot");
_Static_assert(sizeof(struct rgr_gpu_span) == 80, "a GPU span has no padding");
_Static_assert(sizeof(struct rgr_header) <= RGR_TRACER_AT, "header ends before the orders");
_Static_assert(RGR_TRACER_AT + sizeof(struct rgr_tracer) <= RGR_ORDERS_AT, "the tracer's word ends before the orders");
_Static_assert(RGR_ORDERS_AT + sizeof(struct rgr_orders) <= RGR_HEADER_BYTES, "orders fit the header's pages");

static void fillHeader(struct rgr_header *header, uint64_t magic, uint64_t slots) {
  header->magic = magic;
  header->version = RGR_VERSION;
  header->header_bytes = RGR_HEADER_BYTES;
  header->slots = (uint32_t)slots;
  header->max_strings = RGR_MAX_STRINGS;
  header->string_bytes = RGR_STRING_BYTES;
  header->pid = getpid();
  header->uid = getuid();
  header->anchor_mono = rg_clock(CLOCK_MONOTONIC);
  header->anchor_wall = rg_clock(CLOCK_REALTIME);
  header->tail_check = ~(uint64_t)0;
  ((struct rgr_tracer *)((unsigned char *)header + RGR_TRACER_AT))->orders_layout = RGR_ORDERS_LAYOUT;
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    if (read(fd, header->boot_id, 36) != 36) memset(header->boot_id, 0, sizeof(header->boot_id));
    close(fd);
  }
}

/* The lock shows the reader, also across pid namespaces, that this process is alive; a forked child does not inherit it. */
static int lockAlive(int fd) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_SETLK, &lock);
}

/* `path` is the ring's; the file is created as `temporary` in the same directory. */
static struct rg_ring *create(struct rg_ring *ring, const char *temporary, uint64_t magic, uint64_t slots, char *why, size_t why_bytes) {
  ring->fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (ring->fd < 0) return snprintf(why, why_bytes, "cannot create %s: %s", temporary, strerror(errno)), free(ring), NULL;

  int failed = ENOSPC;
  for (; slots >= RGR_MIN_SLOTS; slots /= 2) {
    failed = posix_fallocate(ring->fd, 0, (off_t)(RGR_SLOTS_AT + slots * RGR_SLOT_BYTES));
    if (failed != ENOSPC) break;
    if (ftruncate(ring->fd, 0) != 0) break;
  }
  void *map = MAP_FAILED;
  if (!failed) {
    map = mmap(NULL, RGR_SLOTS_AT + slots * RGR_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (map == MAP_FAILED) failed = errno;
  }
  if (!failed) {
    ring->header = map;
    ring->strings = (struct rgr_string *)((unsigned char *)map + RGR_STRINGS_AT);
    ring->string_data = (char *)map + RGR_STRING_DATA_AT;
    ring->slots = (unsigned char *)map + RGR_SLOTS_AT;
    ring->slot_count = slots;
    fillHeader(ring->header, magic, slots);
    rg_ring_intern(ring, "", 0); /* id 0: no name */
    if (lockAlive(ring->fd) != 0) failed = errno;
  }
  if (!failed && rename(temporary, ring->path) != 0) failed = errno;
  if (!failed) return ring;
  snprintf(why, why_bytes, "cannot make the ring %s: %s", ring->path, strerror(failed));
  unlink(temporary);
  if (map != MAP_FAILED) munmap(map, RGR_SLOTS_AT + slots * RGR_SLOT_BYTES);
  close(ring->fd);
  free(ring);
  return NULL;
}

struct rg_ring *rg_ring_create(const char *dir, uint64_t slots, char *why, size_t why_bytes) {
  struct rg_ring *ring = calloc(1, sizeof(*ring));
  char temporary[512];
  if (!ring) return snprintf(why, why_bytes, "out of memory"), NULL;
  if (strlen(dir) > sizeof(temporary) - 64) return free(ring), snprintf(why, why_bytes, "directory name too long"), NULL;
  const long pid = (long)getpid();
  const unsigned long long now = (unsigned long long)rg_clock(CLOCK_MONOTONIC);
  snprintf(temporary, sizeof(temporary), "%s/.%ld-%llx.new", dir, pid, now);
  snprintf(ring->path, sizeof(ring->path), "%s/%ld-%llx.ring", dir, pid, now);
  return create(ring, temporary, RGR_MAGIC, slots, why, why_bytes);
}

struct rg_ring *rg_ring_create_recent(const struct rg_ring *of, uint64_t slots, char *why, size_t why_bytes) {
  struct rg_ring *ring = calloc(1, sizeof(*ring));
  char temporary[sizeof(ring->path) + 8];
  if (!ring) return snprintf(why, why_bytes, "out of memory"), NULL;
  if (snprintf(ring->path, sizeof(ring->path), "%s.recent", of->path) >= (int)sizeof(ring->path))
    return free(ring), snprintf(why, why_bytes, "directory name too long"), NULL;
  snprintf(temporary, sizeof(temporary), "%s.new", ring->path);
  unlink(temporary); /* left by an earlier attempt that died */
  return create(ring, temporary, RGR_RECENT_MAGIC, slots, why, why_bytes);
}

static uint64_t hashBytes(const char *text, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
  return hash ^ (hash >> 29);
}

/* The id of the text, searched from the hash's slot on; 0: not there, *place is the free slot. */
static uint32_t findString(struct rg_ring *ring, uint64_t hash, const char *text, size_t bytes, uint64_t *place) {
  for (uint64_t i = hash;; ++i) {
    *place = i % RG_LOOKUP_SIZE;
    const uint32_t id = atomic_load_explicit(&ring->lookup[*place], memory_order_acquire);
    if (id == 0) return 0;
    const struct rgr_string entry = ring->strings[id];
    if (entry.bytes == bytes && memcmp(ring->string_data + entry.offset, text, bytes) == 0) return id;
  }
}

static int takeFlag(atomic_flag *flag) {
  for (int spins = 0; spins < 10000; ++spins)
    if (!atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) return 1;
  return 0; /* a signal handler interrupted the holder, or the holder is not scheduled */
}

uint32_t rg_ring_intern(struct rg_ring *ring, const char *text, size_t bytes) {
  struct rgr_header *header = ring->header;
  if (bytes > RGR_LONGEST_STRING) bytes = RGR_LONGEST_STRING;
  if (bytes == 0 && header->string_count > 0) return 0;
  const uint64_t hash = hashBytes(text, bytes);
  uint64_t place = 0;
  uint32_t id = bytes ? findString(ring, hash, text, bytes, &place) : 0;
  if (id) return id;
  if (!takeFlag(&ring->strings_busy)) {
    __atomic_fetch_add(&header->lost_names, 1, __ATOMIC_RELAXED);
    return 0;
  }
  if (bytes) id = findString(ring, hash, text, bytes, &place);
  /* Another thread may have put the empty string, number 0, there meanwhile. */
  if (!id && (bytes || header->string_count == 0)) {
    const uint64_t count = header->string_count;
    if (count >= RGR_MAX_STRINGS || ring->string_bytes_used + bytes > RGR_STRING_BYTES) {
      __atomic_fetch_add(&header->lost_names, 1, __ATOMIC_RELAXED);
    } else {
      id = (uint32_t)count;
      ring->strings[id].offset = ring->string_bytes_used;
      ring->strings[id].bytes = (uint32_t)bytes;
      memcpy(ring->string_data + ring->string_bytes_used, text, bytes);
      ring->string_bytes_used += (uint32_t)bytes;
      __atomic_store_n(&header->string_count, count + 1, __ATOMIC_RELEASE);
      if (id) atomic_store_explicit(&ring->lookup[place], id, memory_order_release);
    }
  }
  atomic_flag_clear_explicit(&ring->strings_busy, memory_order_release);
  return id;
}

/* Reads the reader's position again; 1 when `need` slots after `head` are free. */
static int roomAfter(struct rg_ring *ring, uint64_t head, uint64_t need) {
  uint64_t tail = atomic_load_explicit(&ring->tail_seen, memory_order_acquire);
  if (head + need - tail <= ring->slot_count) return 1;
  const uint64_t check = __atomic_load_n(&ring->header->tail_check, __ATOMIC_ACQUIRE);
  const uint64_t now = __atomic_load_n(&ring->header->tail, __ATOMIC_ACQUIRE);
  if (check != ~now || now > head || now < tail) return 0;
  atomic_store_explicit(&ring->tail_seen, now, memory_order_release); /* orders other threads' writes after this read of the tail */
  return head + need - now <= ring->slot_count;
}

static int claim(struct rg_ring *ring, uint64_t need, uint64_t *position) {
  uint64_t *shared = &ring->header->head;
  uint64_t head = __atomic_load_n(shared, __ATOMIC_RELAXED);
  do {
    if (!roomAfter(ring, head, need)) {
      /* A stale head can make the ring look full; reject only with the current one. */
      const uint64_t again = __atomic_load_n(shared, __ATOMIC_RELAXED);
      if (again != head) {
        head = again;
        continue;
      }
      __atomic_fetch_add(&ring->header->dropped, 1, __ATOMIC_RELAXED);
      return 0;
    }
    if (__atomic_compare_exchange_n(shared, &head, head + need, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      *position = head;
      return 1;
    }
  } while (1);
}

static unsigned char *slotAt(struct rg_ring *ring, uint64_t position) {
  return ring->slots + (position & (ring->slot_count - 1)) * RGR_SLOT_BYTES;
}

static void commit(unsigned char *slot, uint64_t position, int type, unsigned slots, int a, int b) {
  const struct rgr_commit word = {(uint32_t)(position + 1), (uint8_t)type, (uint8_t)slots, (uint8_t)a, (uint8_t)b};
  uint64_t bits;
  memcpy(&bits, &word, sizeof(bits));
  __atomic_store_n((uint64_t *)(void *)slot, bits, __ATOMIC_RELEASE);
}

int rg_ring_put_one(struct rg_ring *ring, int type, int a, int b, const void *fixed, size_t fixed_bytes) {
  uint64_t position;
  if (!claim(ring, 1, &position)) return 0;
  unsigned char *slot = slotAt(ring, position);
  memcpy(slot + 8, fixed, fixed_bytes);
  commit(slot, position, type, 1, a, b);
  return 1;
}

struct part {
  const unsigned char *at;
  size_t bytes;
};

static size_t slotsOf(const struct part *parts) {
  return (parts[0].bytes + parts[1].bytes + parts[2].bytes + RGR_SLOT_PAYLOAD - 1) / RGR_SLOT_PAYLOAD;
}

static void fillSlots(struct rg_ring *ring, uint64_t position, const struct part *parts) {
  size_t done = 0;
  for (int p = 0; p < 3; ++p) {
    size_t from = 0;
    while (from < parts[p].bytes) {
      unsigned char *slot = slotAt(ring, position + done / RGR_SLOT_PAYLOAD);
      const size_t inside = done % RGR_SLOT_PAYLOAD;
      size_t n = RGR_SLOT_PAYLOAD - inside;
      if (n > parts[p].bytes - from) n = parts[p].bytes - from;
      memcpy(slot + 8 + inside, parts[p].at + from, n);
      from += n;
      done += n;
    }
  }
}

static void commitAll(struct rg_ring *ring, uint64_t position, size_t slots, int type, int a, int b) {
  for (size_t i = 1; i < slots; ++i) commit(slotAt(ring, position + i), position + i, RGR_CONT, 0, 0, 0);
  commit(slotAt(ring, position), position, type, (unsigned)slots, a, b);
}

int rg_ring_put(struct rg_ring *ring, int type, int a, int b, const void *fixed, size_t fixed_bytes, const void *s1, size_t n1,
                const void *s2, size_t n2) {
  const struct part parts[3] = {{fixed, fixed_bytes}, {s1, n1}, {s2, n2}};
  const size_t need = slotsOf(parts);
  uint64_t position;
  if (need > RGR_MAX_SLOTS || !claim(ring, need, &position)) return 0;
  fillSlots(ring, position, parts);
  commitAll(ring, position, need, type, a, b);
  return 1;
}

void rg_ring_overwrite(struct rg_ring *ring, int type, int a, int b, const void *fixed, size_t fixed_bytes, const void *s1, size_t n1) {
  const struct part parts[3] = {{fixed, fixed_bytes}, {s1, n1}, {NULL, 0}};
  const size_t need = slotsOf(parts);
  if (need > RGR_MAX_SLOTS) return;
  const uint64_t position = ring->header->head;
  __atomic_store_n(&ring->header->head, position + need, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  fillSlots(ring, position, parts);
  commitAll(ring, position, need, type, a, b);
}

void rg_ring_progress(struct rg_ring *ring, const struct rgr_progress *progress) {
  if (!takeFlag(&ring->progress_busy)) return; /* the next change reports it */
  const uint64_t version = ring->header->progress_version;
  /* The copy written now was the live one before: on machines that reorder stores, it must not change before the version has. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  ring->header->progress[(version + 1) & 1] = *progress;
  __atomic_store_n(&ring->header->progress_version, version + 1, __ATOMIC_RELEASE);
  atomic_flag_clear_explicit(&ring->progress_busy, memory_order_release);
}
