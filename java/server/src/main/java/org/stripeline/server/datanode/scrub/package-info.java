// SPDX-License-Identifier: Apache-2.0
/**
 * Fingerprints of replicas: reads them at a limited rate and without effect on the page cache,
 * verifies their checksums, and notices if they change meanwhile. Of the agent's packages it uses
 * only {@link org.stripeline.server.datanode}.
 */
package org.stripeline.server.datanode.scrub;
