/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from crates/capi/src by cbindgen; change it there, then run
 * STRIPELINE_BLESS=1 cargo test -p stripeline-capi --test header */

/**
 * @file
 * Stripeline: the erasure codes of HDFS, computed with the fastest vector instructions of the
 * machine.
 *
 * A stripe has k data units and m parity units of one length in bytes, numbered 0..k-1 (data) and
 * k..k+m-1 (parity). Open a codec for one code and shape once, then call it from any number of
 * threads:
 *
 *     stripeline_codec *codec;
 *     if (stripeline_codec_open(STRIPELINE_RS, 6, 3, &codec) != STRIPELINE_OK) { ... }
 *     stripeline_status status = stripeline_encode(codec, data, parity, length);
 *
 * Every call checks its arguments: a null pointer, a list that does not fit the codec and an output
 * that overlaps another buffer are refused with a status, and stripeline_last_error() returns the
 * reason with the values. A refused call has written nothing. Two things cannot be checked: that
 * each pointer points to `length` bytes, and that a handle has not been closed or released.
 * Violating either is undefined behaviour.
 *
 * A calling thread needs 128 KiB of stack. During a call it must not be cancelled
 * (pthread_cancel()) or leave the call by longjmp(), which may abort the process. The process is
 * also aborted if a call cannot allocate memory for itself.
 *
 * All buffers belong to the caller. They may have any alignment, and their length may be 0;
 * stripeline_pinned_allocate() allocates memory that GPUs access in place. Calls on a codec without
 * an engine allocate memory only for a new pattern of lost units, for the first update of a data
 * unit, for the first verification on a thread, and to locate wrong blocks.
 *
 * An engine codes on all devices of the machine, asynchronously if requested:
 *
 *     stripeline_engine *engine;
 *     stripeline_future *future;
 *     stripeline_matrix data = {.size = sizeof data, .units = units, .count = 6};
 *     stripeline_matrix parity = {.size = sizeof parity, .units = units + 6, .count = 3};
 *     status = stripeline_engine_open("rails=auto", &engine);
 *     status = stripeline_iencode(engine, codec, &data, &parity, length, NULL, &future);
 *     ...
 *     status = stripeline_future_wait(future, -1);
 *     stripeline_future_release(future);
 *
 * The buffers of such a call belong to it until its future reports that the task has ended.
 */

#ifndef STRIPELINE_H
#define STRIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of the interface that this header describes.
 */
#define STRIPELINE_ABI_VERSION 3

/**
 * Buckets of a histogram: bucket b counts times from 2^b to 2^(b+1) - 1 nanoseconds, the last also
 * all longer ones.
 */
#define STRIPELINE_BUCKETS 36

/**
 * The size of the name of a rail in bytes, with the NUL; a longer name is truncated.
 */
#define STRIPELINE_RAIL_NAME 64

/**
 * In the flags of a request: `event_fd` is a descriptor even if it is 0.
 */
#define STRIPELINE_REQUEST_EVENT_FD 1

/**
 * The outcome of a call. Values are never reused; a program must treat an unknown value as
 * STRIPELINE_INTERNAL.
 */
enum stripeline_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Success.
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
     * A pointer that must not be null is null.
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
    /**
     * An argument has a value that is not allowed, or a structure does not have the size in its
     * `size` field.
     */
    STRIPELINE_INVALID_ARGUMENT = 12,
    /**
     * The task has not ended yet. Not an error: stripeline_last_error() stays as it was.
     */
    STRIPELINE_PENDING = 13,
    /**
     * The maximum number of tasks is outstanding: wait for one, or configure the engine to wait.
     */
    STRIPELINE_BUSY = 14,
    /**
     * The task was cancelled.
     */
    STRIPELINE_CANCELLED = 15,
    /**
     * The deadline of the task passed before it was done.
     */
    STRIPELINE_DEADLINE_EXCEEDED = 16,
    /**
     * No rail takes such a task, or every rail that does has failed: stripeline_engine_describe()
     * lists the rails that are out of service, with reasons.
     */
    STRIPELINE_NO_RAIL = 17,
    /**
     * A rail failed while it was changing the outputs in place, so the operation cannot be
     * repeated: encode the stripe again.
     */
    STRIPELINE_RAIL_FAILED = 18,
    /**
     * The engine was closed before the task was done, or belongs to the process that forked
     * this one.
     */
    STRIPELINE_CLOSED = 19,
    /**
     * The engine cannot be started as configured.
     */
    STRIPELINE_CONFIGURATION = 20,
    /**
     * The system, or the driver of a device, has not as much memory as was requested.
     */
    STRIPELINE_OUT_OF_MEMORY = 21,
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
 * What stripeline_locate() concludes. Values are never reused.
 */
enum stripeline_location
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * All fingerprints given belong to one stripe.
     */
    STRIPELINE_CONSISTENT = 0,
    /**
     * The units listed are wrong and all others that were given are right, provided that at most
     * (m-s)/2 units, rounded down, are wrong, where s units are missing.
     */
    STRIPELINE_LOCATED = 1,
    /**
     * Units are wrong, but the fingerprints do not show which. The units listed are advice only.
     */
    STRIPELINE_UNLOCATED = 2,
    /**
     * At most k fingerprints were given, and any k belong to some stripe: nothing was checked.
     */
    STRIPELINE_UNCHECKED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_location stripeline_location;
#else
typedef int32_t stripeline_location;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kinds of memory that hold units. Values are never reused.
 */
enum stripeline_memory
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Ordinary memory of the process.
     */
    STRIPELINE_HOST = 0,
    /**
     * Memory of the process that is locked and registered with a device's driver: from
     * stripeline_pinned_allocate(), or registered by the program.
     */
    STRIPELINE_HOST_PINNED = 1,
    /**
     * Memory of a device, which only its own rail reads and writes.
     */
    STRIPELINE_DEVICE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_memory stripeline_memory;
