/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes a text with 6 data and 3 parity units, loses up to three of the nine, gets the text back.
 *
 *   cc -I crates/capi/include examples/c/recover.c \
 *     -L build/native/linux-x86_64 -lstripeline -o recover
 *   LD_LIBRARY_PATH=build/native/linux-x86_64 ./recover 0 4 7
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stripeline.h"

enum { K = 6, M = 3, CELL = 32 };

static const char TEXT[] =
    "Erasure coding keeps data through the loss of disks for half the space of a copy: nine units, "
    "of which any six are enough to compute the other three, whichever they are.";

/* Ends the program unless a call was successful. */
static void check(stripeline_status status)
{
    if (status != STRIPELINE_OK) {
        char text[256];
        stripeline_last_error(text, sizeof text);
        fprintf(stderr, "%s (status %d)\n", text, (int)status);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static uint8_t units[K + M][CELL], spare[CELL];
    const uint8_t *data[K], *present[K + M];
    uint8_t *parity[M], *outputs[M];
    uint32_t erased[M];
    size_t count = 0;
    stripeline_codec *codec;

    if (stripeline_abi_version() < STRIPELINE_ABI_VERSION) {
        fprintf(stderr, "libstripeline is older than stripeline.h\n");
        return 1;
    }
    if (argc < 2 || argc > 1 + M) {
        fprintf(stderr, "usage: %s UNIT [UNIT [UNIT]]   the units to lose, 0 to %d\n", argv[0],
                K + M - 1);
        return 2;
    }

    /* Encode. */
    memcpy(units, TEXT, sizeof TEXT);
    for (int unit = 0; unit < K; unit++)
        data[unit] = units[unit];
    for (int unit = 0; unit < M; unit++)
        parity[unit] = units[K + unit];
    check(stripeline_codec_open(STRIPELINE_RS, K, M, &codec));
    check(stripeline_encode(codec, data, parity, CELL));

    /* Lose. */
    for (int unit = 0; unit < K + M; unit++)
        present[unit] = units[unit];
    for (int argument = 1; argument < argc; argument++) {
        unsigned long unit = strtoul(argv[argument], NULL, 10);
        erased[count++] = (uint32_t)unit;
        if (unit < K + M) {
            memset(units[unit], '?', CELL);
            present[unit] = NULL;
        }
    }
    printf("lost:      %.*s\n", (int)sizeof TEXT, (const char *)units);

    /* Decode to where the lost units were. A wrong number is the library's to refuse. */
    for (size_t index = 0; index < count; index++)
        outputs[index] = erased[index] < K + M ? units[erased[index]] : spare;
    check(stripeline_decode(codec, present, erased, count, outputs, CELL));
    printf("recovered: %.*s\n", (int)sizeof TEXT, (const char *)units);
    stripeline_codec_close(codec);

    return memcmp(units, TEXT, sizeof TEXT) == 0 ? 0 : 1;
}
