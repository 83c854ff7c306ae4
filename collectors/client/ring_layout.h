/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of the shared-memory file between a trainer (writer) and an agent (reader), compiled by both.
 *
 * Threading:  any number of writer threads in the owning process, one reader in another process.
 * Ownership:  the writer creates and maps the file; the reader reads it with pread and writes only `tail`, `tail_check` and the commands
 *             (rgr_orders).
 * Units:      ns of CLOCK_MONOTONIC unless a field says wall; bytes. All integers little-endian (hosts are).
 * Errors:     the reader must not trust any content: a trainer can die at any store, or be hostile.
 * Cost:       64 bytes a slot; a span, a scalar, a step is one slot.
 *
 * Layout: Header page(s) | string table (entries, then bytes) | slots.
 * A record is 1..RGR_MAX_SLOTS consecutive slots. Slot = 8-byte commit word + 56 bytes. The commit word holds the low 32 bits of (slot
 * position + 1), so that a word of an earlier lap never matches; the first slot's word is stored last (release).
 *
 * A recent ring (RGR_RECENT_MAGIC, `<ring>.recent`) is the same file with one writer that never waits: `head` moves before the slots
 * below it are written, so that a slot of position p is intact only while p + slots >= head. `tail` has no meaning. progress is the time
 * of the last write, identity a copy of the main ring's.
 */
#ifndef RUNGLASS_RING_LAYOUT_H
#define RUNGLASS_RING_LAYOUT_H

#include <stdint.h>

#define RGR_MAGIC 0x31474e4952475252ull        /* "RRGRING1" */
#define RGR_RECENT_MAGIC 0x314e434552475252ull /* "RRGRECN1" */
#define RGR_VERSION 2u                         /* 2: GPU spans and counts, a longer string table */
#define RGR_OLDEST_VERSION 1u                  /* oldest version that a reader accepts */
#define RGR_SLOT_BYTES 64u
#define RGR_SLOT_PAYLOAD 56u
#define RGR_MAX_SLOTS 160u
#define RGR_HEADER_BYTES 8192u
#define RGR_MAX_STRINGS 4096u
#define RGR_STRING_BYTES 524288u /* version 2: kernels have long names */
#define RGR_STRING_BYTES_V1 131072u
#define RGR_LONGEST_STRING 1023u /* version 1: up to 255 */
#define RGR_MIN_SLOTS 1024u
#define RGR_MAX_RING_SLOTS (1u << 24)
#define RGR_SHIPPED 0x80u /* in `a` of a recent ring's GPU span: it is in the main ring too */

/* Record types, in the commit word. A reader skips and counts unknown types, so that a new type needs no new version. */
enum rgr_type {
  RGR_CONT = 0, /* second and further slots of a record */
  RGR_SPAN = 1,
  RGR_SCALAR = 2,
  RGR_STEP = 3,
  RGR_PART = 4,
  RGR_DATA_RANGE = 5,
  RGR_CHECKPOINT = 6,
  RGR_LOG = 7,
  RGR_FACT = 8,
  RGR_GPU_SPAN = 9, /* since version 2 */
  RGR_COUNT = 10,   /* since version 2 */
  RGR_TYPE_COUNT = 11
};

struct rgr_commit { /* read and written as one 64-bit word */
  uint32_t stamp;
  uint8_t type, slots, a, b; /* a, b: small fields of the type */
};

/* RGR_SPAN: a = category, b = depth. */
struct rgr_span {
  int64_t start, dur, step, seq, bytes, group;
  int32_t microbatch; /* INT32_MIN = absent */
  uint16_t name, track;
};
/* RGR_GPU_SPAN: a = category, b = depth; args (a JSON object) follow. A later version may insert fields before them. */
struct rgr_gpu_span {
  struct rgr_span span;
  int64_t correlation;
  int64_t launched;                 /* host time of the launch; INT64_MIN = absent */
  uint32_t fixed_bytes, args_bytes; /* fixed_bytes: of this struct as written */
};
/* RGR_COUNT: number of events of a kind since the ring was created; written again when it grows. */
struct rgr_count {
  int64_t time;
  uint64_t total;
  uint32_t name;
};
/* RGR_SCALAR: a = 1 when the value is this rank's own, 0 when it is the whole run's. */
struct rgr_scalar {
  int64_t step, time;
  double value;
  uint32_t name;
};
/* RGR_STEP: a = phase. */
struct rgr_step {
  int64_t step, start, dur;
  int64_t cpu, run_delay; /* INT64_MIN = absent */
};
struct rgr_part {
  int64_t step, time, dur, wait; /* wait: INT64_MIN = absent */
  uint32_t name;
};
struct rgr_data_range {
  int64_t step, time, first, last;
  uint32_t name;
};
/* RGR_CHECKPOINT: a = 0 begin, 1 durable; path follows. */
struct rgr_checkpoint {
  int64_t step, time, bytes; /* bytes: INT64_MIN = absent */
  uint32_t path_bytes;
};
/* RGR_LOG: a = severity, b = 1 when cut; stream is a string id, text follows. RGR_FACT: key and value follow. */
struct rgr_text {
  int64_t time;
  uint32_t name;
  uint32_t first_bytes, second_bytes;
};

