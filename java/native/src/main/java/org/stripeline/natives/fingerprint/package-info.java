// SPDX-License-Identifier: Apache-2.0
/**
 * Linear fingerprints of blocks, and the location of the wrong blocks of a group from them.
 *
 * <p>Each DataNode computes a {@link org.stripeline.natives.fingerprint.Fingerprint} of every
 * window of its blocks, 128 bytes per MiB, with one {@link
 * org.stripeline.natives.fingerprint.FingerprintFunction} for all; {@link
 * org.stripeline.natives.fingerprint.Location} concludes from those of a group which blocks are
 * wrong. Replicas of one block have equal fingerprints; if they differ, the majority proves
 * nothing.
 *
 * <p>The bytes of blocks are summed by the native library, or in Java if it cannot be loaded. The
 * definition is docs/decisions/0015-fingerprints.md.
 */
package org.stripeline.natives.fingerprint;
