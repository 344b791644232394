/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks libstripeline against the golden vectors: parity, checksums, every erasure of every case.
 * vectors/README.md describes the files. Needs cJSON (Debian: libcjson-dev).
 *
 *   check_vectors vectors/rs.json vectors/rs-legacy.json vectors/xor.json
 */
#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stripeline.h"

enum { UNITS_MAX = 256 };

static const char *file_name;
static int case_number;

/* Says where and what, and ends the program. */
static void fail(const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s, case %d: ", file_name, case_number);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void check(stripeline_status status)
{
    char text[256];
    if (status != STRIPELINE_OK) {
        stripeline_last_error(text, sizeof text);
        fail("%s (status %d)", text, (int)status);
    }
}

static void *allocate(size_t bytes)
{
    /* A byte more, since the allocation of 0 bytes may be null. */
    void *memory = calloc(bytes + 1, 1);
    if (memory == NULL)
        fail("no memory for %zu bytes", bytes);
    return memory;
}

static char *read_file(void)
{
    FILE *file = fopen(file_name, "rb");
    char *text;
    long bytes;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (bytes = ftell(file)) < 0)
        fail("cannot be read");
    rewind(file);
    text = allocate((size_t)bytes);
    if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
        fail("cannot be read");
    fclose(file);
    return text;
}

static const cJSON *field(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    if (value == NULL)
        fail("has no %s", name);
    return value;
}

static size_t number(const cJSON *value)
{
    if (!cJSON_IsNumber(value))
        fail("%s is not a number", value->string);
    return (size_t)value->valuedouble;
}

/* Reads hexadecimal digits; the result belongs to the caller. */
static uint8_t *bytes_of(const cJSON *value, size_t length)
{
    const char *digits = cJSON_GetStringValue(value);
    uint8_t *bytes = allocate(length);
    if (digits == NULL || strlen(digits) != 2 * length)
        fail("a string of %zu bytes is expected", length);
    for (size_t index = 0; index < length; index++) {
        unsigned byte;
        if (sscanf(digits + 2 * index, "%2x", &byte) != 1)
            fail("byte %zu is not hexadecimal", index);
        bytes[index] = (uint8_t)byte;
    }
    return bytes;
}

struct stripe {
    size_t data_units, parity_units, length;
    stripeline_codec *codec;
    uint8_t *units[UNITS_MAX];
};

static void expect(const uint8_t *found, const uint8_t *expected, size_t length, const char *what,
                   size_t unit)
{
    if (memcmp(found, expected, length) != 0)
        fail("%s: unit %zu differs", what, unit);
}

static void check_encode(const struct stripe *stripe)
{
    uint8_t *parity[UNITS_MAX];
    for (size_t unit = 0; unit < stripe->parity_units; unit++)
        parity[unit] = allocate(stripe->length);
    check(stripeline_encode(stripe->codec, (const uint8_t *const *)stripe->units, parity,
                            stripe->length));
    for (size_t unit = 0; unit < stripe->parity_units; unit++) {
        expect(parity[unit], stripe->units[stripe->data_units + unit], stripe->length, "encode",
               stripe->data_units + unit);
        free(parity[unit]);
    }
}

static void check_verify(struct stripe *stripe)
{
    const uint8_t *const *data = (const uint8_t *const *)stripe->units;
    const uint8_t *const *parity = data + stripe->data_units;
    uint8_t *last = stripe->units[stripe->data_units] + stripe->length - 1;
    bool sound = false;
    size_t parity_unit = 99, offset = 99;
    check(stripeline_verify(stripe->codec, data, parity, stripe->length, &sound, NULL, NULL));
    if (!sound)
        fail("verify: sound parity is refused");
    if (stripe->length == 0)
        return;
    *last ^= 1;
    check(stripeline_verify(stripe->codec, data, parity, stripe->length, &sound, &parity_unit,
                            &offset));
    *last ^= 1;
    if (sound || parity_unit != 0 || offset != stripe->length - 1)
        fail("verify: a wrong byte is found in parity %zu at %zu", parity_unit, offset);
}

