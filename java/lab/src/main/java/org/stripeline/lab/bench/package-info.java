// SPDX-License-Identifier: Apache-2.0
/**
 * Measures coders as Java programs use them.
 *
 * <p>The native bench compares kernels in one process. Java needs many: a JVM's compiler decides
 * once how fast a loop is, so each figure is taken in processes of its own, the contestants in
 * turn. {@code JavaBench} runs them; {@code HadoopBenchmarkRun} and {@code CallCostRun} are what
 * they run.
 */
package org.stripeline.lab.bench;
