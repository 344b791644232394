// SPDX-License-Identifier: Apache-2.0
/**
 * Loads the native library. This package is for Stripeline's own modules; users see the outcome in
 * {@code org.stripeline.natives.codec.CoderStatus}.
 *
 * <p>{@link org.stripeline.natives.library.NativeLoader} finds, checks, loads and tests the library
 * once, on first use, never in a static initialiser. The test is given to it, so that this package
 * needs no codec.
 */
package org.stripeline.natives.library;
