/* SPDX-License-Identifier: Apache-2.0 */
/* conf_man.c - prints the source of creel-site.xml(5); run when creel is built */
#include <stdio.h>

#include "common/conf/conf_doc.h"

int main(void)
{
    conf_write_man(stdout);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
