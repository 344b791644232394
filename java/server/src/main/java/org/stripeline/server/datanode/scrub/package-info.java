// SPDX-License-Identifier: Apache-2.0
/**
 * Fingerprints of replicas, and their quarantine. For fingerprints, replicas are read at a limited
 * rate and without effect on the page cache, their checksums are verified, and changes meanwhile
 * are noticed. The quarantine keeps wrong replicas for a limited time. Of the agent's packages this
 * one uses only {@link org.stripeline.server.datanode}.
 */
package org.stripeline.server.datanode.scrub;
