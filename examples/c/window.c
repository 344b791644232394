/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes stripes and gets lost cells back, asynchronously: one thread, an event loop, at most eight
 * stripes outstanding, woken through an eventfd.
 *
 *   cc -I crates/capi/include examples/c/window.c \
 *     -L build/native/linux-x86_64 -lstripeline -o window
 *   LD_LIBRARY_PATH=build/native/linux-x86_64 ./window 100
 */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "stripeline.h"

enum { K = 6, M = 3, CELL = 65536, WINDOW = 8 };

/* The cells that every stripe loses. */
static const uint32_t LOST[M] = {0, 4, 7};

/* A place in the window: a stripe and what is being done to it. */
struct slot {
    enum { FREE, ENCODING, DECODING } state;
    unsigned long stripe;
    stripeline_future *future;
    uint8_t *cells[K + M];
};

static stripeline_engine *engine;
static stripeline_codec *codec;
static int event_fd;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

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

/* What a data cell of a stripe holds: a program would read it from somewhere. */
static uint8_t byte_of(unsigned long stripe, int cell, size_t offset)
{
    return (uint8_t)(stripe * 31 + (unsigned)cell * 7 + offset * offset / 5);
}

static stripeline_request wake_me(void)
{
    stripeline_request request = {.size = sizeof request, .event_fd = event_fd};
    return request;
}

static void begin_encode(struct slot *slot, unsigned long stripe)
{
    stripeline_matrix data = {.size = sizeof data, .units = slot->cells, .count = K};
    stripeline_matrix parity = {.size = sizeof parity, .units = slot->cells + K, .count = M};
    stripeline_request request = wake_me();

    for (int cell = 0; cell < K; cell++)
        for (size_t offset = 0; offset < CELL; offset++)
            slot->cells[cell][offset] = byte_of(stripe, cell, offset);
    slot->stripe = stripe;
    slot->state = ENCODING;
    check(stripeline_iencode(engine, codec, &data, &parity, CELL, &request, &slot->future));
}

static void begin_decode(struct slot *slot)
{
    uint8_t *present[K + M], *outputs[M];
    stripeline_matrix units = {.size = sizeof units, .units = present, .count = K + M};
    stripeline_matrix lost = {.size = sizeof lost, .units = outputs, .count = M};
    stripeline_request request = wake_me();

    memcpy(present, slot->cells, sizeof present);
    for (int index = 0; index < M; index++) {
        outputs[index] = slot->cells[LOST[index]];
        present[LOST[index]] = NULL;
        memset(outputs[index], 0, CELL);
    }
    slot->state = DECODING;
    /* The lists may go when the call returns; the cells belong to it until its future is done. */
    check(stripeline_idecode(engine, codec, &units, LOST, M, &lost, CELL, &request,
                             &slot->future));
}

static void compare(const struct slot *slot)
{
    for (int cell = 0; cell < K; cell++)
        for (size_t offset = 0; offset < CELL; offset++)
            if (slot->cells[cell][offset] != byte_of(slot->stripe, cell, offset)) {
                fprintf(stderr, "stripe %lu, cell %d differs\n", slot->stripe, cell);
                exit(1);
            }
}

/* Takes a stripe one step further if its task has ended; true if it is finished. */
static bool step(struct slot *slot)
{
    stripeline_status status;
    if (slot->state == FREE)
        return false;
    status = stripeline_future_test(slot->future);
    if (status == STRIPELINE_PENDING)
        return false;
    check(status);
    stripeline_future_release(slot->future);
    if (slot->state == ENCODING) {
        begin_decode(slot);
        return false;
    }
    compare(slot);
    slot->state = FREE;
    return true;
}

int main(int argc, char **argv)
{
    static struct slot window[WINDOW];
    unsigned long stripes = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    unsigned long issued = 0, finished = 0;

    if (stripeline_abi_version() < STRIPELINE_ABI_VERSION) {
        fprintf(stderr, "libstripeline is older than stripeline.h\n");
        return 1;
    }
    event_fd = eventfd(0, EFD_CLOEXEC);
    if (event_fd < 0)
        fail("eventfd");
    check(stripeline_codec_open(STRIPELINE_RS, K, M, &codec));
    check(stripeline_engine_open("rails=auto\nscheduling=rate-aware", &engine));
    for (int index = 0; index < WINDOW; index++)
        for (int cell = 0; cell < K + M; cell++)
            if ((window[index].cells[cell] = malloc(CELL)) == NULL)
                fail("malloc");

    while (finished < stripes) {
        struct pollfd ready = {.fd = event_fd, .events = POLLIN};
        uint64_t ended;
        for (int index = 0; index < WINDOW; index++)
            if (window[index].state == FREE && issued < stripes)
                begin_encode(&window[index], issued++);
        /* A program would have its sockets and files here as well. */
        if (poll(&ready, 1, -1) != 1 || read(event_fd, &ended, sizeof ended) != sizeof ended)
            fail("waiting");
        for (int index = 0; index < WINDOW; index++)
            finished += step(&window[index]);
    }

    printf("%lu stripes of %d+%d cells encoded, %d cells of each lost and recovered\n", finished, K, M,
           M);
    stripeline_engine_close(engine);
    stripeline_codec_close(codec);
    close(event_fd);
    for (int index = 0; index < WINDOW; index++)
        for (int cell = 0; cell < K + M; cell++)
            free(window[index].cells[cell]);
    return 0;
}
