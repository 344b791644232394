/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of ABI version 1: compiled with the header of that version, run with the library of
 * today. It calls every function of version 1 and looks at what came back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stripeline-1.h"

enum { K = 4, M = 2, LENGTH = 1000, CHUNK = 512, CHUNKS = 2 };

static void expect(int is_right, const char *what)
{
    if (!is_right) {
        char text[256];
        stripeline_last_error(text, sizeof text);
        fprintf(stderr, "%s: %s\n", what, text);
        exit(1);
    }
}

/* Every status of version 1 keeps its value. */
static void check_values(void)
{
    expect(STRIPELINE_ABI_VERSION == 1, "the header is that of version 1");
    expect(stripeline_abi_version() >= 1, "the library serves version 1");
    expect(STRIPELINE_OK == 0 && STRIPELINE_INVALID_MEMORY == 11, "the statuses of version 1");
}

static void check_refusals(void)
{
    stripeline_codec *codec;
    char text[100];
    const char *unknown =
        "Cannot open a codec: code is 9, known are 0 (rs), 1 (rs-legacy) and 2 (xor)";
    expect(stripeline_codec_open(9, K, M, &codec) == STRIPELINE_INVALID_PARAMETERS, "code 9");
    expect(stripeline_last_error(text, sizeof text) == strlen(unknown), "the length of a text");
    expect(strcmp(text, unknown) == 0, "the text");
    expect(stripeline_codec_open(STRIPELINE_RS, K, M, NULL) == STRIPELINE_NULL_POINTER, "NULL");
    stripeline_codec_close(NULL);
}

int main(void)
{
    static uint8_t units[K + M][LENGTH], spare[M][LENGTH], changed[LENGTH];
    const uint8_t *data[K], *parity_read[M], *present[K + M];
    uint8_t *parity[M], *outputs[M];
    const uint32_t erased[M] = {1, 4};
    uint32_t sums[(K + M) * CHUNKS] = {0};
    char description[4096];
    size_t parity_unit = 9, offset = 0;
    bool sound = false;
    stripeline_codec *codec;

    check_values();
    check_refusals();
    for (int unit = 0; unit < K; unit++) {
        data[unit] = units[unit];
        for (size_t at = 0; at < LENGTH; at++)
            units[unit][at] = (uint8_t)(unit * 91 + at * 3);
    }
    for (int unit = 0; unit < M; unit++) {
        parity[unit] = units[K + unit];
        parity_read[unit] = units[K + unit];
        outputs[unit] = spare[unit];
    }
    expect(stripeline_codec_open(STRIPELINE_RS, K, M, &codec) == STRIPELINE_OK, "open");
    expect(stripeline_encode(codec, data, parity, LENGTH) == STRIPELINE_OK, "encode");
    expect(stripeline_encode_with_checksums(codec, data, parity, LENGTH, STRIPELINE_CRC32C, CHUNK,
                                            sums) == STRIPELINE_OK, "encode with checksums");
    expect(sums[0] != 0 && sums[(K + M) * CHUNKS - 1] != 0, "checksums");

    for (int unit = 0; unit < K + M; unit++)
        present[unit] = units[unit];
    present[erased[0]] = present[erased[1]] = NULL;
    expect(stripeline_decode(codec, present, erased, M, outputs, LENGTH) == STRIPELINE_OK, "decode");
    for (int lost = 0; lost < M; lost++)
        expect(memcmp(spare[lost], units[erased[lost]], LENGTH) == 0, "decoded bytes");

    memset(changed, 7, LENGTH);
    expect(stripeline_update(codec, 2, units[2], changed, parity, LENGTH) == STRIPELINE_OK, "update");
    memcpy(units[2], changed, LENGTH);
    expect(stripeline_verify(codec, data, parity_read, LENGTH, &sound, NULL, NULL) == STRIPELINE_OK
               && sound, "verify");
    units[K + 1][77] ^= 1;
    expect(stripeline_verify(codec, data, parity_read, LENGTH, &sound, &parity_unit, &offset)
               == STRIPELINE_OK && !sound && parity_unit == 1 && offset == 77, "a wrong byte");

    expect(stripeline_describe(description, sizeof description) > 0, "describe");
    expect(strstr(description, "\"isa\":") != NULL, "the description");
    stripeline_codec_close(codec);
    puts("a program of ABI version 1 runs");
    return 0;
}
