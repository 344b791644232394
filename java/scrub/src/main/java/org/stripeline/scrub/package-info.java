// SPDX-License-Identifier: Apache-2.0
/**
 * The commands {@code stripeline scrub}, which checks that the blocks of each group, and the
 * replicas of each block, match, and changes nothing, and {@code stripeline repair}, which has HDFS
 * replace those that do not.
 *
 * <p>{@code OldestFiles} orders the files of a tree, {@code ScrubRun} checks their groups with
 * {@link org.stripeline.scrub.check.GroupCheck}, and {@code ScrubOutput} prints what is found.
 * {@code RepairCommand} runs the same checks, and a {@link org.stripeline.scrub.repair.GroupRepair}
 * for each damaged group.
 */
package org.stripeline.scrub;
