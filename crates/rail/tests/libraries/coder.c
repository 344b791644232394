/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for tests. Macros select its kind, its declared capability and its faults:
 *   ASYNCHRONOUS, FLAGS, GRANULE, ALIGNMENT, LANES, DEPTH: its kind and capability
 *   VERSION: the version of the interface that it declares
 *   REFUSE_SUBMIT: the status that every submit returns
 *   WRONG_BYTES: flips a bit of every output
 *   WRONG_WHILE_THERE: a path; flips a bit of every output while the file exists
 *   HANG_AT: the product, counted from 0, that hangs until test_release()
 *   CANCELS: cancels products, although that may not be final
 *   TWICE, UNKNOWN: completes tickets twice, completes an unknown ticket
 *   REPEATS: while a product hangs, every poll completes an unknown ticket
 *   TOO_MANY, LOST: the result of poll after the first submit
 *   NO_POLL_WAIT: poll does not wait
 *   BAD_MISMATCH: comparisons report a position outside the product
 *   OPEN_FAILS: opening a lane fails
 *   FAIL_WHILE_THERE: a path; every product fails while the file exists
 *   FAULTS_WHILE_THERE: a path; while the file exists, products fail, flip a bit of an output, or take 2 or 400 ms,
 *     as FAULTS_SEED and the number of the product determine
 *   BYTES_PER_SECOND: the rate of the device, in bytes of inputs; products take turns on it and sleep for their time
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <stripeline_plugin.h>

#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef GRANULE
#define GRANULE 1
#endif
#ifndef ALIGNMENT
#define ALIGNMENT 1
#endif
#ifndef LANES
#define LANES 3
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef VERSION
#define VERSION STRIPELINE_PLUGIN_ABI
#endif
#ifndef REFUSE_SUBMIT
#define REFUSE_SUBMIT STRIPELINE_PLUGIN_DONE
#endif
#ifndef CANCELS
#define CANCELS 0
#endif
#ifndef HANG_AT
#define HANG_AT -1
#endif

typedef struct {
    uint64_t tickets[DEPTH];
    const stripeline_plugin_product *products[DEPTH];
    int count;
    char error[128];
} lane_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int released, products, hanging, lanes;
static int32_t status = STRIPELINE_PLUGIN_DONE;

