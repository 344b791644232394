// SPDX-License-Identifier: Apache-2.0
/**
 * Erasure codes for Java, without Hadoop: {@link org.stripeline.natives.ErasureCodec} over the
 * native library, or over pure Java where the library cannot be loaded.
 *
 * <p>How it works. {@code CheckedCodec} checks every argument, so that both implementations refuse
 * the same mistakes with the same words; below it {@code NativeCodec} goes down through {@code
 * NativeBridge}, and {@code JavaCodec} computes with {@code BlockCoder}. {@code NativeLoader}
 * finds, checks and loads the library once, on first use, never in a static initialiser. {@link
 * org.stripeline.natives.CoderStatus} says which implementation is live and why.
 *
 * <p>Words: a <em>unit</em> is the bytes of one internal block in one call, data units first and
 * parity units after them; <em>erased</em> units are to be produced; <em>absent</em> ones were not
 * read and need not be produced.
 */
package org.stripeline.natives;
