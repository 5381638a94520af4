/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - formats floating-point numbers with as few digits as needed */
#include "web/text/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define DIGITS_MIN 6
#define INTEGER_MAX 1e15 /* integers below have their own double, and so many digits at most */

void number_format_float(float value, char text[NUMBER_TEXT_MAX])
{
    for (int digits = DIGITS_MIN; digits <= FLT_DECIMAL_DIG; digits++) {
        snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            return;
    }
}

/* An integer needs its digits without the zeros at its end: there is nothing to try. */
static bool format_integer(double value, char text[NUMBER_TEXT_MAX])
{
    int64_t rest = (int64_t)(fabs(value) < INTEGER_MAX ? value : 0);
    int digits = 0, zeros = 0;

    if (rest == 0 || (double)rest != value)
        return false;
    for (; rest % 10 == 0; rest /= 10)
        zeros++;
    for (; rest != 0; rest /= 10)
        digits++;
    if (digits < DIGITS_MIN)
        digits = DIGITS_MIN;
    if (zeros == 0 || zeros + digits <= DIGITS_MIN)
        snprintf(text, NUMBER_TEXT_MAX, "%" PRId64, (int64_t)value);
    else
        snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, value);
    return true;
}

void number_format_double(double value, char text[NUMBER_TEXT_MAX])
{
    if (format_integer(value, text))
        return;
    for (int digits = DIGITS_MIN; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, NUMBER_TEXT_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}
