// text_limits.h: how large files and texts may be, where more than one file of libga_text asks. Internal to libga_text.
#ifndef GA_TEXT_TEXT_LIMITS_H
#define GA_TEXT_TEXT_LIMITS_H

enum {
    GA_TEXT_LARGEST_FILE = 256 << 20, // bytes of a tokenizer.json
};

#endif
