// SPDX-License-Identifier: Apache-2.0
/**
 * Raw erasure coders for Apache Hadoop, named {@code stripeline}, for the codecs {@code rs}, {@code
 * rs-legacy} and {@code xor}.
 *
 * <p>Hadoop finds the factories through {@code ServiceLoader} in every process that has the jar on
 * its class path, and uses them where {@code io.erasurecode.codec.<codec>.rawcoders} names {@code
 * stripeline}. An exception from a static initialiser here would end all erasure coding of that
 * process, so there is none that can throw, and the native library is not touched before a coder is
 * created. The coders themselves are in {@code org.apache.hadoop.io.erasurecode.rawcoder}, because
 * their abstract methods take types that are private to that package.
 *
 * <p>Coders call the library directly, or issue their work to the engine of the process where
 * {@code stripeline.engine.enabled} is set; see {@link org.stripeline.natives.RailEngine}.
 */
package org.stripeline.coder;
