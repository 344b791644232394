// SPDX-License-Identifier: Apache-2.0
/** {@code stripeline simulate}. */
package org.stripeline.cli.simulate;