#else
typedef int32_t stripeline_memory;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The order in which tasks run. Values are never reused.
 */
enum stripeline_priority
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A caller waits for the result.
     */
    STRIPELINE_FOREGROUND = 0,
    /**
     * Repair and scrubbing: started only while no foreground task waits.
     */
    STRIPELINE_BACKGROUND = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_priority stripeline_priority;
#else
typedef int32_t stripeline_priority;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Kinds of events. Values are never reused; later versions may add some.
 */
enum stripeline_event_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A kind that this version of the interface has no name for.
     */
    STRIPELINE_EVENT_OTHER = 0,
    /**
     * A rail failed or did not answer and receives no tasks for some time.
     */
    STRIPELINE_EVENT_QUARANTINED = 1,
    /**
     * A rail wrote wrong bytes; the stripe was computed again.
     */
    STRIPELINE_EVENT_WRONG_BYTES = 2,
    /**
     * A rail computes correct results again.
     */
    STRIPELINE_EVENT_RESTORED = 3,
    /**
     * A rail that was found or named cannot be used: its results were wrong or it does not load.
     */
    STRIPELINE_EVENT_LEFT_OUT = 4,
    /**
     * CPUs are not shared with the other processes of the node: this process applies only its own
     * limit.
     */
    STRIPELINE_EVENT_ALONE = 5,
    /**
     * CPUs are shared with the other processes of the node again.
     */
    STRIPELINE_EVENT_SHARED = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum stripeline_event_kind stripeline_event_kind;
#else
typedef int32_t stripeline_event_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * An erasure code of one shape. Opaque; any number of threads may use one codec at the same time.
 */
typedef struct stripeline_codec stripeline_codec;

/**
 * An asynchronous coder over all coding devices (rails) of a machine. Opaque; any number of
 * threads may use one engine at the same time.
 */
typedef struct stripeline_engine stripeline_engine;

/**
 * The fingerprint of one window of a block at a time. Opaque; only one thread at a time may use
 * it.
 *
 * A fingerprint is a number of sums (1 to 4) of the 64-byte rows of a window, weighted by
 * coefficients that a seed determines: 64 bytes per sum. Fingerprints are linear, so those of the
 * parity blocks follow from those of the data blocks as parity does from data. All blocks that are
 * compared need the same seed, number of sums and window; draw the seed at random for each pass
 * over the blocks.
 */
typedef struct stripeline_fingerprint stripeline_fingerprint;

/**
 * The future result of a task. Opaque; any number of threads may test, wait for and cancel one
 * future at the same time. It stays valid after its engine is closed.
 */
typedef struct stripeline_future stripeline_future;

/**
 * An event for operators. It is valid until the listener returns.
 */
typedef struct stripeline_event {
    /**
     * How many bytes of this structure the library has filled.
     */
    size_t size;
    /**
     * A stripeline_event_kind.
     */
    int32_t kind;
    /**
     * The name of the rail concerned, in UTF-8, or `node`.
     */
    const char *rail;
    /**
     * One line for a log, in UTF-8.
     */
    const char *text;
} stripeline_event;

/**
 * Receives events, on the thread that detected them, possibly on several threads at the same time.
 * It must return quickly, must not close the engine and must not throw.
 *
 * @param context  as given to stripeline_engine_open_with_listener()
 * @param event    what happened
 */
typedef void (*stripeline_listener)(void *context, const struct stripeline_event *event);

/**
 * The counters of one rail since its engine was opened, in pieces of tasks. Set `size` before the
 * call:
 *
 * ```c
 * stripeline_rail_statistics rail = {.size = sizeof rail};
 * ```
 */
typedef struct stripeline_rail_statistics {
    /**
     * sizeof(stripeline_rail_statistics), which tells the library the fields that the program
     * knows.
     */
    size_t size;
    /**
     * The name, terminated by a NUL.
     */
    char name[STRIPELINE_RAIL_NAME];
    /**
     * 1 if it is in service, 0 if not; stripeline_engine_describe() returns the reason.
     */
    uint64_t in_service;
    /**
     * 1 if it gets work, 0 if the total is higher without it.
     */
    uint64_t active;
    /**
     * The estimated rate in bytes of data a second.
     */
    uint64_t rate;
    /**
     * Entries in its queues.
     */
    uint64_t queued;
    /**
     * Pieces done.
     */
    uint64_t pieces;
    /**
     * Bytes of data (inputs) of these pieces.
     */
    uint64_t data_bytes;
    /**
     * Nanoseconds that its threads were busy, summed over threads. This and the two histograms are
     * without calls that coded at once, see stripeline_engine_encode().
     */
    uint64_t busy_ns;
    /**
     * CPU time of its threads in nanoseconds, without waiting threads that helped.
     */
    uint64_t cpu_ns;
    /**
     * The number of times that one of its threads woke up.
     */
    uint64_t wake_ups;
    /**
     * Pieces taken from the queues of other rails.
     */
    uint64_t stolen;
    /**
     * Pieces that it failed.
     */
    uint64_t faults;
    /**
     * Pieces taken away because it did not answer.
     */
    uint64_t revoked;
    /**
     * How often it was taken out of service.
     */
    uint64_t quarantines;
    /**
     * Pieces that it compared for other rails.
     */
    uint64_t checks;
    /**
     * Pieces whose bytes were wrong, or whose comparison gave a wrong result.
     */
    uint64_t wrong;
    /**
     * Histogram of the times from issue to start of tasks; see STRIPELINE_BUCKETS.
     */
    uint64_t waits[STRIPELINE_BUCKETS];
    /**
     * Histogram of the times from start to end of pieces; see STRIPELINE_BUCKETS.
     */
    uint64_t services[STRIPELINE_BUCKETS];
} stripeline_rail_statistics;

