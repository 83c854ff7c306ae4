/* SPDX-License-Identifier: Apache-2.0 */
/* Who another process of this machine is, by the rules of rg_init(): for an agent that finds trainers which do not load the library.
 *
 * Threading:  any thread.
 * Errors:     what cannot be known stays RG_NONE or empty; names are cut to their field.
 * Cost:       a few dozen searches of the environment, some reads of /proc.
 */
#ifndef RUNGLASS_FOREIGN_IDENTITY_H
#define RUNGLASS_FOREIGN_IDENTITY_H

#include <stddef.h>

#include "collectors/client/ring_layout.h"

#ifdef __cplusplus
extern "C" {
#endif
/* `environ_text`: the bytes of /proc/PID/environ, the last of them NUL. */
void rg_identity_of(struct rgr_identity *identity, long pid, const char *environ_text, size_t bytes);
#ifdef __cplusplus
}
#endif

#endif
