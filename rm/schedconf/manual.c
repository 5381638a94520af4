/* SPDX-License-Identifier: Apache-2.0 */
/* manual.c - program that prints a manual page about the configuration of queues; run when creel is built */
#include "rm/schedconf/manual.h"

#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 2 || (strcmp(argv[1], "capacity") != 0 && strcmp(argv[1], "fair") != 0)) {
        fprintf(stderr, "usage: schedconf-man capacity|fair\n");
        return 2;
    }
    if (strcmp(argv[1], "capacity") == 0)
        manual_write_capacity(stdout);
    else
        manual_write_fair(stdout);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
