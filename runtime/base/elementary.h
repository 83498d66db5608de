// elementary.h: exponential, logarithm, power, sine, cosine, tanh and gelu in double precision, with the same bits on
// every machine: no result rests on the C library's. For tables, logits, classifiers and sampling, a number at a time;
// kernels have functions of vectors in f32. Sets no flag or errno on purpose.
#ifndef GA_ELEMENTARY_H
#define GA_ELEMENTARY_H

// e^x, within 1 unit of the last place: 0 below -746, infinite above 710.
double ga_exp(double x);

// The natural logarithm, within 0.6 units of the last place: -infinity of 0, NaN of less than 0.
double ga_log(double x);

// x^y for a finite x > 0 and |y| < 2^500, within 1 unit of the last place.
double ga_pow(double x, double y);

// Both for |x| <= 2^31, within 0.8 units of the last place; NaN beyond, and of NaN. The sine of -0 is -0.
void ga_sin_cos(double x, double *sine_out, double *cosine_out);

// Within 3 units of the last place; tanh of -0 is -0.
double ga_tanh(double x);

// x Phi(x), gelu by erf, of an x that is a float: within 8 units of the last place while |x| <= 16, from where on it is
// x or a negative number that no float holds; -0 of -infinity.
double ga_gelu(double x);

#endif