/**
 * The units of one side of a call: either `base` and `stride`, or `units`.
 *
 * Set everything to 0 and then the fields that are needed:
 *
 * ```c
 * stripeline_matrix data = {.size = sizeof data, .units = pointers, .count = 6};
 * stripeline_matrix parity = {.size = sizeof parity, .base = memory, .stride = 65536,
 *                             .count = 3};
 * ```
 *
 * Units that a call reads are never written: casting `const` away is safe for them.
 */
typedef struct stripeline_matrix {
    /**
     * sizeof(stripeline_matrix), which tells the library the fields that the program knows.
     */
    size_t size;
    /**
     * The start of the first unit; ignored if `units` is given.
     */
    uint8_t *base;
    /**
     * The distance between the starts of consecutive units in bytes.
     */
    size_t stride;
    /**
     * The start of each unit; NULL if `base` is given. The list is read before the call returns.
     */
    uint8_t *const *units;
    /**
     * The number of units.
     */
    size_t count;
    /**
     * A stripeline_memory: the kind of memory of all units.
     */
    int32_t memory;
    /**
     * For STRIPELINE_DEVICE the number of the device, as its driver counts devices; else 0.
     */
    uint32_t device;
} stripeline_matrix;

/**
 * Called once when a task has ended, before a wait for its future returns; never after the engine
 * was closed.
 *
 * It runs on the thread that ended the task: a thread of the engine; a thread that codes while it
 * waits for another task or for room; the thread that cancels the task or closes the engine; or
 * the thread that issues it, for units of 0 bytes or if no rail is in service. A callback must not
 * take a lock that such a thread may hold. If a callback ends other tasks, their callbacks run on
 * the same thread after it.
 *
 * It must return quickly, must not wait for a future, close an engine or throw. It may issue tasks
 * if the engine refuses tasks when it is full (`when-full=refuse`), and may release its future,
 * which is stored before the callback runs. If the task failed, stripeline_last_error() returns
 * the reason while the callback runs; afterwards the thread has its previous text.
 *
 * @param context  as in the request
 * @param status   how the task ended
 */
typedef void (*stripeline_callback)(void *context, stripeline_status status);

/**
 * The options of one task. Set everything to 0 and then the fields that are needed:
 *
 * ```c
 * stripeline_request request = {.size = sizeof request, .deadline_ns = 50000000};
 * ```
 */
typedef struct stripeline_request {
    /**
     * sizeof(stripeline_request), which tells the library the fields that the program knows.
     */
    size_t size;
    /**
     * A stripeline_priority.
     */
    int32_t priority;
    /**
     * For a non-blocking call: an eventfd to which 8 bytes, the number 1, are written when the
     * task has ended, before a wait for its future returns; it must stay open until then, or until
     * the engine is closed. 0 for none, unless `flags` has STRIPELINE_REQUEST_EVENT_FD.
     */
    int32_t event_fd;
    /**
     * The time limit of the task in nanoseconds from the call; 0 for none. At the deadline, pieces
     * that a rail is working on are finished before the task ends. Deadlines are checked every 5
     * milliseconds.
     */
    uint64_t deadline_ns;
    /**
     * For a non-blocking call: called when the task has ended; NULL for none.
     */
    stripeline_callback callback;
    /**
     * Passed to `callback`.
     */
    void *context;
    /**
     * STRIPELINE_REQUEST_EVENT_FD or 0.
     */
    uint64_t flags;
} stripeline_request;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a codec. Takes less than a microsecond for a shape that the process has opened before: the
 * first 64 shapes are shared and kept until the process ends, each with typically a few KiB, at
 * most 2.1 MiB for a shape of HDFS and 10 MiB for any other.
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
 * Closes a codec. No call may use it any more, including calls in progress on other threads.
 *
 * @param codec  a codec from stripeline_codec_open(), or NULL, which does nothing
 */
void stripeline_codec_close(struct stripeline_codec *codec);

/**
 * Computes all parity units from all data units.
 *
 * @param codec   k data units and m parity units
 * @param data    k buffers of `length` bytes; the same buffer may be used for several units
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
 * Computes exactly the requested units from those that are present.
 *
 * @param codec    k data units and m parity units
 * @param units    k+m buffers of `length` bytes, data first; NULL for a unit that is lost or was
 *                 not read. At least k must be present
 * @param erased   the numbers of the units to compute, in any order, each once and each NULL in
 *                 `units`
 * @param count    the number of entries of `erased`, at most m; 0 does nothing
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
 * Returns whether the parity units match the data units.
 *
 * @param codec        k data units and m parity units
 * @param data         k buffers of `length` bytes
 * @param parity       m buffers of `length` bytes
 * @param length       the length of every unit in bytes; units of 0 bytes are sound
 * @param sound        receives whether every parity byte matches the data
 * @param parity_unit  receives, if not sound, the lowest parity unit (0..m-1) that differs at
 *                     `offset`. It does not show which unit is wrong: that may be any data unit.
 *                     May be NULL
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
 * Updates all parity units in place after one data unit changed, without reading the other data
 * units.
 *
 * @param codec      k data units and m parity units
 * @param data_unit  the number of the data unit that changed, 0..k-1
 * @param old_data   the `length` old bytes of the unit
 * @param new_data   the `length` new bytes of the unit
 * @param parity     m buffers of `length` bytes to update, each sharing no byte with any other
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
 * Opens a fingerprint at the beginning of a window. Takes about a millisecond; one fingerprint
 * serves for any number of windows and blocks, one after another.
 *
 * @param seed          determines the coefficients
 * @param sums          the number of sums t, 1 to 4, 2 if in doubt. A wrong column of 64 is missed
 *                      with a probability of about 2^-8t; with t >= 2, rows that are exchanged or
 *                      damaged in the same way are never missed
 * @param window_bytes  the bytes that a fingerprint covers, a multiple of 64 up to 2 MiB, 1 MiB if
 *                      in doubt
 * @param fingerprint   receives the fingerprint, to be closed by stripeline_fingerprint_close();
 *                      NULL on failure
 * @return              STRIPELINE_OK, STRIPELINE_INVALID_PARAMETERS, STRIPELINE_NULL_POINTER
 */
