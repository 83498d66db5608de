// precision_spec.c: the model's spec with a dtype for each linear in place of "any". Chooses none of them.
#include <stdio.h>
#include <string.h>

#include "made_file.h"
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

// The spec of a model, and the figures by which its linears have their dtypes.
struct written {
    const char *spec;
    const struct ga_precision *precision;
};

static bool put_spec(FILE *file, const void *data)
{
    const struct written *written = data;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *spec = written->spec, *at = strstr(spec, forms[i].field);
        if (at) {
            fwrite(spec, 1, (size_t)(at - spec), file);
            fputs(forms[i].before, file);
            put_dtypes(file, written->precision);
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
    const struct written written = {context->model->spec, precision};
    return ga_made_file_write(context, path, "the spec could not be made of the model's own", put_spec, &written);
}
