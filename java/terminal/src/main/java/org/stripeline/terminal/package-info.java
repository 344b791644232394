// SPDX-License-Identifier: Apache-2.0
/** The common parts of all commands: options, exit statuses, tables, progress and sizes. */
package org.stripeline.terminal;
