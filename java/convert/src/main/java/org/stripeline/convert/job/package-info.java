// SPDX-License-Identifier: Apache-2.0
/** A conversion job on HDFS: its directory, lock, journal and temporary files. */
package org.stripeline.convert.job;
