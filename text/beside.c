// beside.c: where the tokenizer of weights lies. Reads what kind of file a path is and a GGUF file's header, no more.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ga_text.h"
#include "gguf_tokenizer.h"

bool ga_text_tokenizer_beside(const char *weights, char *path_out, size_t size)
{
    struct stat st;
    if (!weights || !path_out) {
        return false;
    }
    const bool is_there = stat(weights, &st) == 0, is_folder = is_there && S_ISDIR(st.st_mode);
    if (is_there && S_ISREG(st.st_mode) && ga_text_gguf_has_tokenizer(weights)) {
        const int own = snprintf(path_out, size, "%s", weights);
        return (size_t)own < size;
    }
    const char *slash = strrchr(weights, '/');
    const int length = (int)(is_folder ? strlen(weights) : slash ? (size_t)(slash - weights) : 0);
    const char *between = length > 0 || is_folder || slash ? "/" : "";
    const int needed = snprintf(path_out, size, "%.*s%stokenizer.json", length, weights, between);
    return needed > 0 && (size_t)needed < size;
}
