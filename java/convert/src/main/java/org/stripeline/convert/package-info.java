// SPDX-License-Identifier: Apache-2.0
/**
 * {@code stripeline convert}: replicated files become erasure-coded ones, and back, in place.
 *
 * <p>A <em>job</em> walks a tree and has a directory of its own on HDFS with its settings, its
 * <em>journal</em> and its <em>temporary files</em>. For each file: its lease is taken (the
 * <em>fence</em>), a temporary file of the same bytes is made, compared, given the attributes of
 * the original, and swapped for it in one call of the NameNode. Until then the original is
 * untouched. What will be done is in the journal before it is done, so a driver that dies at any
 * <em>step</em> leaves what the next one can finish or roll back.
 *
 * <p>How the temporary file comes to be is a {@link org.stripeline.convert.file.FileRewriter}'s
 * matter: it is copied, or it adopts the replicas where they lie.
 *
 * <p>Only superusers can run a job: it changes files of all owners.
 */
package org.stripeline.convert;
