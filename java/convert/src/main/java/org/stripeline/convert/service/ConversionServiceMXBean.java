// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.service;

/** The state of a conversion service as attributes of a managed bean. */
public interface ConversionServiceMXBean {
  /** Returns what the service does: starting, working, waiting or stopped. */
  String getState();

  /** Returns the passes over the rules that were begun. */
  long getPasses();

  /** Returns the files converted. */
  long getFilesConverted();

  /** Returns the bytes of those files, without replicas. */
  long getBytesConverted();

  /** Returns the files that could not be converted. */
  long getFilesFailed();

  /** Returns when the next pass begins, in milliseconds since 1970; 0 while one is being done. */
  long getNextPassMs();

  /** Returns why the rules file is not in force as it is now; empty if it is. */
  String getRulesError();

  /** Returns the whole status as JSON. */
  String getStatus();
}