stripeline_status stripeline_fingerprint_open(uint64_t seed,
                                              size_t sums,
                                              size_t window_bytes,
                                              struct stripeline_fingerprint **fingerprint);

/**
 * Closes a fingerprint. No call may use it any more.
 *
 * @param fingerprint  from stripeline_fingerprint_open(), or NULL, which does nothing
 */
void stripeline_fingerprint_close(struct stripeline_fingerprint *fingerprint);

/**
 * Adds the next bytes of the window.
 *
 * @param fingerprint  the fingerprint
 * @param bytes        `length` bytes of a block, in pieces of any length
 * @param length       at most what the window still takes; 0 does nothing
 * @return             STRIPELINE_OK, STRIPELINE_LENGTH_MISMATCH for more bytes than the window
 *                     takes, STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_fingerprint_update(struct stripeline_fingerprint *fingerprint,
                                                const uint8_t *bytes,
                                                size_t length);

/**
 * As stripeline_fingerprint_update(), and computes a checksum per chunk in the same pass over
 * memory.
 *
 * @param fingerprint         the fingerprint
 * @param bytes               `length` bytes of a block, which begin with a chunk; the last chunk
 *                            may be short
 * @param length              at most what the window still takes; 0 does nothing
 * @param checksum            a stripeline_checksum
 * @param bytes_per_checksum  bytes of a chunk, at least 1 (dfs.bytes-per-checksum, 512 by
 *                            default). For chunks not to cross windows, the window must be a
 *                            multiple of it
 * @param sums                receives ceil(length / bytes_per_checksum) checksums; aligned to 4
 *                            bytes, sharing no byte with `bytes`
 * @return                    as stripeline_fingerprint_update(), or STRIPELINE_INVALID_CHECKSUMS,
 *                            STRIPELINE_OVERLAP
 */
stripeline_status stripeline_fingerprint_update_with_checksums(struct stripeline_fingerprint *fingerprint,
                                                               const uint8_t *bytes,
                                                               size_t length,
                                                               int32_t checksum,
                                                               size_t bytes_per_checksum,
                                                               uint32_t *sums);

/**
 * As stripeline_fingerprint_update_with_checksums(), but compares the checksums.
 *
 * All bytes are added also if a checksum differs, so that the fingerprint shows whether the bytes
 * are wrong or the checksum.
 *
 * @param fingerprint         the fingerprint
 * @param bytes               as stripeline_fingerprint_update_with_checksums()
 * @param length              as stripeline_fingerprint_update_with_checksums()
 * @param checksum            a stripeline_checksum
 * @param bytes_per_checksum  as stripeline_fingerprint_update_with_checksums()
 * @param expected            ceil(length / bytes_per_checksum) checksums, aligned to 4 bytes, as
 *                            numbers of this machine (HDFS stores them most significant byte
 *                            first)
 * @param mismatch            receives the number of the first chunk whose checksum differs, or
 *                            SIZE_MAX if none does
 * @return                    as stripeline_fingerprint_update_with_checksums(), STRIPELINE_OK also
 *                            if a checksum differs
 */
stripeline_status stripeline_fingerprint_update_verifying(struct stripeline_fingerprint *fingerprint,
                                                          const uint8_t *bytes,
                                                          size_t length,
                                                          int32_t checksum,
                                                          size_t bytes_per_checksum,
                                                          const uint32_t *expected,
                                                          size_t *mismatch);

/**
 * Returns the fingerprint of the bytes since the beginning of the window, and begins another
 * window.
 *
 * Windows begin at multiples of the window's length in every block, so that those of the blocks of
 * a group correspond. The last window of a block may be short: missing bytes count as zeros. The
 * fingerprint of a window past the end of a block is all zeros.
 *
 * @param fingerprint  the fingerprint
 * @param bytes        receives the fingerprint
 * @param length       the size of `bytes`, which must be 64 times the number of sums
 * @return             STRIPELINE_OK, STRIPELINE_LENGTH_MISMATCH, STRIPELINE_NULL_POINTER,
 *                     STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_fingerprint_take(struct stripeline_fingerprint *fingerprint,
                                              uint8_t *bytes,
                                              size_t length);

/**
 * Finds the wrong units of a stripe from the fingerprints of all its units.
 *
 * With s units missing and e wrong, e >= 1, the result is STRIPELINE_LOCATED with exactly the
 * wrong units for 2e + s <= m. For more wrong units it is STRIPELINE_UNLOCATED, unless their
 * damage equals what fewer wrong units could have caused. One parity unit, as of STRIPELINE_XOR,
 * detects one wrong unit and locates none. For s >= m it is STRIPELINE_UNCHECKED. For k+m > 16
 * damage that is the same in many units may be reported as STRIPELINE_UNLOCATED, because the
 * search for it, which takes a second at most, is given up.
 *
 * @param codec         k data units and m parity units
 * @param fingerprints  k+m fingerprints of `length` bytes, data first, all of one window and made
 *                      with one seed, number of sums and window length; NULL for a unit that is
 *                      missing or could not be read. A block that ends before the window is not
 *                      missing: its fingerprint is all zeros
 * @param length        the length of every fingerprint, at least 1
 * @param location      receives a stripeline_location
 * @param units         receives unit numbers in ascending order; has room for k+m. For
 *                      STRIPELINE_LOCATED these are the wrong units. For STRIPELINE_UNLOCATED they
 *                      are advice only: the units of all sets of `wrong_min` units that would
 *                      explain the fingerprints, or none if every set of that size would, or if
 *                      the search was given up
 * @param count         receives the number of entries of `units`
 * @param wrong_min     receives the least number of wrong units: 0 for STRIPELINE_CONSISTENT and
 *                      STRIPELINE_UNCHECKED. May be NULL
 * @return              STRIPELINE_OK, STRIPELINE_LENGTH_MISMATCH if `length` is 0,
 *                      STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_MEMORY
 */
