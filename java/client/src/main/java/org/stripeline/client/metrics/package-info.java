// SPDX-License-Identifier: Apache-2.0
/** What the client pipelines publish through JMX and Hadoop's metrics. */
package org.stripeline.client.metrics;
