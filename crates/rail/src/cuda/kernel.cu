// SPDX-License-Identifier: Apache-2.0
// Products of a matrix over GF(2^8)/0x11d with columns of bytes, for a GPU.
//
// One source serves encode, decode and update, because coefficients are data: tables of products, made by
// tables.rs. A byte is coded in three parts, its bits 0-2, bits 4-6 and the pair (3, 7), since eight or four
// products of a coefficient fit the registers that one byte permutation selects from. A permutation takes its
// selectors as nibbles and a word has bytes, so two words share a set of selectors: their products come out
// interleaved and are put in order once, at the end.
//
// Counted on sm_90 for four outputs of ten inputs this takes 60 % of the instructions of sums of bit planes with a
// mask per bit: eight operations per coefficient and word there, four and a half here (docs/internals/cuda.md).
//
// The text is C but for CUDA's keywords, so that tests compile it for the host as well (tests/mock_cuda/shim.h).

#ifdef __CUDACC__
#define ENTRY extern "C" __global__ void __launch_bounds__(256)
typedef unsigned int Word;

// __byte_perm would clear bit 3 of every selector once more; the selectors here have it clear.
static __device__ __forceinline__ Word permute(Word low, Word high, Word selectors)
{
    Word selected;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(selected) : "r"(low), "r"(high), "r"(selectors));
    return selected;
}
#endif

typedef unsigned char Byte;
typedef unsigned long long Address;

// Most columns of a product over GF(2^8).
#define COLUMNS_MAX 255
// Outputs of one launch; more would take registers that threads are better for.
#define ROWS_MAX 4
// Bytes that a thread takes of each buffer: one load of the widest kind.
#define UNIT_BYTES 16
// Bytes that it takes at a time where it cannot load units.
#define PART_BYTES 8

// Arguments of a launch, as `Arguments` in launch.rs.
struct Product {
    Address inputs[COLUMNS_MAX];
    Address outputs[ROWS_MAX];
    // A Column per input.
    Address tables;
    Address bytes;
    Word columns;
    // Whether products are added to the outputs or become them.
    Word adds;
    // Whether every buffer starts at a multiple of UNIT_BYTES.
    Word aligned;
    Word unused;
};

// Products of the coefficients of one column, each member with a word per row: x, y, z, w.
struct Column {
    // By bits 0-2: products of 0 to 3, and of 4 to 7.
    uint4 low[2];
    // By bits 4-6.
    uint4 high[2];
    // By bit 3 and, counting two, bit 7.
    uint4 rest;
};

static __device__ __forceinline__ Word of_row(uint4 words, const int row)
{
    return row == 0 ? words.x : row == 1 ? words.y : row == 2 ? words.z : words.w;
}

// Words of a buffer from an address on: a unit, or up to PART_BYTES bytes and zeros.
static __device__ __forceinline__ uint4 load(Address address, int bytes, const int whole)
{
    uint4 words = {0, 0, 0, 0};
    if (whole) {
        // Read once: what is used again is better kept in the cache.
        return __ldcs((const uint4 *)address);
    }
#pragma unroll
    for (int place = 0; place < PART_BYTES; place++) {
        const Word byte = place < bytes ? ((const Byte *)address)[place] : 0;
        if (place < 4) {
            words.x |= byte << (8 * place);
        } else {
            words.y |= byte << (8 * (place - 4));
        }
    }
    return words;
}

static __device__ __forceinline__ void store(Address address, uint4 words, int bytes, const int whole)
{
    if (whole) {
        __stcs((uint4 *)address, words);
        return;
    }
#pragma unroll
    for (int place = 0; place < PART_BYTES; place++) {
        if (place < bytes) {
            ((Byte *)address)[place] = (Byte)((place < 4 ? words.x : words.y) >> (8 * (place % 4)));
        }
    }
}

