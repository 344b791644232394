/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from crates/rail/src/plugin/abi.rs by cbindgen; change it there, then run
 * STRIPELINE_BLESS=1 cargo test -p stripeline-rail --test plugin_header */

/**
 * @file
 * Coders in shared libraries: the interface that a library exports to become a rail of Stripeline.
 *
 * A coder computes products `outputs = matrix x inputs` over GF(2^8). Encoding, decoding, updating
 * and verifying all have this form, so a coder does not need to know codes; a coder that does finds
 * k, m, the parity matrix and the numbers of the units in the product.
 *
 * The loader checks everything that it can: sizes, versions, null pointers, invalid values, tickets
 * that are unknown or complete twice. A plug-in that breaks a rule is not used, or is taken out of
 * service, with a message that names the rule. Before a plug-in receives work, its results are
 * compared with known answers for every code.
 *
 * How NVIDIA DOCA's erasure coding maps to this: granule 64, asynchronous, `submit` allocates
 * and submits a task, `poll` drives the progress engine. Products from all data units become
 * `create` tasks with a matrix made from `matrix`; lost data becomes a `recover` task with the coding
 * matrix of `parity_matrix` and the lost units of `output_units` (RECOVERS_DATA_ONLY).
 *
 * examples/plugin/jerasure.c is a complete plug-in that uses Jerasure.
 */

#ifndef STRIPELINE_PLUGIN_H
#define STRIPELINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/**
 * The version that this header describes. Fields and functions keep their meaning within a
 * version.
 */
#define STRIPELINE_PLUGIN_ABI 1

/**
 * The product was computed, or the call succeeded.
 */
#define STRIPELINE_PLUGIN_DONE 0

/**
 * The coder works but cannot compute this product, and has not changed any output: another rail
 * computes it, and this rail stays in service. For a product of mode STRIPELINE_PLUGIN_ADD of
 * which an output has changed, return STRIPELINE_PLUGIN_FAILED instead: it would be added twice.
 */
#define STRIPELINE_PLUGIN_REFUSED 1

/**
 * The coder failed: the rail is taken out of service for some time and then tried again.
 */
#define STRIPELINE_PLUGIN_FAILED 2

/**
 * The device no longer exists. The rail is taken out of service and tried again as after
 * STRIPELINE_PLUGIN_FAILED.
 */
#define STRIPELINE_PLUGIN_GONE 3

/**
 * Outputs become the products.
 */
#define STRIPELINE_PLUGIN_SET 0

/**
 * Products are added (XOR) to outputs; only with STRIPELINE_PLUGIN_ADDS.
 */
#define STRIPELINE_PLUGIN_ADD 1

/**
 * Products are compared with outputs, which are only read; only with STRIPELINE_PLUGIN_COMPARES.
 */
#define STRIPELINE_PLUGIN_COMPARE 2

/**
 * The code `rs`: Cauchy, a(i,j) = 1/(i xor j).
 */
#define STRIPELINE_PLUGIN_RS 0

/**
 * The code `rs-legacy`: generator polynomial.
 */
#define STRIPELINE_PLUGIN_RS_LEGACY 1

/**
 * The code `xor`: one parity unit.
 */
#define STRIPELINE_PLUGIN_XOR 2

/**
 * A code that this header does not know yet. The matrix defines the product in any case.
 */
#define STRIPELINE_PLUGIN_OTHER 255

/**
 * Works on the caller's buffers, without copies. The loader then waits for calls without a limit,
 * so set it only if a hang is impossible or would also hang the CPU. Without it the loader passes
 * copies, and abandons them if the device hangs.
 */
#define STRIPELINE_PLUGIN_IN_PLACE 1

/**
 * Supports STRIPELINE_PLUGIN_ADD. Without IN_PLACE this is not used: the loader adds.
 */
#define STRIPELINE_PLUGIN_ADDS 2

/**
 * Supports STRIPELINE_PLUGIN_COMPARE. Without IN_PLACE this is not used: the loader compares.
 */
#define STRIPELINE_PLUGIN_COMPARES 4

/**
 * Accepts lengths that are not a multiple of the granule. Without it the loader pads its copies,
 * and with IN_PLACE copies buffers of such lengths.
 */
#define STRIPELINE_PLUGIN_TAKES_TAILS 8

/**
 * Once `cancel` has returned STRIPELINE_PLUGIN_DONE, the product's buffers are never accessed
 * again.
 */
#define STRIPELINE_PLUGIN_CANCEL_IS_FINAL 16

