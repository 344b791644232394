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

static inline Word choose(Word first, Word second, Word mask)
{
    return (first & mask) | (second & ~mask);
}

#include "../../src/cuda/kernel.cu"

// Runs a kernel for every thread of a grid, one after the other.
static void run_grid(const struct Product *product, int rows, Word blocks, Word stripes, Word threads)
{
    static void (*const kernels[])(struct Product) = {product_1, product_2, product_3, product_4};
    // The grid's stride gives threads beyond the data nothing to do.
    const Address working = (product->bytes + UNIT_BYTES - 1) / UNIT_BYTES;
    gridDim = (Index){blocks, stripes, 1};
    blockDim = (Index){threads, 1, 1};
    for (Address work = 0; work < stripes * working; work++) {
        const Address place = work % working;
        if (place < (Address)blocks * threads) {
            blockIdx = (Index){(Word)(place / threads), (Word)(work / working), 0};
            threadIdx = (Index){(Word)(place % threads), 0, 0};
            kernels[rows - 1](*product);
        }
    }
}

#endif
