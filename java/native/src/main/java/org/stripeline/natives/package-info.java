// SPDX-License-Identifier: Apache-2.0
/**
 * Erasure codes for Java, without Hadoop. This package has what every module uses: the clock and
 * the threads that a process shares.
 *
 * <p>Structure, where each package uses only those after it:
 *
 * <ul>
 *   <li>{@code org.stripeline.natives.engine} does the work with all coders of a machine,
 *   <li>{@code org.stripeline.natives.fingerprint} computes fingerprints of blocks and locates
 *       wrong ones,
 *   <li>{@code org.stripeline.natives.codec} computes codes and checksums,
 *   <li>{@code org.stripeline.natives.library} loads the native library,
 *   <li>this package.
 * </ul>
 */
package org.stripeline.natives;
