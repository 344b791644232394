// SPDX-License-Identifier: Apache-2.0
/** The status of jobs, as their drivers record it on HDFS and other processes read it. */
package org.stripeline.convert.status;
