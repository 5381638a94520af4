/* SPDX-License-Identifier: Apache-2.0 */
/* base_protocol_range.c - test: ranges of protocol versions meet; the text names the side to update */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/protocol_range.h"

static const struct protocol_range ONE = { 1, 1 }, ONE_TWO = { 1, 2 }, TWO_THREE = { 2, 3 }, FOUR = { 4, 4 },
                                   NONE = { 0, 0 };

static void ranges_meet_if_a_version_is_in_both(void **state)
{
    (void)state;
    assert_true(protocol_ranges_meet(ONE, ONE));
    assert_true(protocol_ranges_meet(ONE, ONE_TWO));
    assert_true(protocol_ranges_meet(ONE_TWO, TWO_THREE));
    assert_true(protocol_ranges_meet(TWO_THREE, ONE_TWO));
    assert_false(protocol_ranges_meet(ONE, TWO_THREE));
    assert_false(protocol_ranges_meet(TWO_THREE, ONE));
    assert_false(protocol_ranges_meet(TWO_THREE, FOUR));
}

static void a_range_that_is_not_given_meets_all(void **state)
{
    (void)state;
    assert_true(protocol_ranges_meet(NONE, FOUR));
    assert_true(protocol_ranges_meet(ONE, NONE));
    assert_true(protocol_ranges_meet(NONE, NONE));
}

static void the_text_names_the_older_side(void **state)
{
    char text[PROTOCOL_MISMATCH_MAX];

    (void)state;
    protocol_range_explain(ONE, "0.3.0", TWO_THREE, "0.9.0", text);
    assert_string_equal(
        text, "agent and resource manager have no protocol version in common: creel-nm 0.3.0 has 1 to 1, "
              "creel-rm 0.9.0 has 2 to 3; update creel-nm");
    protocol_range_explain(FOUR, "1.0", TWO_THREE, "", text);
    assert_string_equal(
        text, "agent and resource manager have no protocol version in common: creel-nm 1.0 has 4 to 4, "
              "creel-rm of an unknown version has 2 to 3; update creel-rm");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_meet_if_a_version_is_in_both),
        cmocka_unit_test(a_range_that_is_not_given_meets_all),
        cmocka_unit_test(the_text_names_the_older_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
