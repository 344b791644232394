// SPDX-License-Identifier: Apache-2.0
/**
 * Measures writing and reading of files on HDFS: coders and client pipelines side by side.
 *
 * <p>{@code IoBench} runs one cluster and a client JVM per contestant, which all stand by while one
 * of them works; what such a JVM runs is in {@link org.stripeline.lab.bench.io.client}.
 */
package org.stripeline.lab.bench.io;
