/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. Only the tracer's thread writes; the text of the filter is used by it alone.
 * 2. A verdict is valid for the filter whose number it contains: a new filter invalidates all verdicts with one store.
 */
#define _GNU_SOURCE
#include "collectors/cuda/kernel_filter.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/client/ring_layout.h"
#include "collectors/cuda/resolve.h"

enum { kVerdicts = 8192, kTries = 16 };

_Atomic uint64_t rgc_filter_number;
static struct {
  const char *_Atomic name;
  _Atomic uint64_t verdict; /* filter's number * 2, plus 1 when refused */
} g_verdicts[kVerdicts];
static char g_text[RGR_FILTER_BYTES + 1];
static uint64_t g_last_number;

void rgc_filter_set(const char *text, size_t bytes) {
  if (bytes > RGR_FILTER_BYTES) bytes = RGR_FILTER_BYTES;
  memcpy(g_text, text, bytes);
  g_text[bytes] = 0;
  atomic_store_explicit(&rgc_filter_number, g_text[0] ? ++g_last_number : 0, memory_order_release);
}

static uint64_t placeOf(const char *name) { return (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ull >> 40; }

int rgc_filter_known_refused(const char *name) {
  const uint64_t number = atomic_load_explicit(&rgc_filter_number, memory_order_acquire), place = placeOf(name);
  for (uint64_t i = 0; i < kTries; ++i) {
    const char *known = atomic_load_explicit(&g_verdicts[(place + i) % kVerdicts].name, memory_order_acquire);
    if (known == NULL) return 0;
    if (known == name) return atomic_load_explicit(&g_verdicts[(place + i) % kVerdicts].verdict, memory_order_acquire) == number * 2 + 1;
  }
  return 0;
}

static int containsPart(const char *name) {
  for (const char *part = g_text; *part;) {
    const size_t bytes = strcspn(part, "|");
    if (bytes > 0 && memmem(name, strlen(name), part, bytes) != NULL) return 1;
    part += bytes + (part[bytes] == '|');
  }
  return 0;
}

/* A part can be of the demangled or of the mangled name. */
static int keeps(const char *name) {
  if (containsPart(name)) return 1;
  if (strncmp(name, "_Z", 2) != 0) return 0;
  typedef char *demangle_function(const char *, char *, size_t *, int *);
  demangle_function *demangle = (demangle_function *)rgc_find_demangler();
  int status = -1;
  char *readable = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  const int kept = readable && status == 0 && containsPart(readable);
  free(readable);
  return kept;
}

int rgc_filter_refuses(const char *name) {
  const uint64_t number = atomic_load_explicit(&rgc_filter_number, memory_order_relaxed), place = placeOf(name);
  if (number == 0) return 0;
  for (uint64_t i = 0; i < kTries; ++i) {
    const uint64_t at = (place + i) % kVerdicts;
    const char *known = atomic_load_explicit(&g_verdicts[at].name, memory_order_relaxed);
    if (known && known != name) continue;
    const uint64_t verdict = atomic_load_explicit(&g_verdicts[at].verdict, memory_order_relaxed);
    if (known && verdict / 2 == number) return (int)(verdict & 1);
    const int refused = !keeps(name);
    atomic_store_explicit(&g_verdicts[at].verdict, number * 2 + (uint64_t)refused, memory_order_release);
    atomic_store_explicit(&g_verdicts[at].name, name, memory_order_release);
    return refused;
  }
  return !keeps(name);
}
