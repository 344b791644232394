/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from crates/capi/src by cbindgen; change it there, then run
 * STRIPELINE_BLESS=1 cargo test -p stripeline-capi --test header */

/**
 * @file
 * Stripeline: the erasure codes of HDFS, computed on this machine's best vector instructions.
 *
 * A stripe has k data units and m parity units of one length in bytes, numbered 0..k-1 (data) and
 * k..k+m-1 (parity). Open a codec for one code and shape once, then call it from any number of
 * threads:
 *
 *     stripeline_codec *codec;
 *     if (stripeline_codec_open(STRIPELINE_RS, 6, 3, &codec) != STRIPELINE_OK) { ... }
 *     stripeline_status status = stripeline_encode(codec, data, parity, length);
 *
 * Every call checks what can be checked: a null pointer, a list that does not fit the codec, an
 * output that overlaps another buffer are refused with a status, and stripeline_last_error() has
 * the reason with its values. A refused call has written nothing. What cannot be checked is that
 * each pointer has `length` bytes behind it, and that a codec has not been closed: using a closed
 * codec is undefined behaviour, as using freed memory is.
 *
 * All buffers belong to the caller. Their alignment is free, their length may be 0, and calls
 * allocate no memory once a codec has seen the pattern of lost units.
 */

#ifndef STRIPELINE_H
#define STRIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of the interface that this header describes.
 */
#define STRIPELINE_ABI_VERSION 1

/**
 * What came of a call. Values are never reused; a program must treat a value that it does not know
 * as STRIPELINE_INTERNAL.
 */
enum stripeline_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Done.
     */
    STRIPELINE_OK = 0,
    /**
     * A bug in Stripeline; outputs may hold anything. Report it with the text of
     * stripeline_last_error().
     */
    STRIPELINE_INTERNAL = 1,
    /**
     * No codec has this code and shape: choose another number of data or parity units.
     */
    STRIPELINE_INVALID_PARAMETERS = 2,
    /**
     * A list has the wrong number of entries.
     */
    STRIPELINE_COUNT_MISMATCH = 3,
    /**
     * Units differ in length.
     */
    STRIPELINE_LENGTH_MISMATCH = 4,
    /**
     * More units are lost than the code repairs: read more units, or the data is gone.
     */
    STRIPELINE_TOO_MANY_ERASURES = 5,
    /**
     * The list of units to decode names a unit twice, or one that was given.
     */
    STRIPELINE_INVALID_ERASURE = 6,
    /**
     * A unit number is outside the stripe.
     */
    STRIPELINE_INVALID_UNIT = 7,
    /**
     * A checksum is of an unknown kind or covers 0 bytes.
     */
    STRIPELINE_INVALID_CHECKSUMS = 8,
    /**
     * A pointer that must point somewhere is null.
     */
    STRIPELINE_NULL_POINTER = 9,
    /**
     * An output shares bytes with another buffer of the call.
     */
    STRIPELINE_OVERLAP = 10,
    /**
     * A buffer runs past the end of the address space, or a checksum list is not aligned to 4
     * bytes.
     */
    STRIPELINE_INVALID_MEMORY = 11,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_status stripeline_status;
#else
typedef int32_t stripeline_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The erasure codes. Values are never reused.
 */
enum stripeline_code
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Reed-Solomon, k+m <= 256: the bytes of HDFS's `rs` and of ISA-L's gf_gen_cauchy1_matrix.
     */
    STRIPELINE_RS = 0,
    /**
     * Reed-Solomon, k+m <= 255: the bytes of HDFS's `rs-legacy`.
     */
    STRIPELINE_RS_LEGACY = 1,
    /**
     * One parity unit, the XOR of up to 255 data units: the bytes of HDFS's `xor`.
     */
    STRIPELINE_XOR = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_code stripeline_code;
#else
typedef int32_t stripeline_code;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The checksums that HDFS keeps per chunk of a unit. Values are never reused.
 */
enum stripeline_checksum
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * CRC-32C (Castagnoli), the default of HDFS.
     */
    STRIPELINE_CRC32C = 0,
    /**
     * CRC-32 as in zlib and gzip.
     */
    STRIPELINE_CRC32 = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_checksum stripeline_checksum;
#else
typedef int32_t stripeline_checksum;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * An erasure code of one shape. Opaque; any number of threads may use one codec at once.
 */
typedef struct stripeline_codec stripeline_codec;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a codec. Takes under a microsecond for a shape that the process has opened before: codecs
 * are shared, and a few hundred KiB at most are kept for each of the first 64 shapes of HDFS.
 *
 * @param code          a stripeline_code
 * @param data_units    k, at least 1
 * @param parity_units  m, at least 1, and exactly 1 for STRIPELINE_XOR; k+m at most 256, or 255
 *                      for STRIPELINE_RS_LEGACY
 * @param codec         receives the codec, to be closed by stripeline_codec_close(); NULL on
 *                      failure
 * @return              STRIPELINE_OK, STRIPELINE_INVALID_PARAMETERS, STRIPELINE_NULL_POINTER
 */
stripeline_status stripeline_codec_open(int32_t code,
                                        size_t data_units,
                                        size_t parity_units,
                                        struct stripeline_codec **codec);

/**
 * Closes a codec. No call may use it any more, also not one that runs on another thread.
 *
 * @param codec  a codec from stripeline_codec_open(), or NULL for nothing to do
 */
void stripeline_codec_close(struct stripeline_codec *codec);

