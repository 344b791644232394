// SPDX-License-Identifier: Apache-2.0
/** Reports the results of a conversion as events, totals, tables and JSON. */
package org.stripeline.convert.report;
