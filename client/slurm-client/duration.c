/* SPDX-License-Identifier: Apache-2.0 */
/* duration.c - durations and time limits as Slurm's commands print them */
#include "client/slurm-client/duration.h"

void duration_put(struct text_builder *text, int64_t seconds, bool is_short)
{
    int hours = (int)(seconds / 3600 % 24), minutes = (int)(seconds / 60 % 60), rest = (int)(seconds % 60);

    if (seconds >= 86400)
        text_builder_printf(text, "%lld-%02d:%02d:%02d", (long long)(seconds / 86400), hours, minutes, rest);
    else if (!is_short)
        text_builder_printf(text, "%02d:%02d:%02d", hours, minutes, rest);
    else if (hours > 0)
        text_builder_printf(text, "%d:%02d:%02d", hours, minutes, rest);
    else
        text_builder_printf(text, "%d:%02d", minutes, rest);
}
