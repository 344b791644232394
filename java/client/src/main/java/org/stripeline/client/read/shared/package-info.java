// SPDX-License-Identifier: Apache-2.0
/**
 * What all streams of a client or of the JVM share to read: settings, fetch threads, buffers, idle
 * connections, counters, and the health and latencies of DataNodes. It knows neither streams nor
 * block groups; it uses {@link org.stripeline.client}, but not {@link org.stripeline.client.read}.
 */
package org.stripeline.client.read.shared;
