// SPDX-License-Identifier: Apache-2.0
package org.stripeline.lab.demo;

/**
 * The demo cannot go on, or found something that must not be. The message is for the person at the
 * terminal and needs no stack trace.
 */
final class DemoException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  DemoException(String message) {
    super(message);
  }
}
