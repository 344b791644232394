// SPDX-License-Identifier: Apache-2.0
// Products of a matrix over GF(2^8)/0x11d with columns of bytes, for a GPU.
//
// One source serves encode, decode and update, because coefficients are data: tables of products, made by
// tables.rs. Three bits of data select one of eight products, which fit the registers that one byte permutation
// selects from. Bits 0-2 and bits 4-6 of a byte take a permutation each. Bits 3 and 7 of the bytes of three columns
// are six bits, which take two more. A permutation takes its selectors as nibbles and a word has bytes, so two words
// share a set of selectors: their products come out interleaved and are put in order once, at the end.
//
// Counted on sm_90 for four outputs of ten inputs this takes half of the instructions of sums of bit planes with a
// mask per bit (docs/internals/cuda.md).
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

// The bits of `first` where the mask has ones, and of `second` elsewhere. Compilers take two instructions for this.
static __device__ __forceinline__ Word choose(Word first, Word second, Word mask)
{
    Word chosen;
    asm("lop3.b32 %0, %1, %2, %3, 0xe4;" : "=r"(chosen) : "r"(first), "r"(second), "r"(mask));
    return chosen;
}
#endif

typedef unsigned char Byte;
typedef unsigned long long Address;

// Outputs of a stripe in one launch; more would take registers that threads are better for.
#define ROWS_MAX 4
// Most columns of a product over GF(2^8), and most rows.
#define BUFFERS_MAX (255 + ROWS_MAX)
// Columns whose bits 3 and 7 share tables.
#define GROUP 3
// Bytes that a thread takes of each buffer: one load of the widest kind.
#define UNIT_BYTES 16
// Bytes that it takes at a time where it cannot load units.
#define PART_BYTES 8

// Arguments of a launch, as `Arguments` in launch.rs. It codes a stripe for each of the grid's rows of blocks.
struct Product {
    // The inputs and then the outputs of each stripe.
    Address buffers[BUFFERS_MAX];
    // A Group for every three inputs.
    Address tables;
    Address bytes;
    Word columns;
    // Whether products are added to the outputs or become them.
    Word adds;
    // Whether every buffer starts at a multiple of UNIT_BYTES.
    Word aligned;
    Word unused;
};

// Products of the coefficients of three columns, each member with a word per row: x, y, z, w. The first of two
// members has the products of 0 to 3, the second those of 4 to 7. Columns that are absent have zeros.
struct Group {
    // By bits 0-2.
    uint4 low[GROUP][2];
    // By bits 4-6.
    uint4 high[GROUP][2];
    // By bits 3 and 7 of the first column and bit 3 of the second; by bit 7 of the second and bits 3 and 7 of the
    // third.
    uint4 rest[2][2];
};

// Sums of products with two words.
struct Sums {
    // Of their bytes 0 and 1, and of their bytes 2 and 3, by row; each as (first, second, first, second).
    Word even[ROWS_MAX], odd[ROWS_MAX];
    // Selectors of products in `rest` of the group at hand.
    Word rest[2];
};

// What a thread does at a time: a unit, or a part of one, of every buffer of a stripe.
struct Work {
    // Where it starts in the buffers, and its bytes.
    Address start;
    int bytes;
    // The first buffer of the next group, and the first that is no input.
    Word next, end;
    // Of the group at hand.
    uint4 inputs[GROUP];
    struct Sums sums[2];
};

// Which columns the next group has.
enum More { NONE, SOME, ALL };

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

// Adds the products that selectors select to the sums of each row.
static __device__ __forceinline__ void add(const uint4 *tables, const int rows, Word selectors, struct Sums *sums)
{
#pragma unroll
    for (int row = 0; row < rows; row++) {
        const Word first = of_row(tables[0], row), second = of_row(tables[1], row);
        // A permutation reads the lower sixteen bits of its selectors.
        sums->even[row] ^= permute(first, second, selectors);
        sums->odd[row] ^= permute(first, second, selectors >> 16);
    }
}