static void check_checksums(const struct stripe *stripe, const cJSON *values, int kind,
                            size_t bytes_per_checksum)
{
    size_t count = stripe->data_units + stripe->parity_units;
    size_t per_unit = (stripe->length + bytes_per_checksum - 1) / bytes_per_checksum;
    uint32_t *sums = allocate(count * per_unit * sizeof *sums);
    uint8_t *parity[UNITS_MAX];
    for (size_t unit = 0; unit < stripe->parity_units; unit++)
        parity[unit] = allocate(stripe->length);
    check(stripeline_encode_with_checksums(stripe->codec, (const uint8_t *const *)stripe->units,
                                           parity, stripe->length, kind, bytes_per_checksum, sums));
    for (size_t unit = 0; unit < count; unit++) {
        uint8_t *expected = bytes_of(cJSON_GetArrayItem(values, (int)unit), 4 * per_unit);
        for (size_t chunk = 0; chunk < per_unit; chunk++) {
            const uint8_t *bytes = expected + 4 * chunk;
            uint32_t sum = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16
                | (uint32_t)bytes[2] << 8 | bytes[3];
            if (sums[unit * per_unit + chunk] != sum)
                fail("checksum kind %d: unit %zu, chunk %zu differs", kind, unit, chunk);
        }
        free(expected);
    }
    for (size_t unit = 0; unit < stripe->parity_units; unit++) {
        expect(parity[unit], stripe->units[stripe->data_units + unit], stripe->length,
               "encode with checksums", stripe->data_units + unit);
        free(parity[unit]);
    }
    free(sums);
}

static void check_erasure(const struct stripe *stripe, const cJSON *erasure)
{
    const uint8_t *units[UNITS_MAX];
    uint8_t *outputs[UNITS_MAX];
    uint32_t erased[UNITS_MAX];
    size_t count = 0;
    const cJSON *unit;
    for (size_t index = 0; index < stripe->data_units + stripe->parity_units; index++)
        units[index] = stripe->units[index];
    cJSON_ArrayForEach(unit, field(erasure, "absent")) units[number(unit)] = NULL;
    cJSON_ArrayForEach(unit, field(erasure, "erased"))
    {
        erased[count] = (uint32_t)number(unit);
        outputs[count++] = allocate(stripe->length);
    }
    check(stripeline_decode(stripe->codec, units, erased, count, outputs, stripe->length));
    for (size_t index = 0; index < count; index++) {
        expect(outputs[index], stripe->units[erased[index]], stripe->length, "decode",
               erased[index]);
        free(outputs[index]);
    }
}

static void check_case(int32_t code, const cJSON *value)
{
    struct stripe stripe = {
        .data_units = number(field(value, "data_units")),
        .parity_units = number(field(value, "parity_units")),
        .length = number(field(value, "length")),
    };
    size_t count = stripe.data_units + stripe.parity_units;
    size_t bytes_per_checksum = number(field(value, "bytes_per_checksum"));
    const cJSON *erasure;
    for (size_t unit = 0; unit < count; unit++) {
        bool is_data = unit < stripe.data_units;
        const cJSON *units = field(value, is_data ? "data" : "parity");
        size_t index = is_data ? unit : unit - stripe.data_units;
        stripe.units[unit] = bytes_of(cJSON_GetArrayItem(units, (int)index), stripe.length);
    }
    check(stripeline_codec_open(code, stripe.data_units, stripe.parity_units, &stripe.codec));
    check_encode(&stripe);
    check_verify(&stripe);
    check_checksums(&stripe, field(value, "crc32c"), STRIPELINE_CRC32C, bytes_per_checksum);
    check_checksums(&stripe, field(value, "crc32"), STRIPELINE_CRC32, bytes_per_checksum);
    cJSON_ArrayForEach(erasure, field(value, "erasures")) check_erasure(&stripe, erasure);
    stripeline_codec_close(stripe.codec);
    for (size_t unit = 0; unit < count; unit++)
        free(stripe.units[unit]);
}

static int32_t code_of(const char *name)
{
    if (name != NULL && strcmp(name, "rs") == 0)
        return STRIPELINE_RS;
    if (name != NULL && strcmp(name, "rs-legacy") == 0)
        return STRIPELINE_RS_LEGACY;
    if (name != NULL && strcmp(name, "xor") == 0)
        return STRIPELINE_XOR;
    fail("has no code that is known here");
    return -1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int argument = 1; argument < argc; argument++) {
        const cJSON *value;
        char *text;
        cJSON *json;
        int32_t code;
        file_name = argv[argument];
        case_number = 0;
        text = read_file();
        json = cJSON_Parse(text);
        if (json == NULL)
            fail("is not JSON");
        code = code_of(cJSON_GetStringValue(field(json, "code")));
        cJSON_ArrayForEach(value, field(json, "cases"))
        {
            case_number++;
            check_case(code, value);
        }
        if (case_number == 0)
            fail("has no cases");
        printf("%s: %d cases\n", file_name, case_number);
        cJSON_Delete(json);
        free(text);
    }
    return 0;
}