stripeline_status stripeline_locate(const struct stripeline_codec *codec,
                                    const uint8_t *const *fingerprints,
                                    size_t length,
                                    int32_t *location,
                                    uint32_t *units,
                                    size_t *count,
                                    size_t *wrong_min);

/**
 * The version of the interface that the library implements. A program runs with a library whose
 * version is at least that of its header, STRIPELINE_ABI_VERSION: functions are added, never
 * changed.
 */
uint32_t stripeline_abi_version(void);

/**
 * Returns the name of a status, such as `STRIPELINE_BUSY`, for logs.
 *
 * @param status  any number
 * @return        a text that is never freed; `unknown status` for a value that this version of
 *                the library does not know
 */
const char *stripeline_status_name(int32_t status);

/**
 * Copies the error message of the last call on this thread that returned neither STRIPELINE_OK nor
 * STRIPELINE_PENDING.
 *
 * The text reads `Cannot <verb> <object>: <reason with values>` in UTF-8; it is empty before the
 * first such call and does not change until the next.
 *
 * @param text  the destination, always terminated by a NUL; may be NULL if size is 0
 * @param size  the size of `text` in bytes; a longer text is truncated
 * @return      the length of the whole text in bytes without the NUL
 */
size_t stripeline_last_error(char *text, size_t size);

/**
 * Describes the library as a JSON object: `version`, `abi`, `architecture`, `isa` (the active
 * instruction set), `selection` (`detected`, `forced` by the environment variable STRIPELINE_ISA,
 * or `refused: <why>`), `features` (the CPU features of this machine that the library can use).
 *
 * @param text  the destination, always terminated by a NUL; may be NULL if size is 0
 * @param size  the size of `text` in bytes; a longer text is truncated
 * @return      the length of the whole text in bytes without the NUL; 0 on failure because of a
 *              bug, which stripeline_last_error() then describes
 */
size_t stripeline_describe(char *text, size_t size);

/**
 * Opens an engine, which starts a few threads. One engine for a whole process is enough.
 *
 * A forked child process has none of these threads. In the child, every call on the engine and on
 * its futures fails immediately with STRIPELINE_CLOSED, except closing and releasing, which free
 * what they can. Its copies of the units of tasks that had not ended may hold anything. The child
 * may open another engine, which can hang if a thread of the parent was being started during the
 * fork.
 *
 * The configuration is text with one `key=value` per line; empty lines and lines that begin with
 * `#` are ignored:
 *
 * | key | value | default |
 * |---|---|---|
 * | rails | names, separated by commas: cpu, isal, cuda, plugin:PATH; auto for the CPU and every GPU | auto |
 * | scheduling | rate-aware, fcfs, single:NAME | rate-aware |
 * | tasks-max | maximum number of tasks outstanding | 1024 |
 * | bytes-max | maximum bytes of data outstanding | 1073741824 |
 * | when-full | wait or refuse (STRIPELINE_BUSY) | wait |
 * | stall-ms | milliseconds after which a rail counts as hung | 250 |
 * | quarantine-ms | milliseconds that a rail stays out of service after its first failure | 1000 |
 * | retry-ms | milliseconds within which a rail that did not raise the total rate is tried again | 10000 |
 * | check-every | N: for each rail and kind, one piece in N is compared, and the first 8; 0 for none | 1000 |
 * | waiting-threads-help | true or false: whether threads code while they wait | true |
 * | measure-only | true or false: whether the rail null is allowed, which does not write outputs | false |
 * | workers-max | maximum number of threads of a rail, 0 for the number that it requests | 0 |
 * | tuning | path of a table written by `stripeline tune` with sizes, rates and kinds of stores | built-in values |
 * | node | the processes that share CPUs: user (those of this user), off | user |
 * | node-weight | weight of this process in the division of CPUs, 1 to 1000 | 100 |
 *
 * Encoded and decoded pieces are compared on a second rail, and not at all without one.
 * A rail that the machine lacks is not used; stripeline_engine_describe() returns the reason.
 *
 * @param configuration  text in UTF-8, ended by a NUL; NULL for all defaults
 * @param engine         receives the engine, to be closed by stripeline_engine_close(); NULL on
 *                       failure
 * @return               STRIPELINE_OK, STRIPELINE_CONFIGURATION, STRIPELINE_NULL_POINTER
 */
stripeline_status stripeline_engine_open(const char *configuration,
                                         struct stripeline_engine **engine);

/**
 * Opens an engine as stripeline_engine_open() does, and reports its events to a listener.
 *
 * @param configuration  as for stripeline_engine_open()
 * @param listener       called for each event until stripeline_engine_close() has returned; NULL
 *                       for none
 * @param context        passed to `listener`
 * @param engine         as for stripeline_engine_open()
 * @return               as stripeline_engine_open()
 */
stripeline_status stripeline_engine_open_with_listener(const char *configuration,
                                                       stripeline_listener listener,
                                                       void *context,
                                                       struct stripeline_engine **engine);

