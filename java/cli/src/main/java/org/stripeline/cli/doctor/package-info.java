// SPDX-License-Identifier: Apache-2.0
/** {@code stripeline doctor}: examines a machine and the configuration of its cluster. */
package org.stripeline.cli.doctor;
