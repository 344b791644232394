// SPDX-License-Identifier: Apache-2.0
/**
 * Tells what erasure coding would bring for a tree of replicated files, before anything is done.
 *
 * <p>A {@code FileSource} streams the files of a tree, out of a NameNode or an image of one; the
 * {@code PlanCalculator} adds them up and knows nothing of where they come from; {@code PlanReport}
 * is the result, {@code PlanTable} its form for people. {@code LayoutAudit} is the look back: it
 * checks the layout of files that are coded.
 */
package org.stripeline.plan;