/**
 * Closes an engine. Pieces that its rails are working on are finished, and waiting tasks end with
 * STRIPELINE_CLOSED. To complete all tasks, call stripeline_wait_all() first. No call may use the
 * engine any more, including calls in progress on other threads, except those of callbacks, which
 * can issue no task any more: they get STRIPELINE_CLOSED. Its futures stay valid until they are
 * released.
 *
 * This waits for callbacks that are running, and about 2 seconds for a device or plug-in that
 * hangs. If that works on units in place, their task has not ended: the units still belong to it,
 * and must be neither freed nor used until stripeline_future_test() of its future returns another
 * status than STRIPELINE_PENDING. Its end is not notified: after this call no callback and no
 * listener runs, no eventfd is written and no result of a comparison is stored.
 *
 * @param engine  an engine from stripeline_engine_open(), or NULL, which does nothing
 * @return        STRIPELINE_OK if all tasks have ended, and all buffers are released;
 *                STRIPELINE_PENDING if a task has not ended
 */
stripeline_status stripeline_engine_close(struct stripeline_engine *engine);

/**
 * Describes an engine as a JSON object: `scheduling` (as in the configuration), `candidates` (the
 * requested rails, each with `name`, `in`, `description` and `reason`, one of the latter two
 * null), `issued` and `outstanding` (tasks), `rails` (each rail in use with `name`,
 * `out_of_service` (null or the reason), `active` (whether it raises the total), `rate` (bytes
 * of data per second), `queued`, `pieces`, `data_bytes`, `busy_ns`, `cpu_ns`, `stolen`, `faults`,
 * `revoked`, `quarantines`, `checks`, `wrong`, and the histograms `waits` (issue to start) and
 * `services` (start to end), of which bucket b counts times from 2^b to 2^(b+1) - 1 nanoseconds).
 *
 * @param engine  an open engine
 * @param text    the destination, always terminated by a NUL; may be NULL if size is 0
 * @param size    the size of `text` in bytes; a longer text is truncated
 * @return        the length of the whole text in bytes without the NUL; 0 on failure, and
 *                stripeline_last_error() then returns the reason
 */
size_t stripeline_engine_describe(const struct stripeline_engine *engine, char *text, size_t size);

/**
 * Waits until no task of an engine is outstanding, including tasks that other threads issued. The
 * calling thread helps to code while it waits.
 *
 * @param engine      an open engine
 * @param timeout_ns  maximum time to wait in nanoseconds; negative for no limit, 0 to return
 *                    immediately
 * @return            STRIPELINE_OK, STRIPELINE_PENDING if the time passed first,
 *                    STRIPELINE_NULL_POINTER
 */
stripeline_status stripeline_wait_all(const struct stripeline_engine *engine, int64_t timeout_ns);

/**
 * Allocates memory for units that the devices of an engine access in place: declare units in it as
 * STRIPELINE_HOST_PINNED. It belongs to the process, starts at a page and is filled with zeros.
 *
 * The first GPU in service locks it, for all GPUs. If none can be used, it is ordinary memory,
 * which may be declared in the same way: a program runs unchanged on a machine without GPU. It
 * also becomes ordinary memory when a fault of that GPU ends its context, for example after a
 * hang; what is allocated later is locked again.
 *
 * Locking takes as long as writing to the memory, and holds a context of the GPU (hundreds of
 * megabytes on the device, opened in about 0.1 s) until the memory is released: allocate once,
 * not for each task. The memory may be used and released after the engine is closed.
 *
 * A forked child does not have the memory: there it must not be touched, and is not released.
 *
 * @param engine   an open engine
 * @param bytes    the size in bytes; 0 gives an address at which there is nothing to use
 * @param address  receives the start of the memory, to be released by stripeline_pinned_release();
 *                 NULL on failure
 * @return         STRIPELINE_OK, STRIPELINE_OUT_OF_MEMORY if the system refuses the memory or
 *                 the GPU's driver refuses to lock it, STRIPELINE_NULL_POINTER,
 *                 STRIPELINE_CLOSED
 */
stripeline_status stripeline_pinned_allocate(const struct stripeline_engine *engine,
                                             size_t bytes,
                                             void **address);

/**
 * Releases memory. The tasks that use it must have ended; see stripeline_iencode().
 *
 * While the GPU works on other tasks the memory stays locked, because the driver might wait for
 * them. Memory of the same size that is allocated then is this one; otherwise it is freed with the
 * next allocation, release or closing of the engine that finds the GPU idle.
 *
 * @param address  an address from stripeline_pinned_allocate(), or NULL, which does nothing
 * @return         STRIPELINE_OK; STRIPELINE_INVALID_ARGUMENT if this process has no such memory:
 *                 it was released before, or belongs to the process that forked this one
 */
stripeline_status stripeline_pinned_release(void *address);

/**
 * Returns whether a GPU accesses memory in place, as opposed to ordinary memory.
 *
 * @param address  an address in memory from stripeline_pinned_allocate()
 * @return         true while the memory is locked; false for all other memory
 */
bool stripeline_pinned_is_locked(const void *address);

/**
 * Returns the number of rails of an engine, which never changes.
 *
 * @param engine  an open engine
 * @return        the number; 0 on failure, and stripeline_last_error() then returns the reason
 */
size_t stripeline_engine_rails(const struct stripeline_engine *engine);

/**
 * Reads the counters of a rail of an engine.
 *
 * @param engine  an open engine
 * @param rail    the number of the rail, below that of stripeline_engine_rails()
 * @param result  receives the counters; its `size` must be set
 * @return        STRIPELINE_OK, STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_ARGUMENT if there is
 *                no such rail or `size` is wrong, STRIPELINE_CLOSED
 */
stripeline_status stripeline_engine_rail_statistics(const struct stripeline_engine *engine,
                                                    size_t rail,
                                                    struct stripeline_rail_statistics *result);