/* Releases the products that hang. */
void test_release(void) {
    pthread_mutex_lock(&lock);
    released = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* Makes every later product end with this status. */
void test_fail_with(int32_t with) {
    pthread_mutex_lock(&lock);
    status = with;
    pthread_mutex_unlock(&lock);
}

/* Waits until the last lane is closed. */
void test_wait_closed(void) {
    pthread_mutex_lock(&lock);
    while (lanes > 0)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* Returns the number of products that hang. */
int test_hanging(void) {
    pthread_mutex_lock(&lock);
    int count = hanging;
    pthread_mutex_unlock(&lock);
    return count;
}

static int32_t open_lane(void **lane) {
#ifdef OPEN_FAILS
    *lane = NULL;
    return STRIPELINE_PLUGIN_GONE;
#else
    *lane = calloc(1, sizeof(lane_state));
    pthread_mutex_lock(&lock);
    lanes++;
    pthread_mutex_unlock(&lock);
    return STRIPELINE_PLUGIN_DONE;
#endif
}

static void close_lane(void *lane) {
    free(lane);
    pthread_mutex_lock(&lock);
    lanes--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void last_error(void *lane, char *text, size_t bytes) {
    snprintf(text, bytes, "%s", lane ? ((lane_state *)lane)->error : "no device today");
}

static uint8_t multiply(uint8_t left, uint8_t right) {
    uint8_t product = 0;
    for (; right; right >>= 1) {
        if (right & 1)
            product ^= left;
        left = (uint8_t)(left << 1 ^ (left & 0x80 ? 0x1d : 0));
    }
    return product;
}

/* Returns a description of the mistake in a product, or NULL. */
static const char *wrong(const stripeline_plugin_product *p) {
    const int in_place = (FLAGS & STRIPELINE_PLUGIN_IN_PLACE) != 0;
    if (p->size_bytes != sizeof *p)
        return "size";
    if (p->mode == STRIPELINE_PLUGIN_ADD && !(in_place && FLAGS & STRIPELINE_PLUGIN_ADDS))
        return "adds";
    if (p->mode == STRIPELINE_PLUGIN_COMPARE && !(in_place && FLAGS & STRIPELINE_PLUGIN_COMPARES))
        return "compares";
    if (p->length == 0 || (p->length % GRANULE && !(FLAGS & STRIPELINE_PLUGIN_TAKES_TAILS)))
        return "length";
    for (uint32_t i = 0; i < p->columns + p->rows; i++) {
        const uint8_t *buffer = i < p->columns ? p->inputs[i] : p->outputs[i - p->columns];
        if ((uintptr_t)buffer % ALIGNMENT || p->memory[i] != STRIPELINE_PLUGIN_HOST)
            return "buffers";
    }
    /* The matrix of an encoding is the parity matrix. */
    int encodes = p->columns == p->data_units && p->rows == p->parity_units;
    for (uint32_t i = 0; i < p->columns; i++)
        encodes &= p->input_units[i] == i;
    for (uint32_t i = 0; i < p->rows; i++) {
        encodes &= p->output_units[i] == p->data_units + i;
        if (p->output_units[i] >= p->data_units + p->parity_units)
            return "output units";
    }
    if (encodes && memcmp(p->matrix, p->parity_matrix, p->rows * p->columns))
        return "parity matrix";
    return NULL;
}

/* Adds the products of the input, whose values are in the table. */
static void add_products(uint8_t *sums, const uint8_t *input, uint64_t length, const uint8_t table[256]) {
    uint64_t i = 0;
#ifdef __AVX2__
    uint8_t high[16];
    for (int nibble = 0; nibble < 16; nibble++)
        high[nibble] = table[nibble << 4];
    const __m256i mask = _mm256_set1_epi8(15);
    const __m256i of_low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table));
    const __m256i of_high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)high));
    for (; i + 32 <= length; i += 32) {
        __m256i value = _mm256_loadu_si256((const __m256i *)(input + i)), *sum = (__m256i *)(sums + i);
        __m256i low = _mm256_shuffle_epi8(of_low, _mm256_and_si256(value, mask));
        __m256i top = _mm256_shuffle_epi8(of_high, _mm256_and_si256(_mm256_srli_epi16(value, 4), mask));
        _mm256_storeu_si256(sum, _mm256_xor_si256(_mm256_loadu_si256(sum), _mm256_xor_si256(low, top)));
    }
#endif
    for (; i < length; i++)
        sums[i] ^= table[input[i]];
}

static void compute(const stripeline_plugin_product *p, stripeline_plugin_mismatch *mismatch) {
    mismatch->offset = UINT64_MAX;
    for (uint32_t row = 0; row < p->rows; row++) {
        uint8_t *sums = calloc(1, p->length);
        for (uint32_t column = 0; column < p->columns; column++) {
            /* The product of a value is the sum of the products of its lowest bit and of its other bits. */
            uint8_t table[256] = {0}, factor = p->matrix[row * p->columns + column];
            for (int value = 1; value < 256; value++)
                table[value] = value & (value - 1)
                                   ? table[value & (value - 1)] ^ table[value & -value]
                                   : multiply(factor, (uint8_t)value);
            add_products(sums, p->inputs[column], p->length, table);
        }
#ifdef WRONG_BYTES
        sums[p->length / 2] ^= 4;
#endif
#ifdef WRONG_WHILE_THERE
        if (access(WRONG_WHILE_THERE, F_OK) == 0)
            sums[p->length / 2] ^= 4;
#endif
        for (uint64_t i = 0; i < p->length; i++) {
            uint8_t *output = p->outputs[row] + i;
            if (p->mode == STRIPELINE_PLUGIN_SET)
                *output = sums[i];
            else if (p->mode == STRIPELINE_PLUGIN_ADD)
                *output ^= sums[i];
            else if (*output != sums[i] && i < mismatch->offset) {
                mismatch->offset = i;
                mismatch->row = row;
            }
        }
        free(sums);
    }
#ifdef BAD_MISMATCH
    mismatch->row = p->rows;
#endif
}

