// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.job;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories for the temporary files of a job, which only superusers can enter: one in the
 * job's directory, and one in each encryption zone, since encrypted files cannot leave their zone.
 *
 * <p>Users of a zone may be able to rename the directory in it, or to create one with its name
 * first. A directory is therefore used only if the caller owns it, and files in it are addressed by
 * its inode id.
 */
public final class TemporaryPlaces {
  private static final Logger LOG = LoggerFactory.getLogger(TemporaryPlaces.class);
  public static final String RESERVED_RAW = "/.reserved/raw";

  private final DFSClient client;
  private final JobDirectory directory;
  private final Map<String, Place> places = new ConcurrentHashMap<>();

  /** Inode ids of the directories in encryption zones. */
  private final Set<Long> inZones = ConcurrentHashMap.newKeySet();

  TemporaryPlaces(DFSClient client, JobDirectory directory) {
    this.client = client;
    this.directory = directory;
  }

  /** A directory for temporary files. */
  public static final class Place {
    private final String path;
    private final long id;

    private Place(String path, long id) {
      this.path = path;
      this.id = id;
    }

    /** Returns the path below which files are created with their bytes as stored. */
    public String path() {
      return path;
    }

    /** Returns the inode id of the directory. */
    public long id() {
      return id;
    }
  }

  /**
   * Returns the directory for temporary files, and creates it if necessary.
   *
   * @param zone path of the file's encryption zone, or null
   * @throws IOException if a directory with that name belongs to another user
   */
  public Place find(String zone) throws IOException {
    String path = zone == null ? directory.temporaries().toUri().getPath() : inZone(zone);
    Place known = places.get(path);
    HdfsFileStatus now = client.getFileInfo(path);
    if (known != null && now != null && now.getFileId() == known.id) {
      return known;
    }
    Place place = zone == null ? new Place(path, id(path)) : make(path);
    places.put(path, place);
    return place;
  }

  private String inZone(String zone) {
    return (zone.equals("/") ? "" : zone) + "/.stripeline-" + directory.name();
  }

  private long id(String path) throws IOException {
    HdfsFileStatus status = client.getFileInfo(path);
    if (status == null) {
      throw new IOException("Cannot use " + path + " for temporary files: it was deleted");
    }
    return status.getFileId();
  }

  private Place make(String path) throws IOException {
    client.mkdirs(path, JobDirectory.PRIVATE, false);
    HdfsFileStatus made = client.getFileInfo(path);
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    if (made == null || !made.isDirectory() || !made.getOwner().equals(user)) {
      throw new IOException(
          "Cannot use "
              + path
              + " for temporary files: it is not a directory of "
              + user
              + "; delete it, or begin a job with another name");
    }
    if (made.getChildrenNum() > 0 && !inZones.contains(made.getFileId())) {
      // A user of the zone may have moved another directory of the superuser to this path.
      throw new IOException(
          "Cannot use "
              + path
              + " for temporary files: it is not empty; move its contents, or begin a job with"
              + " another name");
    }
    String inode = InodePath.of(made.getFileId());
    if (made.hasAcl()) {
      // Inherited from a default ACL of the zone; it would give other users access.
      client.removeAcl(inode);
    }
    client.setPermission(inode, JobDirectory.PRIVATE);
    inZones.add(made.getFileId());
    return new Place(RESERVED_RAW + path, made.getFileId());
  }

  /** Adds the directories of a dead driver, so that {@link #deleteAll} deletes them. */
  public void takeOver(Collection<Long> ids) {
    inZones.addAll(ids);
  }

  /** Deletes the directories in encryption zones that have no temporary files left. */
  public void deleteAll() throws IOException {
    for (long id : inZones) {
      HdfsFileStatus status = InodePath.status(client, id);
      if (status != null && status.getChildrenNum() > 0) {
        LOG.warn("Not deleting {}: it is not empty", InodePath.of(id));
      } else if (status != null) {
        client.delete(InodePath.of(id), false);
      }
    }
  }
}