/**
 * Computes all parity units from all data units on the fastest rails, and waits for the result.
 * The calling thread helps to code while it waits. If the only rail codes on the CPUs, which the
 * engine does not share with other processes, nothing is queued and there is no deadline, it codes
 * a small stripe itself at once: such a call is counted as issued, but is never outstanding. The
 * same holds for stripeline_engine_decode().
 *
 * @param engine   an open engine
 * @param codec    k data units and m parity units
 * @param data     k units to read
 * @param parity   m units to write, each sharing no byte with any other unit
 * @param length   the length of every unit in bytes; 0 does nothing
 * @param request  the options of the task; its `callback` and `event_fd` must not be set. May be
 *                 NULL
 * @return         as stripeline_encode(); STRIPELINE_COUNT_MISMATCH, STRIPELINE_INVALID_ARGUMENT,
 *                 STRIPELINE_BUSY, STRIPELINE_DEADLINE_EXCEEDED, STRIPELINE_NO_RAIL. If a task
 *                 fails after it was issued, outputs may hold anything
 */
stripeline_status stripeline_engine_encode(const struct stripeline_engine *engine,
                                           const struct stripeline_codec *codec,
                                           const struct stripeline_matrix *data,
                                           const struct stripeline_matrix *parity,
                                           size_t length,
                                           const struct stripeline_request *request);

/**
 * Computes exactly the requested units from those that are present, and waits for the result.
 *
 * @param engine   an open engine
 * @param codec    k data units and m parity units
 * @param units    k+m units, data first. In a list, NULL for a unit that is lost or was not read;
 *                 with a stride, those in `erased` are lost and all others are present. At least k
 *                 must be present
 * @param erased   as for stripeline_decode()
 * @param count    the number of entries of `erased`, at most m; 0 does nothing
 * @param outputs  `count` units to write, in the order of `erased`, each sharing no byte with any
 *                 other unit that is present
 * @param length   the length of every unit in bytes; 0 does nothing
 * @param request  as for stripeline_engine_encode()
 * @return         as stripeline_engine_encode() and stripeline_decode()
 */
stripeline_status stripeline_engine_decode(const struct stripeline_engine *engine,
                                           const struct stripeline_codec *codec,
                                           const struct stripeline_matrix *units,
                                           const uint32_t *erased,
                                           size_t count,
                                           const struct stripeline_matrix *outputs,
                                           size_t length,
                                           const struct stripeline_request *request);

/**
 * Updates all parity units in place after one data unit changed, and waits for the result.
 *
 * @param engine     an open engine
 * @param codec      k data units and m parity units
 * @param data_unit  the number of the data unit that changed, 0..k-1
 * @param changed    2 units: the old and the new bytes of the data unit
 * @param parity     m units to update, each sharing no byte with any other unit
 * @param length     the length of every unit in bytes, which may be a part of a cell; 0 does
 *                   nothing
 * @param request    as for stripeline_engine_encode()
 * @return           as stripeline_engine_encode() and stripeline_update(); STRIPELINE_RAIL_FAILED
 *                   if parity was partly updated and the stripe must be encoded again
 */
stripeline_status stripeline_engine_update(const struct stripeline_engine *engine,
                                           const struct stripeline_codec *codec,
                                           size_t data_unit,
                                           const struct stripeline_matrix *changed,
                                           const struct stripeline_matrix *parity,
                                           size_t length,
                                           const struct stripeline_request *request);

/**
 * Returns whether the parity units match the data units, and waits for the result.
 *
 * @param engine       an open engine
 * @param codec        k data units and m parity units
 * @param data         k units to read
 * @param parity       m units to read
 * @param length       the length of every unit in bytes; units of 0 bytes are sound
 * @param request      as for stripeline_engine_encode()
 * @param sound        as for stripeline_verify()
 * @param parity_unit  as for stripeline_verify()
 * @param offset       as for stripeline_verify()
 * @return             as stripeline_engine_encode(), STRIPELINE_OK also if not sound
 */
stripeline_status stripeline_engine_verify(const struct stripeline_engine *engine,
                                           const struct stripeline_codec *codec,
                                           const struct stripeline_matrix *data,
                                           const struct stripeline_matrix *parity,
                                           size_t length,
                                           const struct stripeline_request *request,
                                           bool *sound,
                                           size_t *parity_unit,
                                           size_t *offset);

/**
 * Issues a task that computes all parity units and returns immediately, unless the engine is full
 * and configured to wait.
 *
 * All units belong to the task until it has ended: the program must not write to units that the
 * task reads, must not read or write units that it writes, and must not free any of them.
 * Matrices, lists and the request are read before the call returns, and the codec may be closed
 * after it.
 *
 * The task has ended when a test of or wait for its future reports this, when its callback runs or
 * its eventfd is written (both happen before the wait returns), or when stripeline_engine_close()
 * has returned STRIPELINE_OK. After STRIPELINE_PENDING a task may still have its units; see there.
 *
 * @param engine   an open engine
 * @param codec    k data units and m parity units
 * @param data     k units to read
 * @param parity   m units to write, each sharing no byte with any other unit
 * @param length   the length of every unit in bytes; 0 does nothing
 * @param request  the options of the task; may be NULL
 * @param future   receives the future of the task, to be released by stripeline_future_release();
 *                 NULL on failure. May be NULL if the request has a callback, which then receives
 *                 the outcome
 * @return         the refusals of stripeline_engine_encode(): then no task was issued, and there
 *                 is no notification. The future has the outcome of an issued task
 */
stripeline_status stripeline_iencode(const struct stripeline_engine *engine,
                                     const struct stripeline_codec *codec,
                                     const struct stripeline_matrix *data,
                                     const struct stripeline_matrix *parity,
                                     size_t length,
                                     const struct stripeline_request *request,
                                     struct stripeline_future **future);

/**
 * Issues a task that computes exactly the requested units, as stripeline_iencode() does.
 *
 * @param engine   an open engine
 * @param codec    k data units and m parity units
 * @param units    as for stripeline_engine_decode()
 * @param erased   as for stripeline_decode(); read before the call returns
 * @param count    the number of entries of `erased`, at most m; 0 does nothing
 * @param outputs  as for stripeline_engine_decode()
 * @param length   the length of every unit in bytes; 0 does nothing
 * @param request  as for stripeline_iencode()
 * @param future   as for stripeline_iencode()
 * @return         as stripeline_iencode(), of stripeline_engine_decode()
 */
