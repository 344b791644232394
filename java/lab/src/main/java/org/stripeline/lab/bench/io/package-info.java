// SPDX-License-Identifier: Apache-2.0
/**
 * Measures writing and reading of files on HDFS, to compare coders and client pipelines.
 *
 * <p>{@code IoBench} runs one cluster and a client JVM per contestant, of which only one is active
 * at a time; the code of these JVMs is in {@link org.stripeline.lab.bench.io.client}.
 */
package org.stripeline.lab.bench.io;
