// SPDX-License-Identifier: Apache-2.0
/**
 * Raw erasure coders for Apache Hadoop, named {@code stripeline}, for the codecs {@code rs}, {@code
 * rs-legacy} and {@code xor}.
 *
 * <p>Hadoop finds the factories through {@code ServiceLoader} in every process that has the jar on
 * its class path, and uses them if {@code io.erasurecode.codec.<codec>.rawcoders} contains {@code
 * stripeline}. An exception from a static initialiser here would disable all erasure coding of that
 * process, so no static initialiser can throw, and the native library is not loaded before a coder
 * is created. The coders themselves are in {@code org.apache.hadoop.io.erasurecode.rawcoder},
 * because their abstract methods have parameters of types that are private to that package.
 *
 * <p>Coders call the library directly, or issue their work to the engine of the process if {@code
 * stripeline.engine.enabled} is set; see {@link org.stripeline.natives.engine.RailEngine}.
 */
package org.stripeline.coder;