/* Current activity of a process: two copies, the live one is progress_version & 1. */
struct rgr_progress {
  int64_t time, step, microbatch, group, seq, since; /* absent: INT64_MIN */
  uint32_t op, phase;                                /* op: string id, 0 = none */
};

enum rgr_end { RGR_END_RUNNING = 0, RGR_END_EXIT = 1, RGR_END_SHUTDOWN = 2 };

struct rgr_identity {                                  /* guarded by identity_version: odd while being written */
  int64_t rank, world, local_rank;                     /* INT64_MIN = unknown */
  int32_t tp, pp, dp, cp, ep, vpp;                     /* sizes; 0 = unknown */
  int32_t rank_tp, rank_pp, rank_dp, rank_cp, rank_ep; /* -1 = derive from order */
  char run[256], attempt[256], framework[64], order[64];
  char end_cause[256];
};

struct rgr_header {
  uint64_t magic;
  uint32_t version, header_bytes;
  uint32_t slots, max_strings, string_bytes, recent_seconds; /* recent_seconds: requested length of a recent ring */
  int64_t pid, uid;
  int64_t anchor_mono, anchor_wall; /* read together when the ring was created */
  char boot_id[40];
  int64_t end_time; /* of an orderly end */
  uint8_t pad0[16];

  uint64_t head;       /* writers: slots claimed, only grows */
  uint64_t dropped;    /* records refused because the ring was full */
  uint64_t lost_names; /* strings refused because the table was full */
  uint8_t pad1[40];

  uint64_t tail;       /* reader: slots released, only grows */
  uint64_t tail_check; /* ~tail, written after it: a torn store is detected and ignored */
  uint8_t pad2[48];

  uint64_t string_count;
  uint64_t identity_version;
  uint64_t progress_version;
  uint32_t end_state, reserved1;
  uint8_t pad3[32];

  struct rgr_progress progress[2];
  struct rgr_identity identity;
};

struct rgr_string {
  uint32_t offset, bytes;
};

/* Commands (rgr_orders): requests of the agent to the tracer in this process. They use a part of the header's pages that was empty
 * before: the ring of an older library has layout 0, and an older agent never reads this part, so the version stays. The agent writes
 * `serial` last; the tracer accepts commands that `check` confirms. Neither side trusts the other's numbers.
 */
#define RGR_TRACER_AT 4096u
#define RGR_ORDERS_AT 4352u
#define RGR_ORDERS_LAYOUT 1u
#define RGR_FILTER_BYTES 512u
#define RGR_UNSAID INT64_MIN /* not requested */

enum rgr_ability { RGR_CAN_TRACE = 1, RGR_CAN_EXACT = 2, RGR_CAN_KEEP_RECENT = 4 };

struct rgr_tracer {
  uint32_t orders_layout; /* set by the library; 0: it does not support commands */
  uint32_t abilities;     /* set by an active tracer; 0: there is none */
  uint64_t taken;         /* serial of the last accepted commands */
};

struct rgr_orders { /* the requested state; writing it again changes nothing */
  uint64_t serial, check;
  int64_t trace_every;
  int64_t first_step, steps;        /* single kernels in [first_step, first_step + steps) */
  int64_t exact_first, exact_steps; /* the same for exact mode; 0 steps: off */
  int64_t recent_seconds;           /* 0: no recent ring */
  uint32_t filter_bytes, reserved;  /* 0: every kernel */
  char filter[RGR_FILTER_BYTES];    /* parts of names, separated by '|' */
};

static inline uint64_t rgr_orders_check(const struct rgr_orders *orders) {
  const unsigned char *bytes = (const unsigned char *)orders;
  uint64_t hash = 0xcbf29ce484222325ull;
  for (uint32_t i = 0; i < sizeof(*orders); ++i)
    if (i < 8 || i >= 16) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

#define RGR_STRINGS_AT RGR_HEADER_BYTES
#define RGR_STRING_DATA_AT (RGR_STRINGS_AT + RGR_MAX_STRINGS * 8u)
#define RGR_SLOTS_AT (RGR_STRING_DATA_AT + RGR_STRING_BYTES)
#define RGR_SLOTS_AT_V1 (RGR_STRING_DATA_AT + RGR_STRING_BYTES_V1)

#endif
