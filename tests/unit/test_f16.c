// test_f16.c: floats as half precision: every element, what lies in the middle between two, and what lies next to that.
#include <criterion/criterion.h>
#include <math.h>

#include "f16.h"

// The number that a finite element stands for, by the definition of the format.
static double value_of(unsigned int element)
{
    const unsigned int exponent = element >> 10 & 0x1f, fraction = element & 0x3ff;
    return exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, (int)exponent - 25);
}

Test(f16, elements_keep_their_bits_and_the_middle_goes_to_the_even_one)
{
    for (unsigned int element = 0; element < 0x7bff; element++) {
        const float at = (float)value_of(element), middle = (float)((value_of(element) + value_of(element + 1)) / 2);
        const unsigned int even = element + (element & 1);
        cr_assert_eq(ga_f16_of_float(at), element);
        cr_assert_eq(ga_f16_of_float(-at), element | 0x8000);
        cr_assert_eq(ga_f16_of_float(middle), even, "%a", (double)middle);
        cr_assert_eq(ga_f16_of_float(nextafterf(middle, 0)), element);
        cr_assert_eq(ga_f16_of_float(nextafterf(middle, 1e9F)), element + 1);
    }
}

Test(f16, what_is_too_large_is_infinite_and_what_is_no_number_stays_so)
{
    cr_expect_eq(ga_f16_of_float(65504), 0x7bff);
    cr_expect_eq(ga_f16_of_float(nextafterf(65520, 0)), 0x7bff);
    cr_expect_eq(ga_f16_of_float(65520), 0x7c00);
    cr_expect_eq(ga_f16_of_float(-1e30F), 0xfc00);
    cr_expect_eq(ga_f16_of_float(INFINITY), 0x7c00);
    cr_expect_gt(ga_f16_of_float(NAN) & 0x7fff, 0x7c00);
    cr_expect_eq(ga_f16_of_float(0x1p-26F), 0);
}
