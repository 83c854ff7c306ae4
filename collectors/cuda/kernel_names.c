/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. A reader sees only complete tables: a grown one is published by one store, the old one is kept for readers that still use it.
 * 2. A key is stored after its name; a key never changes, its name can (a library loaded at the address of an unloaded one).
 * 3. A returned name is a copy: its library can be unloaded before the name is used.
 */
#define _GNU_SOURCE
#include "collectors/cuda/kernel_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  const void *_Atomic kernel;
  const char *_Atomic name;
  const char *_Atomic kept;
};

struct table {
  uint64_t capacity, count; /* capacity: a power of two */
  struct table *older;
  struct entry entries[];
};

static struct table *_Atomic g_table;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry *place(struct table *table, const void *kernel) {
  uint64_t at = (uint64_t)(uintptr_t)kernel * 0x9e3779b97f4a7c15ull >> 20;
  for (;; ++at) {
    struct entry *entry = &table->entries[at & (table->capacity - 1)];
    const void *key = atomic_load_explicit(&entry->kernel, memory_order_acquire);
    if (key == kernel || key == NULL) return entry;
  }
}

static struct table *grown(struct table *old) {
  const uint64_t capacity = old ? old->capacity * 4 : 1024;
  struct table *table = calloc(1, sizeof(*table) + capacity * sizeof(struct entry));
  if (!table) return old;
  table->capacity = capacity;
  table->older = old;
  for (uint64_t i = 0; old && i < old->capacity; ++i) {
    const void *kernel = atomic_load(&old->entries[i].kernel);
    if (!kernel) continue;
    struct entry *entry = place(table, kernel);
    atomic_store(&entry->name, atomic_load(&old->entries[i].name));
    atomic_store(&entry->kept, atomic_load(&old->entries[i].kept));
    atomic_store(&entry->kernel, kernel);
    ++table->count;
  }
  atomic_store_explicit(&g_table, table, memory_order_release);
  return table;
}

void rgc_kernel_put(const void *kernel, const char *name, int copy_now) {
  if (!kernel || !name) return;
  pthread_mutex_lock(&g_lock);
  struct table *table = atomic_load(&g_table);
  if (!table || table->count * 2 >= table->capacity) table = grown(table);
  if (table && table->count + 1 < table->capacity) {
    struct entry *entry = place(table, kernel);
    const char *kept = atomic_load(&entry->kept);
    const int same = kept && strcmp(kept, name) == 0; /* registered again: the existing copy stays valid */
    const char *copy = copy_now && !same ? strdup(name) : kept;
    if (!same) {
      atomic_store(&entry->kept, copy_now ? copy : NULL);
      atomic_store(&entry->name, copy_now ? copy : name);
    }
    if (!atomic_load(&entry->kernel)) {
      ++table->count;
      atomic_store_explicit(&entry->kernel, kernel, memory_order_release);
    }
  }
  pthread_mutex_unlock(&g_lock);
}

const char *rgc_kernel_get(const void *kernel) {
  struct table *table = atomic_load_explicit(&g_table, memory_order_acquire);
  if (!table || !kernel) return NULL;
  struct entry *entry = place(table, kernel);
  if (!atomic_load_explicit(&entry->kernel, memory_order_acquire)) return NULL;
  const char *kept = atomic_load_explicit(&entry->kept, memory_order_acquire);
  if (kept) return kept;
  const char *name = atomic_load(&entry->name);
  char *copy = name ? strdup(name) : NULL;
  if (!copy) return NULL;
  if (atomic_compare_exchange_strong(&entry->kept, &kept, copy)) return copy;
  free(copy);
  return kept;
}

void rgc_kernel_names_in_child(void) { pthread_mutex_init(&g_lock, NULL); }