// Adds a column's products with two words to the sums of each row. `even` has the products of the words' bytes 0 and
// 1, `odd` those of bytes 2 and 3, each as (first, second, first, second).
static __device__ __forceinline__ void add_products(const struct Column *column, const int rows, Word first,
                                                    Word second, Word *even, Word *odd)
{
    // Nibbles of the two in turn.
    const Word first_down = first >> 4;
    const Word second_up = second << 4;
    const Word low_nibbles = ((first ^ second_up) & 0x0f0f0f0f) ^ second_up;
    const Word high_nibbles = ((first_down ^ second) & 0x0f0f0f0f) ^ second;
    const Word low = low_nibbles & 0x77777777;
    const Word high = high_nibbles & 0x77777777;
    const Word rest = ((low_nibbles >> 3) & 0x11111111) | ((high_nibbles >> 2) & 0x22222222);
#pragma unroll
    for (int row = 0; row < rows; row++) {
        const Word low0 = of_row(column->low[0], row), low1 = of_row(column->low[1], row);
        const Word high0 = of_row(column->high[0], row), high1 = of_row(column->high[1], row);
        const Word rest0 = of_row(column->rest, row);
        // A permutation reads the lower sixteen bits of its selectors.
        even[row] ^= permute(low0, low1, low) ^ permute(high0, high1, high) ^ permute(rest0, rest0, rest);
        odd[row] ^= permute(low0, low1, low >> 16) ^ permute(high0, high1, high >> 16)
            ^ permute(rest0, rest0, rest >> 16);
    }
}

// A unit, or a part of one, of every output.
static __device__ __forceinline__ void code(const struct Product *product, Address start, int bytes, const int rows,
                                            const int whole)
{
    Word even[2][ROWS_MAX] = {{0}};
    Word odd[2][ROWS_MAX] = {{0}};
    const struct Column *columns = (const struct Column *)product->tables;
    uint4 next = load(product->inputs[0] + start, bytes, whole);
    uint4 second = next;
    if (product->columns > 1) {
        second = load(product->inputs[1] + start, bytes, whole);
    }
#pragma unroll 1
    for (Word index = 0; index < product->columns; index++) {
        // Asked for two columns ahead, because memory takes longer than a column's products.
        const uint4 input = next;
        next = second;
        if (index + 2 < product->columns) {
            second = load(product->inputs[index + 2] + start, bytes, whole);
        }
        const struct Column column = columns[index];
        add_products(&column, rows, input.x, input.y, even[0], odd[0]);
        if (whole) {
            add_products(&column, rows, input.z, input.w, even[1], odd[1]);
        }
    }
#pragma unroll
    for (int row = 0; row < rows; row++) {
        const Address address = product->outputs[row] + start;
        uint4 output;
        output.x = permute(even[0][row], odd[0][row], 0x6420);
        output.y = permute(even[0][row], odd[0][row], 0x7531);
        output.z = permute(even[1][row], odd[1][row], 0x6420);
        output.w = permute(even[1][row], odd[1][row], 0x7531);
        if (product->adds) {
            const uint4 before = load(address, bytes, whole);
            output.x ^= before.x;
            output.y ^= before.y;
            output.z ^= before.z;
            output.w ^= before.w;
        }
        store(address, output, bytes, whole);
    }
}

// Threads take units in turn, so that any number of them does any length.
static __device__ __forceinline__ void run(const struct Product *product, const int rows)
{
    const Address step = (Address)gridDim.x * blockDim.x * UNIT_BYTES;
    Address start = ((Address)blockIdx.x * blockDim.x + threadIdx.x) * UNIT_BYTES;
    for (; start < product->bytes; start += step) {
        const Address left = product->bytes - start;
        if (product->aligned && left >= UNIT_BYTES) {
            code(product, start, UNIT_BYTES, rows, 1);
            continue;
        }
        const int bytes = left < UNIT_BYTES ? (int)left : UNIT_BYTES;
#pragma unroll 1
        for (int part = 0; part < bytes; part += PART_BYTES) {
            code(product, start + part, bytes - part, rows, 0);
        }
    }
}

// A kernel per number of outputs, so that sums and tables stay in registers.
#define KERNEL(rows)                                                                                                   \
    ENTRY product_##rows(const struct Product product)                                                                 \
    {                                                                                                                  \
        run(&product, rows);                                                                                           \
    }

KERNEL(1)
KERNEL(2)
KERNEL(3)
KERNEL(4)
