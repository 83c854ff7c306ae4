/* SPDX-License-Identifier: Apache-2.0 */
/* Identity of this process: run, attempt and rank from the environment of launchers and schedulers; and facts about it.
 *
 * Threading:  call from rg_init only (getenv).
 * Ownership:  fills in the caller's struct.
 * Errors:     unknown values stay RG_NONE; names are cut to their field.
 * Cost:       a few dozen getenv calls, some /proc reads.
 */
#ifndef RUNGLASS_IDENTITY_H
#define RUNGLASS_IDENTITY_H

#include "collectors/client/ring.h"
#include "collectors/client/runglass.h"

void rg_identity_fill(struct rgr_identity *identity, const struct rg_options *options);
/* argv, working directory, host and the variables that affect training; secret-looking ones are dropped or masked. */
void rg_facts_send(struct rg_ring *ring);
void rg_fact_put(struct rg_ring *ring, int automatic, const char *key, const char *value);
/* Same rule as looksSecret() of model/topology.cpp; a test compares the two. */
int rg_looks_secret(const char *name, size_t bytes);
/* Installed devices according to the files below `root` ("" = /), as text; empty: none, or no such files. */
void rg_list_gpus(const char *root, char *text, size_t bytes);
void rg_list_nics(const char *root, char *text, size_t bytes);
/* The NUL-separated command line of a process, 0: this one; returns its bytes. */
size_t rg_read_argv(long pid, char *buffer, size_t bytes);

#endif
