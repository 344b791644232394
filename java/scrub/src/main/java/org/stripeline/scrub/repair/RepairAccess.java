// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.repair;

import java.io.IOException;
import java.util.Collection;
import org.stripeline.agent.QuarantinedReplica;
import org.stripeline.scrub.check.Copy;
import org.stripeline.scrub.check.GroupLocations;
import org.stripeline.scrub.check.GroupResult;

/** What the repair of one group needs of a cluster. */
public interface RepairAccess {
  /** Returns the group as the NameNode knows it now, or null if the file has it no more. */
  GroupLocations locate() throws IOException;

  /** Returns whether {@code convert} has made the file of another. */
  boolean isConverted() throws IOException;

  /**
   * Keeps a replica in quarantine.
   *
   * @param remove whether to remove it; it must have been kept by an earlier call then
   */
  QuarantinedReplica quarantine(Copy copy, boolean remove) throws IOException;

  /** Reports replicas to the NameNode as corrupt. */
  void report(Collection<Copy> copies) throws IOException;

  /** Returns the number of DataNodes in service that hold none of some replicas. */
  int freeNodes(Collection<Copy> copies) throws IOException;

  /** Checks the group, with fingerprints of another seed. */
  GroupResult check() throws IOException;

  /** Writes a record to the audit file; it is durable when this returns. */
  void audit(RepairRecord record) throws IOException;

  /** Waits before the locations are asked for again. */
  void pause() throws IOException;

  /** Returns the time in milliseconds since some start. */
  long millis();
}
