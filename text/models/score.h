// score.h: numbers of the JSON with the values that the tokenizers package reads them as. Internal to libga_text.
#ifndef GA_TEXT_SCORE_H
#define GA_TEXT_SCORE_H

// The value that the package has for a finite number whose correctly rounded value is `value`. Its reader of JSON
// divides the digits, rounded to a double, by a power of ten, so that the last bit of one number in five is another
// one; paths of nearly the same score are told apart by that bit. The digits are taken to be the fewest that stand for
// the value, as every writer of such files has them.
double ga_text_score(double value);

#endif
