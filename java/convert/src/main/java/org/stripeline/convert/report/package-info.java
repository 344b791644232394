// SPDX-License-Identifier: Apache-2.0
/** What a conversion found and did, as events, totals, tables and JSON. */
package org.stripeline.convert.report;
