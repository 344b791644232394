// SPDX-License-Identifier: Apache-2.0
/**
 * Measures coders through their Java interfaces.
 *
 * <p>The native benchmark compares kernels in one process. In Java, the JIT compiler of a JVM
 * determines the speed of a loop once, so each value is measured in separate processes, with the
 * contestants in turn. {@code JavaBench} starts these processes; {@code HadoopBenchmarkRun} and
 * {@code CallCostRun} run in them.
 */
package org.stripeline.lab.bench;
