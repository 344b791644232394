// SPDX-License-Identifier: Apache-2.0
// A CUDA driver without a GPU: the calls that the rail makes, on host memory, with the real kernel compiled for the
// host. Each stream has its own thread. Tests inject faults by `mock_set` and read counters by `mock_get`.

#include "shim.h"
#include "state.h"

#define EXPORT __attribute__((visibility("default")))
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static _Thread_local uintptr_t current[8];
static _Thread_local int current_count;

static int knob_of(const char *name)
{
    for (int knob = 0; knob < KNOBS; knob++) {
        if (!strcmp(name, knob_names[knob])) {
            return knob;
        }
    }
    fprintf(stderr, "no knob %s\n", name);
    abort();
}

EXPORT void mock_set(const char *name, long value)
{
    pthread_mutex_lock(&lock);
    knobs[knob_of(name)] = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

EXPORT long mock_get(const char *name)
{
    pthread_mutex_lock(&lock);
    const int knob = knob_of(name);
    if (knob == CANARIES_BROKEN) {
        for (const struct Memory *memory = memories; memory; memory = memory->next) {
            check_canaries(memory);
        }
    }
    const long value = knobs[knob];
    pthread_mutex_unlock(&lock);
    return value;
}

// The checks at the start of every call; `in_context`: whether the call needs a current context.
static int enter(bool in_context)
{
    if (knobs[LOST]) {
        return NO_DEVICE;
    }
    if (!in_context) {
        return SUCCESS;
    }
    if (!current_count) {
        return INVALID_CONTEXT;
    }
    return current[current_count - 1] != CONTEXT_HANDLE ? CONTEXT_IS_DESTROYED : context_error;
}

#define BEGIN(in_context)                                                                                              \
    pthread_mutex_lock(&lock);                                                                                         \
    int status = enter(in_context)
#define END                                                                                                            \
    pthread_mutex_unlock(&lock);                                                                                       \
    return status

EXPORT int cuInit(Word flags)
{
    BEGIN(false);
    status = flags ? INVALID_VALUE : knobs[DEVICES] ? status : NO_DEVICE;
    END;
}

EXPORT int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return SUCCESS;
}

EXPORT int cuDeviceGetCount(int *count)
{
    BEGIN(false);
    *count = (int)knobs[DEVICES];
    END;
}

EXPORT int cuDeviceGet(int *device, int ordinal)
{
    BEGIN(false);
    *device = ordinal;
    END;
}

EXPORT int cuDeviceGetName(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "Mock GPU %d", device);
    return SUCCESS;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    BEGIN(false);
    const int capability = (int)knobs[CAPABILITY];
    *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : 2;
    END;
}

EXPORT int cuGetErrorString(int status, const char **text)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {INVALID_VALUE, "invalid argument"},
        {OUT_OF_MEMORY, "out of memory"},
        {DEVICE_UNAVAILABLE, "device is busy or unavailable"},
        {NO_DEVICE, "no CUDA-capable device is detected"},
        {INVALID_CONTEXT, "invalid device context"},
        {ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
        {CONTEXT_IS_DESTROYED, "context is destroyed"},
        {LAUNCH_FAILED, "unspecified launch failure"},
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        if (texts[i].status == status) {
            *text = texts[i].text;
            return SUCCESS;
        }
    }
    return INVALID_VALUE;
}

EXPORT int cuDevicePrimaryCtxRetain(uintptr_t *context, int device)
{
    (void)device;
    BEGIN(false);
    if (!status) {
        knobs[CONTEXTS]++;
        *context = CONTEXT_HANDLE;
    }
    END;
}

// Called with the lock held. The driver waits so before it frees memory or ends a context.
static void wait_for_all_work(void)
{
    while (knobs[KERNELS_RUNNING]) {
        pthread_cond_wait(&changed, &lock);
    }
}

// Called with the lock held. Allocations are freed with their context, and registrations end.
static void remove_all_memory(void)
{
    while (memories) {
        remove_memory(memories->kind, memories->start);
    }
}

