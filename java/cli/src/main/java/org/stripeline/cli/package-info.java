// SPDX-License-Identifier: Apache-2.0
/** The {@code stripeline} command and its entry point. */
package org.stripeline.cli;
