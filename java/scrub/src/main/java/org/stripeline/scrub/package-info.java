// SPDX-License-Identifier: Apache-2.0
/**
 * The command {@code stripeline scrub}: checks that the blocks of each group, and the replicas of
 * each block, match, and changes nothing.
 *
 * <p>{@code OldestFiles} orders the files of a tree, {@code ScrubRun} checks their groups with
 * {@link org.stripeline.scrub.check.GroupCheck}, and {@code ScrubOutput} prints what is found.
 */
package org.stripeline.scrub;