stripeline_status stripeline_idecode(const struct stripeline_engine *engine,
                                     const struct stripeline_codec *codec,
                                     const struct stripeline_matrix *units,
                                     const uint32_t *erased,
                                     size_t count,
                                     const struct stripeline_matrix *outputs,
                                     size_t length,
                                     const struct stripeline_request *request,
                                     struct stripeline_future **future);

/**
 * Issues a task that updates parity for one changed data unit, as stripeline_iencode() does.
 *
 * @param engine     an open engine
 * @param codec      k data units and m parity units
 * @param data_unit  the number of the data unit that changed, 0..k-1
 * @param changed    2 units: the old and the new bytes of the data unit
 * @param parity     m units to update, each sharing no byte with any other unit
 * @param length     as for stripeline_engine_update()
 * @param request    as for stripeline_iencode()
 * @param future     as for stripeline_iencode()
 * @return           as stripeline_iencode(), of stripeline_engine_update()
 */
stripeline_status stripeline_iupdate(const struct stripeline_engine *engine,
                                     const struct stripeline_codec *codec,
                                     size_t data_unit,
                                     const struct stripeline_matrix *changed,
                                     const struct stripeline_matrix *parity,
                                     size_t length,
                                     const struct stripeline_request *request,
                                     struct stripeline_future **future);

/**
 * Issues a task that compares parity with the data, as stripeline_iencode() does.
 *
 * @param engine       an open engine
 * @param codec        k data units and m parity units
 * @param data         k units to read
 * @param parity       m units to read
 * @param length       the length of every unit in bytes; units of 0 bytes are sound
 * @param request      as for stripeline_iencode()
 * @param sound        as for stripeline_verify(); it and the next two belong to the task until it
 *                     has ended or the engine is closed, and are written before any notification
 * @param parity_unit  as for stripeline_verify()
 * @param offset       as for stripeline_verify()
 * @param future       as for stripeline_iencode()
 * @return             as stripeline_iencode(), of stripeline_engine_verify()
 */
stripeline_status stripeline_iverify(const struct stripeline_engine *engine,
                                     const struct stripeline_codec *codec,
                                     const struct stripeline_matrix *data,
                                     const struct stripeline_matrix *parity,
                                     size_t length,
                                     const struct stripeline_request *request,
                                     bool *sound,
                                     size_t *parity_unit,
                                     size_t *offset,
                                     struct stripeline_future **future);

/**
 * Returns whether a task has ended, and its outcome. Never waits.
 *
 * @param future  a future that has not been released
 * @return        STRIPELINE_PENDING while the task has not ended; afterwards always its outcome:
 *                STRIPELINE_OK, STRIPELINE_CANCELLED, STRIPELINE_DEADLINE_EXCEEDED,
 *                STRIPELINE_NO_RAIL, STRIPELINE_RAIL_FAILED, STRIPELINE_CLOSED. If it is not
 *                STRIPELINE_OK, its outputs may hold anything
 */
stripeline_status stripeline_future_test(const struct stripeline_future *future);

/**
 * Waits for a task. While it waits, the thread may code parts of this task or of others; with a
 * timeout only those that are expected to end in time. A callback must not wait.
 *
 * @param future      a future that has not been released
 * @param timeout_ns  maximum time to wait in nanoseconds; negative for no limit, 0 to return
 *                    immediately
 * @return            as stripeline_future_test(): STRIPELINE_PENDING if the time passed first
 */
stripeline_status stripeline_future_wait(const struct stripeline_future *future,
                                         int64_t timeout_ns);

/**
 * Cancels a task without waiting. Pieces that have not begun are not started; pieces that a rail
 * is working on are finished, then the task ends with STRIPELINE_CANCELLED. A task that has ended
 * keeps its outcome.
 *
 * @param future  a future that has not been released
 * @return        STRIPELINE_OK, STRIPELINE_NULL_POINTER
 */
stripeline_status stripeline_future_cancel(const struct stripeline_future *future);

/**
 * Releases a future. Its task continues if it has not ended, and its units belong to it until it
 * has. No call may use the future any more, including calls in progress on other threads.
 *
 * @param future  a future of a non-blocking call, or NULL, which does nothing
 */
void stripeline_future_release(struct stripeline_future *future);

/**
 * Waits until one of several tasks has ended.
 *
 * @param futures     `count` futures of one engine; some but not all may be NULL, which are
 *                    ignored
 * @param count       the number of futures, at least 1
 * @param timeout_ns  as for stripeline_future_wait()
 * @param index       receives the position in the list of a future whose task has ended;
 *                    stripeline_future_test() returns its outcome
 * @return            STRIPELINE_OK, STRIPELINE_PENDING if the time passed first,
 *                    STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_ARGUMENT if the futures belong to
 *                    several engines or all are NULL
 */
stripeline_status stripeline_wait_any(struct stripeline_future *const *futures,
                                      size_t count,
                                      int64_t timeout_ns,
                                      size_t *index);

/**
 * Waits until all of several tasks have ended.
 *
 * @param futures     `count` futures; some may be NULL, which are ignored
 * @param count       the number of futures; 0 does nothing
 * @param timeout_ns  as for stripeline_future_wait(), for all of them together
 * @return            STRIPELINE_PENDING if the time passed first; else the outcome of the first
 *                    task in the list that did not end with STRIPELINE_OK; else STRIPELINE_OK
 */
stripeline_status stripeline_wait_every(struct stripeline_future *const *futures,
                                        size_t count,
                                        int64_t timeout_ns);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STRIPELINE_H */
