// score.c: numbers of the JSON with the values that the tokenizers package reads them as. Parses no JSON.
#include "score.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MIN = 15, DIGITS_MAX = 17, POWERS = 309 };

// The digits of a number, and the power of ten they are multiplied by.
struct decimal {
    uint64_t digits;
    int exponent;
};

// Reads what "%.*e" has written: whatever the decimal point is, it is no digit.
static struct decimal read_decimal(const char *text)
{
    struct decimal decimal = {0, 0};
    int after_point = -1; // digits after the first
    for (; *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9') {
            decimal.digits = decimal.digits * 10 + (uint64_t)(*text - '0');
            after_point++;
        }
    }
    decimal.exponent = atoi(text + 1) - after_point;
    for (; decimal.digits > 0 && decimal.digits % 10 == 0; decimal.digits /= 10) {
        decimal.exponent++;
    }
    return decimal;
}

static struct decimal shortest(double value)
{
    char text[40] = "0e0";
    for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
        snprintf(text, sizeof(text), "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return read_decimal(text);
}

static double power_of_ten(int exponent)
{
    char text[16];
    snprintf(text, sizeof(text), "1e%d", exponent);
    return strtod(text, NULL);
}

double ga_text_score(double value)
{
    if (fabs(value) < 0x1p53 && value == floor(value)) {
        return value;
    }
    const struct decimal decimal = shortest(fabs(value));
    double score = (double)decimal.digits;
    int exponent = decimal.exponent;
    for (; exponent <= -POWERS; exponent += POWERS - 1) {
        score /= 1e308;
    }
    score = exponent < 0 ? score / power_of_ten(-exponent) : score * power_of_ten(exponent);
    return value < 0 ? -score : score;
}
