// precision_spec.c: the model's spec with a dtype for each linear in place of "any". Chooses none of them.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atomic_file.h"
#include "precision.h"

// A dtype for each linear, as fields of a table.
static void put_dtypes(FILE *file, const struct ga_precision *precision)
{
    const char *before = "";
    for (size_t l = 0; l < GA_LINEARS; l++) {
        if (precision->figures.is_there[l]) {
            fprintf(file, "%s%s = \"%s\"", before, ga_linear_name((enum ga_linear)l),
                    ga_arithmetic_name(precision->of[l]));
            before = ", ";
        }
    }
}

// How the generator writes the field in a spec's text: alone, or in a table that names attention's dtype too; and what
// comes before and after the dtypes in its place.
static const struct form {
    const char *field, *before, *after;
} forms[] = {{"dtype = \"any\"", "dtype = { ", " }"}, {"default = \"any\"", "", ""}};

static bool put_spec(FILE *file, const char *spec, const struct ga_precision *precision)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *at = strstr(spec, forms[i].field);
        if (at) {
            fwrite(spec, 1, (size_t)(at - spec), file);
            fputs(forms[i].before, file);
            put_dtypes(file, precision);
            fputs(forms[i].after, file);
            fputs(at + strlen(forms[i].field), file);
            return true;
        }
    }
    return false;
}

enum ga_exit ga_precision_write_spec(const struct ga_context *context, const struct ga_precision *precision,
                                     const char *path)
{
    struct ga_error error;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool is_whole = file && put_spec(file, context->model->spec, precision) && !ferror(file);
    is_whole = file && fclose(file) == 0 && is_whole;
    enum ga_exit code = GA_EXIT_OK;
    if (!is_whole) {
        code = ga_failed(context, "%s: the spec could not be made of the model's own", path);
    } else if (ga_atomic_file_write(path, text, size, &error) != GA_OK) {
        code = ga_failed(context, "%s", error.text);
    }
    free(text);
    return code;
}
