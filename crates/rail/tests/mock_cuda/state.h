// SPDX-License-Identifier: Apache-2.0
// The mock's state: what tests set and ask for, memory, and streams that work in threads of their own.
#ifndef STRIPELINE_STATE_H
#define STRIPELINE_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum Status {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    CONTEXT_IS_DESTROYED = 709,
    LAUNCH_FAILED = 719,
};

// Injections and counters, by name in `mock_set` and `mock_get`.
enum Knob {
    // Injections.
    DEVICES,
    CAPABILITY,
    DEVICE_BYTES_MAX,
    PINNED_BYTES_MAX,
    REGISTERED_BYTES_MAX,
    LAUNCHES_REFUSED, // number of launches that fail for lack of memory
    LAUNCHES_FAILED,  // number of launches that fail while they run, as the context then does
    COPIES_OUT_REFUSED, // which copy to the host from now on fails for lack of memory
    COPIES_OUT_FAILED,  // which copy to the host from now on fails at its end, as the context then does
    HANG,             // kernels wait until this is 0
    HANG_RESET,       // ending a context waits until this is 0
    HANG_LOAD,        // loading kernels into a new context waits until this is 0
    RESETS_FAILED,    // number of requests to end a context that fail
    QUERIES_FAILED,   // asking a stream fails without saying whether it works
    PUSHES_FAILED,    // making a context current fails without saying whether it works
    WRONG,            // kernels write wrong bytes
    LOST,             // the device has fallen off the bus
    // Counters.
    CONTEXTS,
    STREAMS,
    DEVICE_BYTES,
    PINNED_BYTES,
    REGISTERED_BYTES, // with the flag that makes it pinned memory for all devices
    LAUNCHES,
    UNALIGNED_LAUNCHES,
    COPIES,
    KERNELS_RUNNING,
    RESETS,
    QUERIES,         // how often a stream was asked whether it is done
    PAGEABLE_COPIES, // copies from or to memory that is not pinned
    CANARIES_BROKEN,
    KNOBS,
};

static const char *const knob_names[KNOBS] = {
    "devices", "capability", "device_bytes_max", "pinned_bytes_max", "registered_bytes_max", "launches_refused",
    "launches_failed", "copies_out_refused", "copies_out_failed", "hang", "hang_reset", "hang_load", "resets_failed", "queries_failed", "pushes_failed", "wrong", "lost", "contexts", "streams", "device_bytes", "pinned_bytes",
    "registered_bytes", "launches", "unaligned_launches", "copies", "kernels_running", "resets", "queries", "pageable_copies", "canaries_broken",
};

// One lock for all: a mock need not be fast, and its races are none of the rail's.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long knobs[KNOBS] = {
    [DEVICES] = 1,
    [CAPABILITY] = 90,
    [DEVICE_BYTES_MAX] = 1L << 30,
    [PINNED_BYTES_MAX] = 1L << 30,
    [REGISTERED_BYTES_MAX] = 1L << 30,
};
// The error that the context is left with, and which context it is: handles of older ones are dead.
static int context_error;
// The number of the context that exists now or next.
static uintptr_t context_number = 1;

// A device's primary context has the same handle after a reset, so that a stale one looks valid.
#define CONTEXT_HANDLE 7

// Memory of the device, pinned memory, and memory of the program's that it registered.
enum Kind { ON_DEVICE, PINNED, REGISTERED, PORTABLE };

struct Memory {
    enum Kind kind;
    uint8_t *start;
    size_t bytes;
    struct Memory *next;
};

static struct Memory *memories;

// Device addresses are no addresses of the process: one given for the other is noticed.
#define DEVICE_BIAS (1ull << 60)
#define CANARY_BYTES 256
#define CANARY 0xc5

static bool is_canary(const uint8_t *bytes)
{
    for (int i = 0; i < CANARY_BYTES; i++) {
        if (bytes[i] != CANARY) {
            return false;
        }
    }
    return true;
}

// All functions from here on are called with the lock held.

static struct Memory *add_memory(enum Kind kind, uint8_t *own, size_t bytes)
{
    struct Memory *memory = malloc(sizeof *memory);
    uint8_t *start = own;
    if (!own) {
        // Aligned as the driver does it. The contents are nothing in particular.
        uint8_t *storage = aligned_alloc(256, (bytes + 2 * CANARY_BYTES + 255) / 256 * 256);
        memset(storage, CANARY, bytes + 2 * CANARY_BYTES);
        start = storage + CANARY_BYTES;
        memset(start, 0x5e, bytes);
    }
    *memory = (struct Memory){kind, start, bytes, memories};
    memories = memory;
    knobs[DEVICE_BYTES] += kind == ON_DEVICE ? (long)bytes : 0;
    knobs[PINNED_BYTES] += kind == PINNED ? (long)bytes : 0;
    knobs[REGISTERED_BYTES] += kind == PORTABLE ? (long)bytes : 0;
    return memory;
}

static void check_canaries(const struct Memory *memory)
{
    if (memory->kind < REGISTERED
        && !(is_canary(memory->start - CANARY_BYTES) && is_canary(memory->start + memory->bytes))) {
        knobs[CANARIES_BROKEN]++;
    }
}

static bool remove_memory(enum Kind kind, const uint8_t *start)
{
    for (struct Memory **place = &memories; *place; place = &(*place)->next) {
        struct Memory *memory = *place;
        if (memory->kind != kind || memory->start != start) {
            continue;
        }
        check_canaries(memory);
        *place = memory->next;
        knobs[DEVICE_BYTES] -= kind == ON_DEVICE ? (long)memory->bytes : 0;
        knobs[PINNED_BYTES] -= kind == PINNED ? (long)memory->bytes : 0;
        knobs[REGISTERED_BYTES] -= kind == PORTABLE ? (long)memory->bytes : 0;
        if (kind < REGISTERED) {
            free(memory->start - CANARY_BYTES);
        }
        free(memory);
        return true;
    }
    return false;
}

// Whether all of a range is memory of the device (or is not) that was allocated and not freed.
static bool is_memory(bool on_device, const uint8_t *start, size_t bytes)
{
    for (const struct Memory *memory = memories; memory; memory = memory->next) {
        if ((memory->kind == ON_DEVICE) == on_device && start >= memory->start
            && start + bytes <= memory->start + memory->bytes) {
            return true;
        }
    }
    return false;
}

static uint8_t *on_device(uint64_t address, size_t bytes)
{
    uint8_t *start = (uint8_t *)(uintptr_t)(address - DEVICE_BIAS);
    return address >= DEVICE_BIAS && is_memory(true, start, bytes) ? start : NULL;
}

// Work in a stream.
struct Operation {
    bool is_kernel;
    // A copy.
    void *to;
    const void *from;
    size_t bytes;
    bool is_out; // to memory of the host
    // A kernel.
    int rows;
    Word blocks, stripes, threads;
    struct Product product;
    struct Operation *next;
};

struct Stream {
    pthread_t thread;
    struct Operation *first, **last;
    bool busy, ends;
    // The number of the context that it belongs to.
    uintptr_t context;
};

#endif