/**
 * Computes lost data units but not lost parity units, as the recovery of NVIDIA DOCA does.
 */
#define STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY 32

/**
 * Also accepts memory of the device with number `device`; only with IN_PLACE.
 */
#define STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY 64

/**
 * A buffer in ordinary memory.
 */
#define STRIPELINE_PLUGIN_HOST 0

/**
 * A buffer in memory that is locked and registered with a device's driver.
 */
#define STRIPELINE_PLUGIN_HOST_PINNED 1

/**
 * A buffer in memory of the device; its address is an address of the device.
 */
#define STRIPELINE_PLUGIN_DEVICE 2

/**
 * The value of `row` after a comparison that found no difference.
 */
#define STRIPELINE_PLUGIN_SOUND UINT32_MAX

/**
 * The capability of the coder. Read once, when the library is loaded.
 */
typedef struct stripeline_plugin_capability {
    /**
     * sizeof(stripeline_plugin_capability).
     */
    uint32_t size_bytes;
    /**
     * The number of the device whose memory it accepts.
     */
    uint32_t device;
    /**
     * Any of the flags STRIPELINE_PLUGIN_IN_PLACE to STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY.
     */
    uint64_t flags;
    /**
     * Maximum inputs of one product, 1 to 255; at least 2 to support updates.
     */
    uint32_t inputs_max;
    /**
     * Maximum outputs of one product, 1 to 255.
     */
    uint32_t outputs_max;
    /**
     * Lengths are a multiple of this: a power of two, 1 to 4096.
     */
    uint32_t granule_bytes;
    /**
     * Addresses of buffers are a multiple of this: a power of two, 1 to 4096. Other buffers are
     * copied.
     */
    uint32_t alignment_bytes;
    /**
     * The number of lanes that raise the rate, 1 to 256. Each is used by one thread at a time.
     */
    uint32_t lanes;
    /**
     * The maximum number of products in flight on a lane, 1 to 1024.
     */
    uint32_t depth;
    /**
     * The preferred maximum bytes of each buffer in one product: a multiple of the granule, at
     * most 1 GiB. Longer buffers may occur.
     */
    uint64_t piece_bytes;
} stripeline_plugin_capability;

/**
 * A product `outputs = matrix x inputs` over GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1 (0x11d),
 * byte by byte.
 *
 * Matrix, inputs and outputs define the product; the other fields are for devices that know codes.
 * Everything that it points to stays valid until the product is done, failed, or was finally
 * cancelled; all of it is read-only except `outputs`.
 */
typedef struct stripeline_plugin_product {
    /**
     * sizeof(stripeline_plugin_product) of the caller; later versions add fields at the end.
     */
    uint32_t size_bytes;
    /**
     * STRIPELINE_PLUGIN_SET, _ADD or _COMPARE.
     */
    uint32_t mode;
    /**
     * STRIPELINE_PLUGIN_RS, _RS_LEGACY, _XOR or _OTHER.
     */
    uint32_t code;
    /**
     * The number of outputs.
     */
    uint32_t rows;
    /**
     * The number of inputs.
     */
    uint32_t columns;
    /**
     * k, the data units of the stripe.
     */
    uint32_t data_units;
    /**
     * m, the parity units of the stripe.
     */
    uint32_t parity_units;
    /**
     * Padding, 0.
     */
    uint32_t reserved;
    /**
     * The length of every buffer in bytes, at least 1.
     */
    uint64_t length;
    /**
     * rows x columns coefficients, row by row.
     */
    const uint8_t *matrix;
    /**
     * The m x k coefficients that give parity from data, row by row.
     */
    const uint8_t *parity_matrix;
    /**
     * For each input its number in the stripe: 0..k-1 data, k..k+m-1 parity. For an update, the
     * data unit occurs twice, with the old and the new bytes.
     */
    const uint8_t *input_units;
    /**
     * For each output its number in the stripe. Unless these are the units of an encoding
     * (k..k+m-1 in order), they are the lost units.
     */
    const uint8_t *output_units;
    /**
     * For each input, then each output: STRIPELINE_PLUGIN_HOST, _HOST_PINNED or _DEVICE.
     */
    const uint8_t *memory;
    /**
     * The inputs.
     */
    const uint8_t *const *inputs;
    /**
     * The outputs.
     */
    uint8_t *const *outputs;
} stripeline_plugin_product;

/**
 * The first difference that a comparison found: the lowest offset, and at this offset the lowest
 * row.
 */
