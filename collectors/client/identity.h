/* SPDX-License-Identifier: Apache-2.0 */
/* Who this process is: run, attempt, rank, from what launchers and schedulers leave in the environment; and facts about it.
 *
 * Threading:  call from rg_init only (getenv).
 * Ownership:  fills in the caller's struct.
 * Units:      none.
 * Errors:     what cannot be known stays RG_NONE; names are cut to their field.
 * Cost:       a few dozen getenv calls, some /proc reads.
 */
#ifndef RUNGLASS_IDENTITY_H
#define RUNGLASS_IDENTITY_H

#include "collectors/client/ring.h"
#include "collectors/client/runglass.h"

void rg_identity_fill(struct rgr_identity *identity, const struct rg_options *options);
/* argv, working directory, host and the variables that change how training runs; secret-looking ones are dropped or masked. */
void rg_facts_send(struct rg_ring *ring);
void rg_fact_put(struct rg_ring *ring, int automatic, const char *key, const char *value);
/* Same rule as model/topology.cpp looksSecret(); a test holds the two together. */
int rg_looks_secret(const char *name, size_t bytes);
/* What is plugged in below `root` ("" = /), as text; empty: none, or nobody tells. */
void rg_list_gpus(const char *root, char *text, size_t bytes);
void rg_list_nics(const char *root, char *text, size_t bytes);
/* The NUL-separated command line of a process, 0: this one; returns its bytes. */
size_t rg_read_argv(long pid, char *buffer, size_t bytes);

#endif