// Called with the lock held, when the context is no longer used.
static void end_context(void)
{
    context_number++;
    context_error = SUCCESS;
    pthread_cond_broadcast(&changed);
    wait_for_all_work();
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    BEGIN(false);
    if (!knobs[CONTEXTS]) {
        status = INVALID_CONTEXT;
    } else if (!--knobs[CONTEXTS]) {
        // After an error nothing can be freed by itself. Otherwise it must have been.
        const bool unusable = context_error;
        end_context();
        if (unusable) {
            remove_all_memory();
        }
    }
    END;
}

EXPORT int cuDevicePrimaryCtxReset_v2(int device)
{
    (void)device;
    BEGIN(false);
    while (knobs[HANG_RESET]) {
        pthread_cond_wait(&changed, &lock);
    }
    knobs[RESETS]++;
    if (knobs[RESETS_FAILED]) {
        // Neither says that the device has stopped.
        status = knobs[RESETS_FAILED]-- % 2 ? DEVICE_UNAVAILABLE : LAUNCH_FAILED;
        END;
    }
    // As the driver documents, this releases no reference: every retained context must still be released.
    end_context();
    remove_all_memory();
    END;
}

EXPORT int cuCtxPushCurrent_v2(uintptr_t context)
{
    BEGIN(false);
    if (!status && (context != CONTEXT_HANDLE || !knobs[CONTEXTS])) {
        status = CONTEXT_IS_DESTROYED;
    }
    if (!status && knobs[PUSHES_FAILED]) {
        status = DEVICE_UNAVAILABLE;
    }
    if (!status) {
        current[current_count++] = context;
    }
    END;
}

EXPORT int cuCtxPopCurrent_v2(uintptr_t *context)
{
    if (!current_count) {
        return INVALID_CONTEXT;
    }
    *context = current[--current_count];
    return SUCCESS;
}

EXPORT int cuModuleLoadData(uintptr_t *module, const char *image)
{
    BEGIN(true);
    while (knobs[HANG_LOAD]) {
        pthread_cond_wait(&changed, &lock);
    }
    if (!status && !strstr(image, ".visible .entry product_1(")) {
        status = INVALID_VALUE;
    }
    *module = 1;
    END;
}

EXPORT int cuModuleUnload(uintptr_t module)
{
    (void)module;
    BEGIN(true);
    END;
}

EXPORT int cuModuleGetFunction(uintptr_t *function, uintptr_t module, const char *name)
{
    (void)module;
    BEGIN(true);
    const bool known = sscanf(name, "product_%ld", (long *)function) == 1 && *function >= 1 && *function <= ROWS_MAX;
    status = status ? status : known ? SUCCESS : NOT_FOUND;
    END;
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    BEGIN(true);
    if (!status && knobs[DEVICE_BYTES] + (long)bytes > knobs[DEVICE_BYTES_MAX]) {
        status = OUT_OF_MEMORY;
    }
    if (!status) {
        *address = (uintptr_t)add_memory(ON_DEVICE, NULL, bytes)->start + DEVICE_BIAS;
    }
    END;
}

EXPORT int cuMemFree_v2(uint64_t address)
{
    BEGIN(true);
    wait_for_all_work();
    if (!status && !remove_memory(ON_DEVICE, (uint8_t *)(uintptr_t)(address - DEVICE_BIAS))) {
        status = INVALID_VALUE;
    }
    END;
}

EXPORT int cuMemHostAlloc(void **start, size_t bytes, Word flags)
{
    (void)flags;
    BEGIN(true);
    if (!status && knobs[PINNED_BYTES] + (long)bytes > knobs[PINNED_BYTES_MAX]) {
        status = OUT_OF_MEMORY;
    }
    if (!status) {
        *start = add_memory(PINNED, NULL, bytes)->start;
    }
    END;
}

EXPORT int cuMemFreeHost(void *start)
{
    BEGIN(true);
    wait_for_all_work();
    if (!status && !remove_memory(PINNED, start)) {
        status = INVALID_VALUE;
    }
    END;
}

