/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps are traced, and how: by the environment, by the program (runglass_cuda.h) and by orders.
 *
 * Threading:  any; what was wanted last counts.
 * Units:      steps.
 * Errors:     none: what makes no sense in the environment is as if it were not there.
 */
#ifndef RUNGLASS_CUDA_TRACE_RULES_H
#define RUNGLASS_CUDA_TRACE_RULES_H

#include <stdint.h>

/* A step begins, or RG_NONE: one ended. */
void rgc_on_step(int64_t step);
void rgc_choose_launch_mode(int64_t step, int step_is_new);
/* Also in the steps [first, first + steps); replaces the ones asked before. */
void rgc_trace_window(int64_t first, int64_t steps);
/* What the environment wants at once. */
void rgc_want_from_environment(void);
/* A variable's whole number between the bounds; `otherwise` where it is none. */
int64_t rgc_environment_number(const char *name, int64_t otherwise, int64_t least, int64_t most);

#endif
