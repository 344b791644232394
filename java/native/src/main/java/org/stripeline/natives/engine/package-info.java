// SPDX-License-Identifier: Apache-2.0
/**
 * Erasure coding with all coders ("rails") of a machine: {@link
 * org.stripeline.natives.engine.RailEngine}, its codecs, tasks, configuration and statistics.
 *
 * <p>Structure: {@code EngineCodec} issues calls and tasks through {@code EngineBridge}, and one
 * thread, {@code EngineCompletions}, completes the tasks. Arguments are checked by the package
 * {@code codec}, on which this one depends.
 */
package org.stripeline.natives.engine;