EXPORT int cuMemHostRegister_v2(uint8_t *start, size_t bytes, Word flags)
{
    BEGIN(true);
    if (!status && (flags > 1 || is_memory(false, start, bytes))) {
        status = INVALID_VALUE;
    }
    if (!status && flags && knobs[REGISTERED_BYTES] + (long)bytes > knobs[REGISTERED_BYTES_MAX]) {
        status = OUT_OF_MEMORY;
    }
    if (!status) {
        add_memory(flags ? PORTABLE : REGISTERED, start, bytes);
    }
    END;
}

EXPORT int cuMemHostUnregister(uint8_t *start)
{
    BEGIN(true);
    wait_for_all_work();
    if (!status && !remove_memory(REGISTERED, start) && !remove_memory(PORTABLE, start)) {
        status = INVALID_VALUE;
    }
    END;
}

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    BEGIN(true);
    uint8_t *start = on_device(to, bytes);
    status = status ? status : start ? SUCCESS : INVALID_VALUE;
    if (!status) {
        memcpy(start, from, bytes);
    }
    END;
}

EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    BEGIN(true);
    const uint8_t *start = on_device(from, bytes);
    status = status ? status : start ? SUCCESS : INVALID_VALUE;
    if (!status) {
        memcpy(to, start, bytes);
    }
    END;
}

// Called with the lock held.
static void put(struct Stream *stream, struct Operation operation)
{
    struct Operation *kept = malloc(sizeof *kept);
    *kept = operation;
    kept->next = NULL;
    *stream->last = kept;
    stream->last = &kept->next;
    pthread_cond_broadcast(&changed);
}

static int put_copy(struct Stream *stream, void *to, const void *from, size_t bytes, const void *host)
{
    if (!to || !from) {
        return context_error = ILLEGAL_ADDRESS;
    }
    if (host && !is_memory(false, host, bytes)) {
        // As seen on an H200: the driver refuses a copy that goes on beyond the memory in which it begins.
        if (is_memory(false, host, 1)) {
            return INVALID_VALUE;
        }
        knobs[PAGEABLE_COPIES]++;
    }
    knobs[COPIES]++;
    put(stream, (struct Operation){.to = to, .from = from, .bytes = bytes, .is_out = to == host});
    return SUCCESS;
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct Stream *stream)
{
    BEGIN(true);
    status = status ? status : put_copy(stream, on_device(to, bytes), from, bytes, from);
    END;
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct Stream *stream)
{
    BEGIN(true);
    if (!status && knobs[COPIES_OUT_REFUSED] && !--knobs[COPIES_OUT_REFUSED]) {
        status = OUT_OF_MEMORY;
    }
    status = status ? status : put_copy(stream, to, on_device(from, bytes), bytes, to);
    END;
}

EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, struct Stream *stream)
{
    BEGIN(true);
    status = status ? status : put_copy(stream, on_device(to, bytes), on_device(from, bytes), bytes, NULL);
    END;
}

// Converts a device address to the mock's own; 0 if it does not have `bytes` bytes, or violates a declared alignment.
static Address resolve(Address address, size_t bytes, bool aligned)
{
    return aligned && address % UNIT_BYTES ? 0 : (uintptr_t)on_device(address, bytes);
}

static bool resolve_all(struct Product *product, int rows, Word stripes)
{
    const Word groups = (product->columns + GROUP - 1) / GROUP, buffers = stripes * (product->columns + (Word)rows);
    product->tables = resolve(product->tables, groups * sizeof(struct Group), true);
    bool right = product->tables != 0 && buffers <= BUFFERS_MAX;
    for (Word buffer = 0; right && buffer < buffers; buffer++) {
        product->buffers[buffer] = resolve(product->buffers[buffer], product->bytes, product->aligned);
        right = product->buffers[buffer] != 0;
    }
    return right;
}

