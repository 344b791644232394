// SPDX-License-Identifier: Apache-2.0
/**
 * Measures writing and reading of files on HDFS: coders and client pipelines side by side.
 *
 * <p>{@code IoBench} runs one cluster and a client JVM per contestant, which all stand by while one
 * of them works; {@code ClientMain} is such a JVM's main class. What a client does is asked and
 * answered in lines of JSON ({@code ClientRequest}, {@code ClientAnswer}).
 */
package org.stripeline.lab.bench.io;
