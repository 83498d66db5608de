// pack_weights.c: walks the tables of a variant, layer by layer, and hands each part to what packs it.
#include "pack_weights.h"

#include <string.h>

#include "pack_linear.h"
#include "pack_table_product.h"
#include "pack_tables.h"

static float *floats_at(unsigned char *block, size_t at)
{
    return (float *)(void *)(block + at);
}

// Parts of one layer. Roles and bytes are counted from its first ones on; shared: roles of all layers.
static void pack_parts(const struct ga_packed_parts *parts, const struct ga_weight_view *roles,
                       const struct ga_weight_view *shared, unsigned char *block)
{
    for (size_t i = 0; i < parts->n_linears; i++) {
        const struct ga_packed_linear *linear = &parts->linears[i];
        ga_pack_linear(linear, &roles[linear->weight], linear->bias == GA_NO_ROLE ? NULL : &roles[linear->bias], block);
    }
    for (size_t i = 0; i < parts->n_copies; i++) {
        ga_pack_copy(&parts->copies[i], &roles[parts->copies[i].role], floats_at(block, parts->copies[i].at));
    }
    for (size_t i = 0; i < parts->n_rows; i++) {
        ga_pack_rows(&parts->rows[i], &roles[parts->rows[i].role], block);
    }
    for (size_t i = 0; i < parts->n_buckets; i++) {
        ga_pack_buckets(&parts->buckets[i], &roles[parts->buckets[i].role], floats_at(block, parts->buckets[i].at));
    }
    for (size_t i = 0; i < parts->n_table_products; i++) {
        ga_pack_table_product(&parts->table_products[i], shared, roles, floats_at(block, parts->table_products[i].at));
    }
}

// Tables that need no role are the same for each layer: later ones copy the first layer's.
static void pack_angles(const struct ga_packed_parts *parts, unsigned char *first)
{
    for (size_t i = 0; i < parts->n_angles; i++) {
        const struct ga_packed_angles *angles = &parts->angles[i];
        float *table = floats_at(first, angles->at);
        ga_pack_angles(angles, table);
        for (size_t layer = 1; layer < parts->count; layer++) {
            memcpy(first + layer * parts->bytes + angles->at, table, angles->places * angles->width * sizeof *table);
        }
    }
}

void ga_pack_weights(const struct ga_packed_parts *parts, size_t n_parts, const struct ga_weight_view *roles,
                     void *packed)
{
    for (size_t i = 0; i < n_parts; i++) {
        unsigned char *first = (unsigned char *)packed + parts[i].at;
        pack_angles(&parts[i], first);
        for (size_t layer = 0; layer < parts[i].count && roles != NULL; layer++) { // NULL: a model without roles
            pack_parts(&parts[i], roles + parts[i].first_role + layer * parts[i].n_roles, roles + parts[i].shared_role,
                       first + layer * parts[i].bytes);
        }
    }
}
