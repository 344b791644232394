// SPDX-License-Identifier: Apache-2.0
/**
 * Estimates the space that erasure coding would save for a tree of replicated files, without
 * changing anything.
 *
 * <p>A {@link org.stripeline.plan.source.FileSource} streams the files of a tree from a NameNode or
 * from an image of one; {@code PlanCalculator} sums them independently of their source; {@code
 * PlanReport} is the result, and {@code PlanTable} formats it as text. {@code Audit} checks the
 * layout of files that are already erasure-coded.
 */
package org.stripeline.plan;
