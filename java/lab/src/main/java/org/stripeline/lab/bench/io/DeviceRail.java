// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.bench.io;

import java.time.Duration;
import org.stripeline.lab.bench.RailReport;
import org.stripeline.natives.codec.EcException;

/**
 * The rail beside the CPUs with which engines are measured, as the engine's configuration names it.
 */
final class DeviceRail {
  /** Every GPU. */
  static final String DEFAULT = "cuda";

  /** What {@code stripeline.engine.rails} contains. */
  final String configured;

  /** The rail's own name; null if it cannot be used. */
  final String name;

  /** Why it cannot be used, or null. */
  final String absence;

  private DeviceRail(String configured, String name, String absence) {
    this.configured = configured;
    this.name = name;
    this.absence = absence;
  }

  /** Looks for a rail and runs its known-answer tests. */
  static DeviceRail find(String configured) {
    String why = "this machine has no " + configured;
    try {
      for (RailReport.Rail rail : RailReport.of(configured, Duration.ZERO, null).rails) {
        if (rail.in) {
          return new DeviceRail(configured, rail.name, null);
        }
        why = rail.reason;
      }
    } catch (EcException | IllegalArgumentException e) {
      why = e.getMessage();
    }
    return new DeviceRail(configured, null, why);
  }
}
