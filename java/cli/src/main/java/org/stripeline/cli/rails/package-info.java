// SPDX-License-Identifier: Apache-2.0
/** The coders of a machine: which there are, and how fast. */
package org.stripeline.cli.rails;
