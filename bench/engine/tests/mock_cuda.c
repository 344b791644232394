// SPDX-License-Identifier: Apache-2.0
// The rail's mock of the CUDA driver for a separate program: MOCK_FAULT in the environment injects the faults that the
// bench must detect, and the mock writes its counters to standard error when the program ends.

#define cuLaunchKernel mock_launch_kernel
#define cuMemcpyDtoDAsync_v2 mock_copy_within
#include "../../../crates/rail/tests/mock_cuda/mock_cuda.c"
#undef cuLaunchKernel
#undef cuMemcpyDtoDAsync_v2

// The known-answer tests, which the rail must pass, have fewer bytes.
#define KNOWN_BYTES_MAX 8192

// Copies within the device begin when the bench uses units in the device's memory.
static bool copied_within;

EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, struct Stream *stream)
{
    __atomic_store_n(&copied_within, true, __ATOMIC_RELAXED);
    return mock_copy_within(to, from, bytes, stream);
}

// "last": the last byte of outputs is not written, from the start. "first": the first byte is wrong, but only once
// units are in the device's memory.
EXPORT int cuLaunchKernel(uintptr_t function, Word blocks, Word blocks_y, Word blocks_z, Word threads, Word threads_y,
                          Word threads_z, Word shared, struct Stream *stream, void **parameters, void **extra)
{
    const char *fault = getenv("MOCK_FAULT");
    struct Product product = *(const struct Product *)parameters[0];
    if (fault && product.bytes > KNOWN_BYTES_MAX) {
        product.bytes -= !strcmp(fault, "last");
        if (!strcmp(fault, "first") && __atomic_load_n(&copied_within, __ATOMIC_RELAXED)) {
            mock_set("wrong", 1);
        }
    }
    void *own[] = {&product};
    return mock_launch_kernel(function, blocks, blocks_y, blocks_z, threads, threads_y, threads_z, shared, stream, own,
                              extra);
}

__attribute__((destructor)) static void report(void)
{
    static const char *const names[] = {"contexts", "device_bytes", "pinned_bytes", "pageable_copies",
                                        "canaries_broken", "resets"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        fprintf(stderr, "mock %s %ld\n", names[i], mock_get(names[i]));
    }
}
