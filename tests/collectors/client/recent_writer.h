/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's side of a recent ring, for tests in C++: the ring itself is C11 code.
 *
 * Threading:  one thread.
 * Ownership:  the writer lives as long as the process.
 * Units:      ns of CLOCK_MONOTONIC.
 * Errors:     NULL: no ring.
 * Cost:       as the ring's.
 */
#ifndef RUNGLASS_TESTS_RECENT_WRITER_H
#define RUNGLASS_TESTS_RECENT_WRITER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct recent_writer;

/* `<dir>/t.ring.recent`. */
struct recent_writer *recentOpen(const char *dir, uint64_t slots, int seconds);
/* A span whose fields are all derived from `number`: see recent_ring_test.cpp. */
void recentSpan(struct recent_writer *writer, int64_t number, int64_t start, int64_t dur, int shipped);
void recentBeat(struct recent_writer *writer, int64_t now);
/* Claims slots without writing to them, like a process killed in between. */
void recentTear(struct recent_writer *writer, uint64_t slots);

#ifdef __cplusplus
}
#endif

#endif
