// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;

/** Thrown if the operator has cancelled the job: what is in progress is rolled back. */
public final class CancelledException extends IOException {
  private static final long serialVersionUID = 1L;

  CancelledException() {
    super("the job was cancelled");
  }
}