#ifdef BYTES_PER_SECOND
/* Waits for the device's time for a product. */
static void take_time(const stripeline_plugin_product *p) {
    static uint64_t free_at;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t at = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    pthread_mutex_lock(&lock);
    free_at = (free_at > at ? free_at : at) + p->columns * p->length * 1000000000u / BYTES_PER_SECOND;
    at = free_at;
    pthread_mutex_unlock(&lock);
    struct timespec until = {(time_t)(at / 1000000000u), (long)(at % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}
#endif

#ifdef FAULTS_WHILE_THERE
/* Draws the fault of a product and takes its time; returns whether the product fails, or flips a bit of its output.
 * Only 32 of 256 products have faults, so that the rail comes back into service. */
static int draw_fault(const stripeline_plugin_product *p) {
    static uint64_t drawn;
    if (access(FAULTS_WHILE_THERE, F_OK) != 0)
        return 0;
    uint64_t number = __atomic_fetch_add(&drawn, 1, __ATOMIC_RELAXED);
    uint64_t bits = (number + FAULTS_SEED) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u >> 40;
    if (number % 256 >= 32 || bits % 4 != 0)
        return 0;
    usleep(bits / 4 % 16 == 0 ? 400000 : 2000);
    if (bits / 64 % 4 == 0 && p->mode == STRIPELINE_PLUGIN_SET)
        p->outputs[bits / 256 % p->rows][p->length / 2] ^= 4;
    return bits / 64 % 4 == 1;
}
#endif

/* Counts a product and returns whether it must hang. */
static int hangs(void) {
    return products++ == HANG_AT && !released;
}

static int32_t finish(lane_state *lane, const stripeline_plugin_product *product,
                      stripeline_plugin_mismatch *mismatch) {
    const char *reason = wrong(product);
    pthread_mutex_lock(&lock);
    int32_t told = status;
    pthread_mutex_unlock(&lock);
#ifdef FAIL_WHILE_THERE
    if (access(FAIL_WHILE_THERE, F_OK) == 0)
        told = STRIPELINE_PLUGIN_FAILED;
#endif
#ifdef FAULTS_WHILE_THERE
    if (!reason) {
        compute(product, mismatch);
        told = draw_fault(product) ? STRIPELINE_PLUGIN_FAILED : told;
    }
#endif
    if (reason || told != STRIPELINE_PLUGIN_DONE) {
        snprintf(lane->error, sizeof lane->error, "%s", reason ? reason : "told to fail");
        return reason ? STRIPELINE_PLUGIN_FAILED : told;
    }
#ifndef FAULTS_WHILE_THERE
    compute(product, mismatch);
#endif
#ifdef BYTES_PER_SECOND
    take_time(product);
#endif
    return STRIPELINE_PLUGIN_DONE;
}

#ifndef ASYNCHRONOUS
static int32_t run(void *lane, const stripeline_plugin_product *product,
                   stripeline_plugin_mismatch *mismatch) {
    pthread_mutex_lock(&lock);
    if (hangs()) {
        hanging++;
        while (!released)
            pthread_cond_wait(&changed, &lock);
        hanging--;
    }
    pthread_mutex_unlock(&lock);
    return finish(lane, product, mismatch);
}
#else
static int32_t submit(void *context, uint64_t ticket, const stripeline_plugin_product *product) {
    lane_state *lane = context;
    if (REFUSE_SUBMIT != STRIPELINE_PLUGIN_DONE || lane->count == DEPTH) {
        snprintf(lane->error, sizeof lane->error, "no room");
        return REFUSE_SUBMIT != STRIPELINE_PLUGIN_DONE ? REFUSE_SUBMIT : STRIPELINE_PLUGIN_FAILED;
    }
    pthread_mutex_lock(&lock);
    if (hangs())
        hanging++;
    pthread_mutex_unlock(&lock);
    lane->tickets[lane->count] = ticket;
    lane->products[lane->count++] = product;
    return STRIPELINE_PLUGIN_DONE;
}

static void pause_for(uint32_t timeout_us) {
#ifndef NO_POLL_WAIT
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t nanoseconds = (uint64_t)until.tv_nsec + 1000ull * timeout_us;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    pthread_mutex_lock(&lock);
    while (!released && pthread_cond_timedwait(&changed, &lock, &until) == 0)
        ;
    pthread_mutex_unlock(&lock);
#endif
    (void)timeout_us;
}

static int32_t poll(void *context, uint32_t timeout_us, stripeline_plugin_completion *completions,
                    uint32_t completions_max) {
    lane_state *lane = context;
    pthread_mutex_lock(&lock);
    int hung = hanging && !released;
    if (!hung)
        hanging = 0;
    pthread_mutex_unlock(&lock);
    if (hung || lane->count == 0) {
#ifdef REPEATS
        completions[0] = (stripeline_plugin_completion){.ticket = 0};
        return 1;
#endif
        pause_for(timeout_us);
        return 0;
    }
#ifdef LOST
    snprintf(lane->error, sizeof lane->error, "fell off the bus");
    return -1;
#endif
#ifdef TOO_MANY
    return (int32_t)completions_max + 1;
#endif
    /* Completed in reverse order, so that the loader cannot rely on an order. */
    const stripeline_plugin_product *product = lane->products[--lane->count];
    stripeline_plugin_completion *done = &completions[0];
    done->ticket = lane->tickets[lane->count];
    done->mismatch.row = STRIPELINE_PLUGIN_SOUND;
    done->status = finish(lane, product, &done->mismatch);
#ifdef UNKNOWN
    done->ticket += 1000;
#endif
    (void)completions_max;
#ifdef TWICE
    completions[1] = completions[0];
    return 2;
#else
    return 1;
#endif
}

static int32_t cancel(void *context, uint64_t ticket) {
    lane_state *lane = context;
    for (int i = 0; i < lane->count; i++)
        if (lane->tickets[i] == ticket && (CANCELS || FLAGS & STRIPELINE_PLUGIN_CANCEL_IS_FINAL)) {
            lane->count--;
            lane->tickets[i] = lane->tickets[lane->count];
            lane->products[i] = lane->products[lane->count];
            return STRIPELINE_PLUGIN_DONE;
        }
    return STRIPELINE_PLUGIN_REFUSED;
}
#endif

static const stripeline_plugin_capability capability = {
    .size_bytes = sizeof capability,
    .flags = FLAGS,
    .inputs_max = 255,
    .outputs_max = 100,
    .granule_bytes = GRANULE,
    .alignment_bytes = ALIGNMENT,
    .lanes = LANES,
    .depth = DEPTH,
    .piece_bytes = 1 << 16,
};

static const stripeline_plugin_table table = {
    .size_bytes = sizeof table,
    .abi_version = VERSION,
    .name = "test",
    .description = "for tests",
    .capability = &capability,
    .open_lane = open_lane,
    .close_lane = close_lane,
#ifdef ASYNCHRONOUS
    .submit = submit,
    .poll = poll,
    .cancel = cancel,
#else
    .run = run,
#endif
    .last_error = last_error,
};

const stripeline_plugin_table *stripeline_plugin(uint32_t abi_version) {
    return abi_version == STRIPELINE_PLUGIN_ABI ? &table : NULL;
}
