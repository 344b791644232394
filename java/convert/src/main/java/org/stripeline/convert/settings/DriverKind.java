// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.settings;

/** Who does the work that moves bytes. */
public enum DriverKind {
  /** This process: it copies by itself, and waits for agents by itself. */
  client,
  /** Maps, one for each block group, in jobs of the framework that Hadoop is configured for. */
  mapreduce
}
