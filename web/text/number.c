/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - formats floating-point numbers with as few digits as needed */
#include "web/text/number.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MIN 6

void number_format_float(float value, char text[NUMBER_TEXT_MAX])
{
    for (int digits = DIGITS_MIN; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            return;
    }
}

void number_format_double(double value, char text[NUMBER_TEXT_MAX])
{
    for (int digits = DIGITS_MIN; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}
