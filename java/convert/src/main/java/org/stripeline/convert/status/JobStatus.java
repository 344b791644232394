// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.stripeline.convert.job.AdoptionTraffic;
import org.stripeline.convert.report.JobReport;

/**
 * What a driver records about its job in {@code status.json}. The field names are stable; fields
 * are only added. All figures are of the driver that runs the job, since it began or resumed it.
 */
public final class JobStatus {
  /** Version of the fields. */
  public static final int SCHEMA = 1;

  /** Version of the fields in this status. */
  public int schema = SCHEMA;

  /** Host name of the driver. */
  public String host;

  /** 1 for the driver that began the job, one more for each that resumed it. */
  public int driver;

  /** When the driver began, in milliseconds since 1970 on its clock. */
  public long startedMs;

  /** When this was recorded, in milliseconds since 1970 on the driver's clock. */
  public long atMs;

  /** State of the job after its end, or null before. */
  public JobState ended;

  /** Files to be converted; 0 if the driver only ended the job of another one. */
  public long files;

  /** Bytes to be converted, without those of files that failed unless the job was cancelled. */
  public long bytes;

  /** Files that were converted. */
  public long filesConverted;

  /** Files that could not be converted. */
  public long filesFailed;

  /** Bytes that were converted, including a share of files in progress. */
  public long bytesConverted;

  /** Bytes per second, without the time in which the job was paused. */
  public long bytesPerSecond;

  /** Estimated remaining seconds, or null if nothing is known yet. */
  public Long secondsLeft;

  /** The first failures. */
  public List<JobReport.Failure> failures = new ArrayList<>();

  /** Traffic between DataNodes, for jobs that adopt replicas. */
  public AdoptionTraffic traffic;

  /** The DataNodes that encoded, kept or received most, by host name and port. */
  public Map<String, AdoptionTraffic.OfNode> dataNodes;

  /** Returns whether no list lacks what every driver records in it. */
  boolean isWhole() {
    return failures != null && (dataNodes == null || !dataNodes.containsValue(null));
  }
}
