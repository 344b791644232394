// SPDX-License-Identifier: Apache-2.0
/**
 * The repair of one group whose damage a check has located: what is replaced, and the steps; see
 * {@code docs/decisions/0017-repair.md}. Knows of HDFS only what {@link
 * org.stripeline.scrub.repair.RepairAccess} has.
 */
package org.stripeline.scrub.repair;