// Adds a column's products with two words by bits 0-2 and 4-6, and leaves bits 3 and 7 as selectors.
static __device__ __forceinline__ void add_column(const uint4 *low_tables, const uint4 *high_tables, const int rows,
                                                  const int column, Word first, Word second, struct Sums *sums)
{
    // Nibbles of the two in turn.
    const Word low = choose(first, second << 4, 0x0f0f0f0f);
    const Word high = choose(first >> 4, second, 0x0f0f0f0f);
    add(low_tables, rows, low & 0x77777777, sums);
    add(high_tables, rows, high & 0x77777777, sums);
    if (column == 0) {
        sums->rest[0] = ((low >> 3) & 0x11111111) | ((high >> 2) & 0x22222222);
    } else if (column == 1) {
        sums->rest[0] |= (low >> 1) & 0x44444444;
        sums->rest[1] = (high >> 3) & 0x11111111;
    } else {
        sums->rest[1] |= ((low >> 2) & 0x22222222) | ((high >> 1) & 0x44444444);
    }
}

static __device__ __forceinline__ void read(const struct Product *product, struct Work *work, const int column,
                                            const int whole)
{
    const Address buffer = product->buffers[work->next + column];
    work->inputs[column] = load(buffer + work->start, work->bytes, whole);
}

// Adds the products of the first `count` columns of a group, and reads the next group's inputs, because memory takes
// longer than the products of a column.
static __device__ __forceinline__ void add_group(const struct Product *product, const struct Group *group,
                                                 struct Work *work, const int rows, const int whole, const int count,
                                                 const enum More more)
{
    struct Sums *sums = work->sums;
#pragma unroll
    for (int column = 0; column < count; column++) {
        const uint4 low[2] = {group->low[column][0], group->low[column][1]};
        const uint4 high[2] = {group->high[column][0], group->high[column][1]};
        const uint4 input = work->inputs[column];
        if (more == ALL || (more == SOME && work->next + column < work->end)) {
            read(product, work, column, whole);
        }
        add_column(low, high, rows, column, input.x, input.y, &sums[0]);
        if (whole) {
            add_column(low, high, rows, column, input.z, input.w, &sums[1]);
        }
    }
#pragma unroll
    for (int half = 0; half < (count == 1 ? 1 : 2); half++) {
        const uint4 rest[2] = {group->rest[half][0], group->rest[half][1]};
        add(rest, rows, sums[0].rest[half], &sums[0]);
        if (whole) {
            add(rest, rows, sums[1].rest[half], &sums[1]);
        }
    }
    work->next += GROUP;
}

// A unit, or a part of one, of every output.
static __device__ __forceinline__ void code(const struct Product *product, Address start, int bytes, const int rows,
                                            const int whole)
{
    struct Work work = {0};
    const struct Group *group = (const struct Group *)product->tables;
    work.start = start;
    work.bytes = bytes;
    work.next = blockIdx.y * (product->columns + rows);
    work.end = work.next + product->columns;
#pragma unroll
    for (int column = 0; column < GROUP; column++) {
        if (work.next + column < work.end) {
            read(product, &work, column, whole);
        }
    }
    work.next += GROUP;
    // Most groups are followed by a whole one, and then need no comparison per column: 2 % faster on an H200.
#pragma unroll 1
    for (; whole && work.next + GROUP <= work.end; group++) {
        add_group(product, group, &work, rows, whole, GROUP, ALL);
    }
#pragma unroll 1
    for (; work.next <= work.end; group++) {
        add_group(product, group, &work, rows, whole, GROUP, SOME);
    }
    if (work.next == work.end + 1) {
        add_group(product, group, &work, rows, whole, 2, NONE);
    } else if (work.next == work.end + 2) {
        add_group(product, group, &work, rows, whole, 1, NONE);
    }
    const struct Sums *sums = work.sums;
#pragma unroll
    for (int row = 0; row < rows; row++) {
        const Address address = product->buffers[work.end + row] + start;
        uint4 output;
        output.x = permute(sums[0].even[row], sums[0].odd[row], 0x6420);
        output.y = permute(sums[0].even[row], sums[0].odd[row], 0x7531);
        output.z = permute(sums[1].even[row], sums[1].odd[row], 0x6420);
        output.w = permute(sums[1].even[row], sums[1].odd[row], 0x7531);
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
