// SPDX-License-Identifier: Apache-2.0
/**
 * Client pipelines for erasure-coded files of HDFS: what of them needs nothing of Hadoop's
 * internals. The classes that do live in Hadoop's own packages.
 */
package org.stripeline.client;
