// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

/**
 * Thrown if the demo cannot continue or found an error. The message is for the user and needs no
 * stack trace.
 */
final class DemoException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super(message);
  }
}
