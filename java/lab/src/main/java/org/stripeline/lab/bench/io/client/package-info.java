// SPDX-License-Identifier: Apache-2.0
/**
 * The code that runs in the client JVM of a contestant; {@code ClientMain} is its main class.
 *
 * <p>Requests and answers are lines of JSON ({@code ClientRequest}, {@code ClientAnswer}).
 */
package org.stripeline.lab.bench.io.client;
