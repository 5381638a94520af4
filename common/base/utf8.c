/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c - checks whether text is well-formed UTF-8 */
#include "common/base/utf8.h"

#include <string.h>

size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, length;
    } table[] = {
        { 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
        { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
        { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (text[0] < table[i].first_low || text[0] > table[i].first_high)
            continue;
        if (table[i].length == 1)
            return 1;
        if (text[1] < table[i].second_low || text[1] > table[i].second_high)
            return 0;
        for (size_t k = 2; k < table[i].length; k++) {
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        }
        return table[i].length;
    }
    return 0;
}

size_t utf8_length_within(const unsigned char *text, size_t size)
{
    unsigned char terminated[5] = { 0 };

    memcpy(terminated, text, size < 4 ? size : 4);
    return utf8_length(terminated);
}
