// safetensors_foreign.c: a table of formats that weights come in elsewhere: their first bytes, and how to convert them.
#include "safetensors_foreign.h"

#include <stdbool.h>
#include <string.h>

#define SAVE "convert it in Python: from safetensors.torch import save_file; import torch; "
#define SAVE_NUMPY "convert it in Python: from safetensors.numpy import save_file; import numpy; "

// What follows the first bytes, where these alone are of several formats.
typedef bool (*rest)(const unsigned char *bytes, size_t size);

// Whether the first name of a ZIP archive, which is at byte 30, ends so.
static bool first_name_ends(const unsigned char *bytes, size_t size, const char *end)
{
    const size_t length = size < 30 ? 0 : (size_t)bytes[26] | (size_t)bytes[27] << 8;
    return length >= strlen(end) && 30 + length <= size &&
           memcmp(bytes + 30 + length - strlen(end), end, strlen(end)) == 0;
}

static bool is_npz(const unsigned char *bytes, size_t size)
{
    return first_name_ends(bytes, size, ".npy");
}

static bool is_torch(const unsigned char *bytes, size_t size)
{
    static const char *const ends[] = {"/data.pkl", "/version", "/byteorder", "/.format_version", "/constants.pkl"};
    bool is = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        is = is || first_name_ends(bytes, size, ends[i]);
    }
    return is;
}

// A pickle's second byte is its protocol, its third the first instruction.
static bool is_pickle(const unsigned char *bytes, size_t size)
{
    return size > 2 && bytes[1] >= 2 && bytes[1] <= 5 && bytes[2] != 0;
}

// A protobuf of a model: its version, a small number, then one of the fields that come next.
static bool is_onnx(const unsigned char *bytes, size_t size)
{
    return size > 2 && bytes[1] >= 1 && bytes[1] <= 32 && bytes[2] != 0 && memchr("\x12\x1a\x22\x3a\x42", bytes[2], 5);
}

static bool is_tflite(const unsigned char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes + 4, "TFL3", 4) == 0;
}

static const struct format {
    const char *magic;
    size_t length;
    rest follows; // NULL: anything
    struct ga_foreign foreign;
} formats[] = {
    {"PK\3\4",
     4,
     is_torch,
     {"a PyTorch file (.pt, .pth, .bin)",
      SAVE "save_file({k: v.contiguous().clone() for k, v in torch.load(FILE, weights_only=True).items()}, "
           "\"model.safetensors\")"}},
    {"PK\3\4",
     4,
     is_npz,
     {"NumPy arrays (.npz)", SAVE_NUMPY "save_file(dict(numpy.load(FILE)), \"model.safetensors\")"}},
    {"PK\3\4",
     4,
     NULL,
     {"a ZIP archive", "a PyTorch file, NumPy arrays or a Keras model are such: save what it holds with the package "
                       "safetensors"}},
    {"\x80",
     1,
     is_pickle,
     {"a Python pickle, which PyTorch's .pt and .bin were",
      SAVE "save_file({k: v.contiguous().clone() for k, v in torch.load(FILE, weights_only=True).items()}, "
           "\"model.safetensors\")"}},
    {"\x93NUMPY",
     6,
     NULL,
     {"a NumPy array (.npy)",
      SAVE_NUMPY "save_file({\"query\": numpy.load(FILE)}, \"in.safetensors\"), \"query\" being the tensor's name"}},
    {"\x89HDF\r\n\x1a\n",
     8,
     NULL,
     {"an HDF5 file (.h5, as Keras saves)",
      "load the model where it was made, and save its arrays in Python: from safetensors.numpy import save_file; "
      "save_file({name: array}, \"model.safetensors\")"}},
    {"\x08",
     1,
     is_onnx,
     {"an ONNX model",
      "convert it in Python: import onnx; from onnx.numpy_helper import to_array; from safetensors.numpy import "
      "save_file; save_file({t.name: to_array(t) for t in onnx.load(FILE).graph.initializer}, "
      "\"model.safetensors\")"}},
    {"", 0, is_tflite, {"a TensorFlow Lite model", "save the arrays of the model it was made from as safetensors"}},
    {"version https://git-lfs",
     23,
     NULL,
     {"what git keeps in place of a large file", "'git lfs pull' in its folder gets the file itself"}},
    {"<!DOCTYPE", 9, NULL, {"a page of HTML", "a download gave that in place of the file: get it again"}},
    {"<html", 5, NULL, {"a page of HTML", "a download gave that in place of the file: get it again"}},
    {"\x1f\x8b", 2, NULL, {"compressed by gzip", "gunzip gets the file that is in it"}},
    {"{",
     1,
     NULL,
     {"text as JSON has it", "give the file of tensors; an index of shards has a name that ends in .index.json"}},
};

// Whether the bytes announce a header of 4 GiB or more, which nobody wrote: so does every format of the table.
static bool announces_nonsense(const unsigned char *bytes, size_t size)
{
    return size >= 8 && (bytes[4] | bytes[5] | bytes[6] | bytes[7]) != 0;
}

const struct ga_foreign *ga_foreign_format(const unsigned char *bytes, size_t size)
{
    if (!announces_nonsense(bytes, size)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct format *format = &formats[i];
        if (size >= format->length && memcmp(bytes, format->magic, format->length) == 0 &&
            (format->follows == NULL || format->follows(bytes, size))) {
            return &format->foreign;
        }
    }
    return NULL;
}
