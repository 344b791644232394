// SPDX-License-Identifier: Apache-2.0
/**
 * The ledger of scrubs: files on HDFS that record when each group was checked, how, and with which
 * result. It survives a kill of the scrub at any time, and has one writer at a time.
 */
package org.stripeline.scrub.ledger;