EXPORT int cuLaunchKernel(uintptr_t function, Word blocks, Word stripes, Word blocks_z, Word threads, Word threads_y,
                          Word threads_z, Word shared, struct Stream *stream, void **parameters, void **extra)
{
    BEGIN(true);
    if (status) {
        END;
    }
    if (!blocks || !stripes || threads != 256 || blocks_z * threads_y * threads_z != 1 || shared || extra) {
        status = INVALID_VALUE;
        END;
    }
    if (knobs[LAUNCHES_REFUSED]) {
        knobs[LAUNCHES_REFUSED]--;
        status = OUT_OF_MEMORY;
        END;
    }
    struct Operation operation = {
        .is_kernel = true, .rows = (int)function, .blocks = blocks, .stripes = stripes, .threads = threads};
    operation.product = *(const struct Product *)parameters[0];
    if (!resolve_all(&operation.product, operation.rows, stripes)) {
        status = context_error = ILLEGAL_ADDRESS;
        END;
    }
    knobs[LAUNCHES]++;
    knobs[UNALIGNED_LAUNCHES] += !operation.product.aligned;
    put(stream, operation);
    END;
}

// Called with the lock held, which is released during the work itself.
static void run_kernel(const struct Stream *stream, const struct Operation *operation)
{
    knobs[KERNELS_RUNNING]++;
    pthread_cond_broadcast(&changed);
    while (knobs[HANG] && stream->context == context_number) {
        pthread_cond_wait(&changed, &lock);
    }
    if (stream->context == context_number && knobs[LAUNCHES_FAILED]) {
        knobs[LAUNCHES_FAILED]--;
        context_error = LAUNCH_FAILED;
    } else if (stream->context == context_number) {
        const bool wrong = knobs[WRONG];
        pthread_mutex_unlock(&lock);
        const struct Product *product = &operation->product;
        run_grid(product, operation->rows, operation->blocks, operation->stripes, operation->threads);
        if (wrong) {
            *(uint8_t *)product->buffers[product->columns] ^= 1;
        }
        pthread_mutex_lock(&lock);
    }
    knobs[KERNELS_RUNNING]--;
    pthread_cond_broadcast(&changed);
}

static void *work(void *argument)
{
    struct Stream *stream = argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct Operation *operation = stream->first;
        const bool alive = stream->context == context_number;
        if (operation) {
            stream->first = operation->next;
            stream->last = stream->first ? stream->last : &stream->first;
            stream->busy = true;
            if (alive && !context_error && !knobs[LOST]) {
                if (operation->is_kernel) {
                    run_kernel(stream, operation);
                } else {
                    memcpy(operation->to, operation->from, operation->bytes);
                    if (operation->is_out && knobs[COPIES_OUT_FAILED] && !--knobs[COPIES_OUT_FAILED]) {
                        context_error = LAUNCH_FAILED;
                    }
                }
            }
            stream->busy = false;
            free(operation);
        } else if (stream->ends || !alive) {
            break;
        } else {
            pthread_cond_wait(&changed, &lock);
        }
    }
    knobs[STREAMS]--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(stream);
    return NULL;
}

EXPORT int cuStreamCreate(struct Stream **created, Word flags)
{
    BEGIN(true);
    if (!status && flags != 1) {
        status = INVALID_VALUE;
    }
    if (!status) {
        struct Stream *stream = calloc(1, sizeof *stream);
        stream->last = &stream->first;
        stream->context = context_number;
        *created = stream;
        knobs[STREAMS]++;
        pthread_create(&stream->thread, NULL, work, stream);
        pthread_detach(stream->thread);
    }
    END;
}

EXPORT int cuStreamDestroy_v2(struct Stream *stream)
{
    BEGIN(true);
    if (!status || status == context_error) {
        stream->ends = true;
        pthread_cond_broadcast(&changed);
    }
    END;
}

EXPORT int cuStreamQuery(struct Stream *stream)
{
    BEGIN(true);
    knobs[QUERIES]++;
    if (!status && knobs[QUERIES_FAILED]) {
        status = DEVICE_UNAVAILABLE;
    } else if (!status && (stream->first || stream->busy)) {
        status = NOT_READY;
    }
    END;
}
