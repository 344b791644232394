/* SPDX-License-Identifier: Apache-2.0 */
/* Jerasure (Debian: libjerasure2) as a rail of Stripeline. Build, then name it in the configuration:
 *   cc -shared -fPIC -O2 -I crates/rail/include examples/plugin/jerasure.c -l:libJerasure.so.2 -o libplugin-jerasure.so
 */
#include <stripeline_plugin.h>

enum { WORD_BITS = 8, INPUTS_MAX = 255, OUTPUTS_MAX = 64 };

/* Declared here, so that the library alone is enough to build this. */
void jerasure_matrix_encode(int k, int m, int w, int *matrix, char **data, char **coding, int size);
int galois_single_multiply(int left, int right, int w);

static int32_t open_lane(void **lane) {
    *lane = NULL; /* Jerasure keeps nothing from call to call. */
    return STRIPELINE_PLUGIN_DONE;
}

static void close_lane(void *lane) { (void)lane; }

static int32_t run(void *lane, const stripeline_plugin_product *product, stripeline_plugin_mismatch *mismatch) {
    int matrix[OUTPUTS_MAX * INPUTS_MAX];
    (void)lane, (void)mismatch;
    if (product->length > INT32_MAX)
        return STRIPELINE_PLUGIN_REFUSED;
    for (uint32_t i = 0; i < product->rows * product->columns; i++)
        matrix[i] = product->matrix[i];
    jerasure_matrix_encode((int)product->columns, (int)product->rows, WORD_BITS, matrix,
                           (char **)product->inputs, (char **)product->outputs, (int)product->length);
    return STRIPELINE_PLUGIN_DONE;
}

static const stripeline_plugin_capability capability = {
    .size_bytes = sizeof capability,
    .inputs_max = INPUTS_MAX,
    .outputs_max = OUTPUTS_MAX,
    .granule_bytes = 16, /* GF-Complete wants whole vectors at like addresses. */
    .alignment_bytes = 16,
    .lanes = 2,
    .depth = 2, /* The loader copies one product while the other is computed. */
    .piece_bytes = 1 << 18,
};

static const stripeline_plugin_table table = {
    .size_bytes = sizeof table,
    .abi_version = STRIPELINE_PLUGIN_ABI,
    .name = "jerasure",
    .description = "Jerasure 2 on GF-Complete",
    .capability = &capability,
    .open_lane = open_lane,
    .close_lane = close_lane,
    .run = run,
};

const stripeline_plugin_table *stripeline_plugin(uint32_t abi_version) {
    /* The field 0x11d is set up at its first use, without a lock: use it while there is one thread. */
    return abi_version == STRIPELINE_PLUGIN_ABI && galois_single_multiply(1, 1, WORD_BITS) == 1 ? &table : NULL;
}
