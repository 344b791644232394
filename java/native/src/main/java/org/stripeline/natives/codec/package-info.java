// SPDX-License-Identifier: Apache-2.0
/**
 * Erasure codes and checksums: {@link org.stripeline.natives.codec.ErasureCodec} with the native
 * library, or with pure Java if the library cannot be loaded.
 *
 * <p>Structure: {@code CheckedCodec} checks every argument, so that all implementations reject the
 * same mistakes with the same messages; below it, {@code NativeCodec} calls {@code NativeBridge},
 * and {@code JavaCodec} computes with {@code BlockCoder}. {@link
 * org.stripeline.natives.codec.CoderStatus} shows which implementation is in use and why. {@link
 * org.stripeline.natives.codec.DelegatedCodec}, {@link org.stripeline.natives.codec.GaloisField},
 * {@link org.stripeline.natives.codec.ChunkChecksums}, and what creates an {@link
 * org.stripeline.natives.codec.EcException}, are public for Stripeline's own modules only.
 *
 * <p>Terms: a <em>unit</em> is the bytes of one internal block in one call, data units first and
 * parity units after them; <em>erased</em> units are to be produced; <em>absent</em> units were not
 * read and need not be produced.
 */
package org.stripeline.natives.codec;
