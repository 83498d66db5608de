// text_unlinked.c: the table of libga_text's functions in a program without text.
#include "text_library.h"

const struct ga_text_library ga_text_library = {0};