typedef struct stripeline_plugin_mismatch {
    /**
     * The offset in the buffers, 0 to length-1.
     */
    uint64_t offset;
    /**
     * The output, or STRIPELINE_PLUGIN_SOUND.
     */
    uint32_t row;
    /**
     * Padding, 0.
     */
    uint32_t reserved;
} stripeline_plugin_mismatch;

/**
 * A product that completed or failed.
 */
typedef struct stripeline_plugin_completion {
    /**
     * The ticket with which it was submitted.
     */
    uint64_t ticket;
    /**
     * The result of a comparison; otherwise ignored.
     */
    struct stripeline_plugin_mismatch mismatch;
    /**
     * STRIPELINE_PLUGIN_DONE, _REFUSED, _FAILED or _GONE.
     */
    int32_t status;
    /**
     * Padding, 0.
     */
    uint32_t reserved;
} stripeline_plugin_completion;

/**
 * The table that a plug-in returns to the loader. The table, and everything that it points to,
 * must stay valid until the process ends; the library is never unloaded.
 *
 * A blocking plug-in has `run`; unless it works in place, it is called on separate threads, one
 * for each lane. An asynchronous plug-in has `submit` and `poll`, which are called on the thread
 * that uses the lane. Different threads use different lanes at the same time.
 */
typedef struct stripeline_plugin_table {
    /**
     * sizeof(stripeline_plugin_table).
     */
    uint32_t size_bytes;
    /**
     * STRIPELINE_PLUGIN_ABI.
     */
    uint32_t abi_version;
    /**
     * 1 to 32 of a-z, 0-9, `-` and `_`; the rail has the name `plugin:` followed by this.
     */
    const char *name;
    /**
     * Library, version and device as text for users. At most 255 bytes of UTF-8; may be null.
     */
    const char *description;
    /**
     * The capability of the coder.
     */
    const struct stripeline_plugin_capability *capability;
    /**
     * Opens a lane: stores a handle of the plug-in's choice, null included, in `lane`. Returns a
     * status.
     */
    int32_t (*open_lane)(void **lane);
    /**
     * Closes a lane that has nothing in flight.
     */
    void (*close_lane)(void *lane);
    /**
     * Blocking: computes the product and returns a status. Before the call, `mismatch->row` is
     * STRIPELINE_PLUGIN_SOUND.
     */
    int32_t (*run)(void *lane,
                   const struct stripeline_plugin_product *product,
                   struct stripeline_plugin_mismatch *mismatch);
    /**
     * Asynchronous: starts the product. Returns a status; unless it is STRIPELINE_PLUGIN_DONE,
     * nothing was started and the ticket never completes. Must not block.
     */
    int32_t (*submit)(void *lane, uint64_t ticket, const struct stripeline_plugin_product *product);
    /**
     * Asynchronous: stores up to `completions_max` completions and returns their number. Every
     * submitted ticket completes once, in any order. If nothing is complete it may wait, for at
     * most `timeout_us` microseconds; if it returns 0 early, the loader pauses before the next
     * call. A negative number means that the lane is unusable: no submitted product completes
     * after that, and its buffers are no longer accessed.
     */
    int32_t (*poll)(void *lane,
                    uint32_t timeout_us,
                    struct stripeline_plugin_completion *completions,
                    uint32_t completions_max);
    /**
     * Asynchronous, called only with STRIPELINE_PLUGIN_CANCEL_IS_FINAL, may be null: cancels a
     * submitted product. After STRIPELINE_PLUGIN_DONE its ticket never completes; after any other
     * status it completes as without the call.
     */
    int32_t (*cancel)(void *lane, uint64_t ticket);
    /**
     * May be null: writes the reason why the last call on this lane failed, at most `bytes` bytes
     * with the final 0, lower case and without a full stop. `lane` is null if no lane could be
     * opened.
     */
    void (*last_error)(void *lane, char *text, size_t bytes);
} stripeline_plugin_table;

/**
 * The only function that a plug-in exports, with the name `stripeline_plugin`. It returns null if
 * the plug-in does not support this version.
 */
typedef const struct stripeline_plugin_table *(*stripeline_plugin_entry)(uint32_t abi_version);

#endif  /* STRIPELINE_PLUGIN_H */

#ifdef __cplusplus
extern "C"
#endif
/** The function that a plug-in exports: see stripeline_plugin_entry. */
__attribute__((visibility("default")))
const stripeline_plugin_table *stripeline_plugin(uint32_t abi_version);
