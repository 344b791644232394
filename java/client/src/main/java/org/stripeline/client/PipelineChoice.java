// SPDX-License-Identifier: Apache-2.0
package org.stripeline.client;

import org.apache.hadoop.conf.Configuration;

/** The pipelines that a configuration selects. */
public final class PipelineChoice {
  private final boolean read;
  private final WriteMode write;

  private PipelineChoice(boolean read, WriteMode write) {
    this.read = read;
    this.write = write;
  }

  /** Reads the choice from a configuration. */
  public static PipelineChoice of(Configuration conf) {
    return of(new ClientSettings(conf));
  }

  /** Reads the choice from settings. */
  public static PipelineChoice of(ClientSettings settings) {
    return new PipelineChoice(
        settings.flag(ClientKeys.READ_ENABLED, ClientKeys.READ_ENABLED_DEFAULT),
        settings.choice(ClientKeys.WRITE_MODE, ClientKeys.WRITE_MODE_DEFAULT, WriteMode::parse));
  }

  /** Returns whether Stripeline's pipeline reads erasure-coded files. */
  public boolean ourRead() {
    return read;
  }

  /** Returns how erasure-coded files are written. */
  public WriteMode write() {
    return write;
  }

  /** Returns whether at least one of Stripeline's pipelines is enabled. */
  public boolean anyOfOurs() {
    return read || write != WriteMode.STOCK;
  }
}