/**
 * Computes all parity units from all data units.
 *
 * @param codec   k data units and m parity units
 * @param data    k buffers of `length` bytes; the same buffer may stand for several units
 * @param parity  m buffers of `length` bytes to write, each sharing no byte with any other buffer
 * @param length  the length of every unit in bytes; 0 does nothing
 * @return        STRIPELINE_OK, STRIPELINE_NULL_POINTER, STRIPELINE_OVERLAP,
 *                STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_encode(const struct stripeline_codec *codec,
                                    const uint8_t *const *data,
                                    uint8_t *const *parity,
                                    size_t length);

/**
 * Computes all parity units and, in the same pass over memory, a checksum per chunk of every unit.
 *
 * @param codec               k data units and m parity units
 * @param data                as stripeline_encode()
 * @param parity              as stripeline_encode()
 * @param length              the length of every unit in bytes; 0 does nothing
 * @param checksum            a stripeline_checksum
 * @param bytes_per_checksum  bytes of a chunk, at least 1 (dfs.bytes-per-checksum, 512 by
 *                            default); the last chunk of a unit may be short
 * @param sums                receives (k+m) * ceil(length / bytes_per_checksum) checksums: those
 *                            of unit 0, then those of unit 1, ..., parity last; aligned to 4
 *                            bytes, sharing no byte with any buffer
 * @return                    as stripeline_encode(), or STRIPELINE_INVALID_CHECKSUMS
 */
stripeline_status stripeline_encode_with_checksums(const struct stripeline_codec *codec,
                                                   const uint8_t *const *data,
                                                   uint8_t *const *parity,
                                                   size_t length,
                                                   int32_t checksum,
                                                   size_t bytes_per_checksum,
                                                   uint32_t *sums);

/**
 * Computes exactly the units asked for from those that are there.
 *
 * @param codec    k data units and m parity units
 * @param units    k+m buffers of `length` bytes, data first; NULL for a unit that is lost or was
 *                 not read. At least k must be there
 * @param erased   the numbers of the units to compute, in any order, each once and each NULL in
 *                 `units`
 * @param count    how many those are, at most m; 0 does nothing
 * @param outputs  `count` buffers of `length` bytes to write, in the order of `erased`, each
 *                 sharing no byte with any other buffer
 * @param length   the length of every unit in bytes; 0 does nothing
 * @return         STRIPELINE_OK, STRIPELINE_TOO_MANY_ERASURES, STRIPELINE_INVALID_ERASURE,
 *                 STRIPELINE_INVALID_UNIT, STRIPELINE_NULL_POINTER, STRIPELINE_OVERLAP,
 *                 STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_decode(const struct stripeline_codec *codec,
                                    const uint8_t *const *units,
                                    const uint32_t *erased,
                                    size_t count,
                                    uint8_t *const *outputs,
                                    size_t length);

/**
 * Tells whether the parity units are those of the data units.
 *
 * @param codec        k data units and m parity units
 * @param data         k buffers of `length` bytes
 * @param parity       m buffers of `length` bytes
 * @param length       the length of every unit in bytes; units of 0 bytes are sound
 * @param sound        receives whether every parity byte is what the data gives
 * @param parity_unit  receives, if not sound, the lowest parity unit (0..m-1) that differs at
 *                     `offset`. Which unit is wrong cannot be told: it may be any data unit. May
 *                     be NULL
 * @param offset       receives, if not sound, the first byte at which any parity unit differs. May
 *                     be NULL
 * @return             STRIPELINE_OK also if not sound, STRIPELINE_NULL_POINTER,
 *                     STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_verify(const struct stripeline_codec *codec,
                                    const uint8_t *const *data,
                                    const uint8_t *const *parity,
                                    size_t length,
                                    bool *sound,
                                    size_t *parity_unit,
                                    size_t *offset);

/**
 * Changes all parity units in place after one data unit changed, without reading the other data
 * units.
 *
 * @param codec      k data units and m parity units
 * @param data_unit  the number of the data unit that changed, 0..k-1
 * @param old_data   `length` bytes that the unit held
 * @param new_data   `length` bytes that it holds now
 * @param parity     m buffers of `length` bytes to change, each sharing no byte with any other
 *                   buffer
 * @param length     the length of every buffer in bytes, which may be a part of a unit; 0 does
 *                   nothing
 * @return           STRIPELINE_OK, STRIPELINE_INVALID_UNIT, STRIPELINE_NULL_POINTER,
 *                   STRIPELINE_OVERLAP, STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_update(const struct stripeline_codec *codec,
                                    size_t data_unit,
                                    const uint8_t *old_data,
                                    const uint8_t *new_data,
                                    uint8_t *const *parity,
                                    size_t length);

/**
 * The version of the interface that the library implements. A program runs with a library whose
 * version is that of its header, STRIPELINE_ABI_VERSION, or above: functions are added, never
 * changed.
 */
uint32_t stripeline_abi_version(void);

/**
 * Copies the reason of the last call on this thread that did not return STRIPELINE_OK.
 *
 * The text reads `Cannot <verb> <object>: <reason with values>` in UTF-8; it is empty before the
 * first such call and stays until the next.
 *
 * @param text  where to copy it, always ended by a NUL; may be NULL if size is 0
 * @param size  room at `text` in bytes; a longer text is cut off
 * @return      the length of the whole text in bytes without the NUL
 */
size_t stripeline_last_error(char *text, size_t size);

/**
 * Describes the library as a JSON object: `version`, `abi`, `architecture`, `isa` (the active
 * instruction set), `selection` (`detected`, `forced` by the environment variable STRIPELINE_ISA,
 * or `refused: <why>`), `features` (the CPU features that matter here and this machine has).
 *
 * @param text  where to copy it, always ended by a NUL; may be NULL if size is 0
 * @param size  room at `text` in bytes; a longer text is cut off
 * @return      the length of the whole text in bytes without the NUL; 0 if there is none because
 *              of a bug, which stripeline_last_error() then names
 */
size_t stripeline_describe(char *text, size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STRIPELINE_H */
