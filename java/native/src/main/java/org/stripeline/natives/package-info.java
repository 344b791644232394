// SPDX-License-Identifier: Apache-2.0
/**
 * Erasure codes for Java, without Hadoop: {@link org.stripeline.natives.ErasureCodec} with the
 * native library, or with pure Java if the library cannot be loaded.
 *
 * <p>Structure: {@code CheckedCodec} checks every argument, so that both implementations reject the
 * same mistakes with the same messages; below it, {@code NativeCodec} calls {@code NativeBridge},
 * and {@code JavaCodec} computes with {@code BlockCoder}. {@code NativeLoader} finds, checks and
 * loads the library once, on first use, never in a static initialiser. {@link
 * org.stripeline.natives.CoderStatus} shows which implementation is in use and why.
 *
 * <p>Terms: a <em>unit</em> is the bytes of one internal block in one call, data units first and
 * parity units after them; <em>erased</em> units are to be produced; <em>absent</em> units were not
 * read and need not be produced.
 */
package org.stripeline.natives;
