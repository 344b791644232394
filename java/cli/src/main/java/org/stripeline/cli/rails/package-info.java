// SPDX-License-Identifier: Apache-2.0
/** The rails of a machine: which are available, and their rates. */
package org.stripeline.cli.rails;
