// SPDX-License-Identifier: Apache-2.0
// What kernel.cu takes from CUDA, for a C compiler: its keywords, built-in variables and functions.
#ifndef STRIPELINE_SHIM_H
#define STRIPELINE_SHIM_H

#define __device__
#define __forceinline__ inline
#define ENTRY static void

typedef unsigned int Word;

typedef struct __attribute__((aligned(16))) {
    Word x, y, z, w;
} uint4;

typedef struct {
    Word x, y, z;
} Index;

// Of the thread that a loop over the grid is at.
static _Thread_local Index gridDim, blockDim, blockIdx, threadIdx;

static inline uint4 __ldcs(const uint4 *address)
{
    return *address;
}

static inline void __stcs(uint4 *address, uint4 value)
{
    *address = value;
}

// As PTX defines prmt.b32: bit 3 of a selector asks for copies of the byte's sign.
static inline Word permute(Word low, Word high, Word selectors)
{
    const unsigned long long bytes = (unsigned long long)high << 32 | low;
    Word selected = 0;
    for (int place = 0; place < 4; place++) {
        const Word selector = selectors >> (4 * place);
        Word byte = (Word)(bytes >> (8 * (selector & 7))) & 0xff;
        if (selector & 8) {
            byte = byte & 0x80 ? 0xff : 0;
        }
        selected |= byte << (8 * place);
    }
    return selected;
}

#include "../../src/cuda/kernel.cu"

// Runs a kernel for every thread of a grid, one after the other.
static void run_grid(const struct Product *product, int rows, Word blocks, Word threads)
{
    static void (*const kernels[])(struct Product) = {product_1, product_2, product_3, product_4};
    gridDim = (Index){blocks, 1, 1};
    blockDim = (Index){threads, 1, 1};
    for (Word block = 0; block < blocks; block++) {
        for (Word thread = 0; thread < threads; thread++) {
            blockIdx = (Index){block, 0, 0};
            threadIdx = (Index){thread, 0, 0};
            // The grid's stride gives a thread beyond the data nothing to do.
            if (((Address)block * threads + thread) * UNIT_BYTES >= product->bytes) {
                return;
            }
            kernels[rows - 1](*product);
        }
    }
}

#endif
