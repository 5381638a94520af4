/* SPDX-License-Identifier: Apache-2.0 */
/* number.h - formats floating-point numbers with as few digits as needed (pure) */
#ifndef CREEL_WEB_TEXT_NUMBER_H
#define CREEL_WEB_TEXT_NUMBER_H

#define NUMBER_TEXT_MAX 40

/* Write the fewest digits, at least 6, that give VALUE when read again. VALUE is finite. */
void number_format_float(float value, char text[NUMBER_TEXT_MAX]);
void number_format_double(double value, char text[NUMBER_TEXT_MAX]);

#endif
