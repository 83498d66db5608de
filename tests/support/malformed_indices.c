// malformed_indices.c: the table of bad indices of shards. A row says what is wrong once, and nothing else is wrong.
#include "malformed.h"

// An index of both tensors in these shards; one's is a literal with its quotes.
#define INDEX(a, b) "{\"weight_map\":{\"a\":" a ",\"b\":" b "}}"
#define ONE "\"one.safetensors\""
#define TWO "\"two.safetensors\""
#define REFUSED(what) .status = GA_FORMAT, .fault = GA_FAULT_##what
#define DEEP_4(what) what what what what
#define DEEP_62 DEEP_4(DEEP_4("[[[")) DEEP_4("[[[") "[["
#define NOT_PLAIN "expected the plain name of a .safetensors file in its folder"

const struct malformed_index malformed_indices[] = {
    {"cut_off", "{\"weight_map\":", REFUSED(INDEX), .offset = 14, .says = "byte 14: the index is not valid JSON"},
    {"array", "[]", REFUSED(INDEX), .says = "byte 0: no object weight_map; expected"},
    {"no_map", "{}", REFUSED(INDEX), .says = "byte 0: no object weight_map; expected"},
    {"empty_map", "{\"weight_map\": {}}", REFUSED(INDEX_EMPTY), .at = "{}",
     .says = "byte 15: weight_map lists no tensor; expected the shard of at least one"},
    {"objects_only", "{\"weight_map\":[{},{},{},{},{}]}", REFUSED(VALUES_TOO_MANY), .offset = 24,
     .says = "byte 24: more than 5 objects and arrays in an index of 31 bytes; expected at most so many"},
    {"nested_65_deep", "{\"metadata\":{\"x\":" DEEP_62 "{}", REFUSED(NESTING), .at = "{}",
     .says = "objects and arrays are nested more than 64 deep; expected 2 as a rule"},
    {"map_of_lists", INDEX(ONE, "[" TWO "]"), REFUSED(SHARD_NAME), .at = "[",
     .says = "tensor 'b', byte 41: its shard is 'no string'; " NOT_PLAIN},
    {"parent", INDEX(ONE, "\"../two.safetensors\""), REFUSED(SHARD_NAME), .at = "\"..",
     .says = "its shard is '../two.safetensors'; " NOT_PLAIN},
    {"absolute", INDEX(ONE, "\"/etc/two.safetensors\""), REFUSED(SHARD_NAME), .at = "\"/etc",
     .says = "its shard is '/etc/two.safetensors'; " NOT_PLAIN},
    {"folder", INDEX(ONE, "\"sub/two.safetensors\""), REFUSED(SHARD_NAME), .at = "\"sub", .says = NOT_PLAIN},
    {"hidden", INDEX(ONE, "\".two.safetensors\""), REFUSED(SHARD_NAME), .at = "\".two", .says = NOT_PLAIN},
    {"no_name", INDEX(ONE, "\".safetensors\""), REFUSED(SHARD_NAME), .at = "\".safe", .says = NOT_PLAIN},
    {"pickle", INDEX(ONE, "\"two.bin\""), REFUSED(SHARD_NAME), .at = "\"two.bin", .says = NOT_PLAIN},
    {"newline", INDEX(ONE, "\"two\\n.safetensors\""), REFUSED(SHARD_NAME), .at = "\"two\\n",
     .says = "'two\\x0a.safetensors'; " NOT_PLAIN},
    {"tensor_twice", "{\"weight_map\":{\"a\":" ONE ",\"b\":" TWO ",\"\\u0061\":" TWO "}}", REFUSED(SHARD_TENSOR_TWICE),
     .at = "\"\\u0061", .says = "'a' is there twice; expected each tensor once"},
    {"missing", INDEX(ONE, TWO), SHARD_IS_MISSING, .status = GA_IO, .fault = GA_FAULT_SHARD_MISSING, .at = TWO,
     .says = "tensor 'b', byte 41: its shard 'two.safetensors' is missing; expected"},
    {"link", INDEX(ONE, TWO), SHARD_IS_LINK, .status = GA_IO, .fault = GA_FAULT_SHARD_LINK, .at = TWO,
     .says = "its shard 'two.safetensors' is a symbolic link; expected a file"},
    {"shard_is_folder", INDEX(ONE, TWO), SHARD_IS_FOLDER, .status = GA_IO, .fault = GA_FAULT_NOT_REGULAR,
     .offset = GA_NO_OFFSET, .says = "two.safetensors: a directory; expected a regular file"},
    {"both_have_a", INDEX(ONE, TWO), SHARD_HAS_BOTH, REFUSED(SHARD_TENSOR_TWICE), .at = ONE,
     .says = "tensor 'a', byte 19: it is in 'one.safetensors' and in 'two.safetensors'; expected it in one"},
    {"unlisted", INDEX(ONE, TWO), SHARD_HAS_MORE, REFUSED(SHARD_TENSOR_UNLISTED), .offset = 8 + 112 + 8,
     .says = "two.safetensors: tensor 'c', byte 128: the index does not list it; expected only"},
    {"swapped", INDEX(TWO, ONE), REFUSED(SHARD_TENSOR_MISSING), .at = TWO,
     .says = "tensor 'a', byte 19: it is in 'one.safetensors'; expected it in 'two.safetensors'"},
    {"listed_too_much", "{\"weight_map\":{\"a\":" ONE ",\"b\":" TWO ",\"c\": " TWO "}}", REFUSED(SHARD_TENSOR_MISSING),
     .offset = 64, .says = "tensor 'c', byte 64: it is not in 'two.safetensors'; expected it there"},
    {"total", "{\"metadata\":{\"total_size\":24},\"weight_map\":{\"a\":" ONE ",\"b\":" TWO "}}", REFUSED(SHARD_TOTAL),
     .at = "24", .says = "total_size is 24; expected 16, the bytes of the 2 tensors in 2 shards"},
    {"total_as_text", "{\"metadata\":{\"total_size\":\"16\"},\"weight_map\":{\"a\":" ONE ",\"b\":" TWO "}}",
     REFUSED(SHARD_TOTAL), .at = "\"16\"", .says = "expected 16, the bytes of the 2 tensors in 2 shards"},
};
const size_t n_malformed_indices = sizeof malformed_indices / sizeof *malformed_indices;
