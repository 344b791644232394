// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline convert}: converts replicated files to erasure coding in place, and back.
 *
 * <p>A <em>job</em> walks a tree. It has a directory of its own on HDFS with its settings, its
 * <em>journal</em> and its <em>temporary files</em>. For each file, the driver creates a temporary
 * file with the same bytes, compares the two, copies the attributes of the original, takes its
 * lease (the <em>fence</em>), and swaps the temporary file for the original in one call to the
 * NameNode. Until then the original is unchanged. Each <em>step</em> is written to the journal
 * before it is done, so that after a driver dies at any step, the next driver can complete the
 * conversion or roll it back.
 *
 * <p>A {@link org.stripeline.convert.file.FileRewriter} creates the temporary file, either by
 * copying the bytes or by adopting the existing replicas.
 *
 * <p>Only superusers can run a job, since it changes files of all owners.
 */
package org.stripeline.convert;
