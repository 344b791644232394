// SPDX-License-Identifier: Apache-2.0
/** The metrics that the client pipelines publish through JMX and Hadoop's metrics. */
package org.stripeline.client.metrics;
