// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

/**
 * The temporary files of {@link ReplicatedSwitch}: their names, and their removal by others than
 * their writer. The name of a temporary file of {@code NAME} is {@code
 * .NAME.INODE.RANDOM.stripeline-sync}, with the inode of the striped file in decimal and 16
 * hexadecimal digits, so that no two writers use the same one.
 */
final class TemporaryFiles {
  /** The end of the names of temporary files; files with such names belong to Stripeline. */
  static final String SUFFIX = ".stripeline-sync";

  static final String INODES = "/.reserved/.inodes/";

  private static final String HIDDEN = ".";
  private static final String DIGITS = "(\\d{1,19})\\.[0-9a-f]{16}";
  private static final Pattern OWN_PART = Pattern.compile(DIGITS + Pattern.quote(SUFFIX));
  private static final Pattern NAME =
      Pattern.compile("\\..+\\." + OWN_PART.pattern(), Pattern.DOTALL);
  private static final Pattern INODE_PATH =
      Pattern.compile(Pattern.quote(INODES) + "(\\d{1,19})/*");

  /** Twice the period after which the NameNode recovers the lease of a client that is silent. */
  static final long LEFTOVER_MILLIS = TimeUnit.HOURS.toMillis(2);

  private static final int NAME_BYTES_MAX = 255;

  /** The bytes of a temporary name without the name of the file, with the longest inode. */
  private static final int OWN_BYTES = "..".length() + 19 + ".".length() + 16 + SUFFIX.length();

  private final DFSClient client;

  TemporaryFiles(DFSClient client) {
    this.client = client;
  }

  /** Returns a new path for a temporary file. */
  static String newPath(String src, long inode) {
    long random = ThreadLocalRandom.current().nextLong();
    return directoryOf(src) + prefixOf(src) + inode + String.format(".%016x", random) + SUFFIX;
  }

  /**
   * Returns how the names of all temporary files of a file begin. In names that would be too long
   * for the NameNode, a digest stands for the name of the file.
   */
  static String prefixOf(String src) {
    String name = src.substring(src.lastIndexOf('/') + 1);
    boolean fits = name.getBytes(StandardCharsets.UTF_8).length + OWN_BYTES <= NAME_BYTES_MAX;
    return HIDDEN + (fits ? name : MD5Hash.digest(name).toString()) + ".";
  }

  static String directoryOf(String src) {
    return src.substring(0, src.lastIndexOf('/') + 1);
  }

  /**
   * Returns the status of a file, found by the inode of its directory, or null if it is not found.
   * A Router sends such a call to its default namespace, whatever that of the path.
   */
  HdfsFileStatus byInodeOfDirectory(String path) throws IOException {
    String directory = directoryOf(path);
    HdfsFileStatus parent = client.getFileInfo(directory);
    if (parent == null) {
      return null;
    }
    try {
      return client.getFileInfo(
          INODES + parent.getFileId() + "/" + path.substring(directory.length()));
    } catch (RemoteException | FileNotFoundException | AccessControlException e) {
      DFSClient.LOG.debug("Looking for {} by the inode of its directory", path, e);
      return null;
    }
  }

  /**
   * Takes the temporary files of a file from their writers and deletes them, so that none becomes
   * the file and is written further. They have the name or the inode of the file: it may have been
   * renamed since they were created. Never throws: the recovery of a lease needs no permission for
   * the directory.
   *
   * @param inode the file's inode; if it is not known, any that no file has
   */
  void fence(String src, long inode) {
    try {
      Matcher byInode = INODE_PATH.matcher(src);
      if (byInode.matches()) {
        fenceInode(byInode.group(1));
      } else {
        String prefix = prefixOf(src);
        fenceAll(
            directoryOf(src),
            name ->
                isOfInode(name, Long.toString(inode))
                    || name.startsWith(prefix)
                        && OWN_PART.matcher(name.substring(prefix.length())).matches());
      }
    } catch (FileNotFoundException e) {
      DFSClient.LOG.debug("The directory of {} is gone", src, e);
    } catch (IOException | RuntimeException e) {
      DFSClient.LOG.warn(
          "Cannot remove the temporary files of {}: a writer that is suspended in its first sync"
              + " can open it again. Recover its lease as a user who may write to its directory",
          src,
          e);
    }
  }

  private void fenceInode(String inode) throws IOException {
    HdfsFileStatus parent = client.getFileInfo(INODES + inode + "/..");
    if (parent == null) {
      return;
    }
    fenceAll(INODES + parent.getFileId() + "/", name -> isOfInode(name, inode));
  }

  private static boolean isOfInode(String name, String inode) {
    Matcher parts = NAME.matcher(name);
    return parts.matches() && parts.group(1).equals(inode);
  }

  private void fenceAll(String directory, Predicate<String> isWanted) throws IOException {
    for (HdfsFileStatus entry : hidden(directory)) {
      if (!isWanted.test(entry.getLocalName())) {
        continue;
      }
      String path = directory + entry.getLocalName();
      IOException notRecovered =
          failure(() -> client.namenode.recoverLease(path, client.clientName));
      IOException notDeleted = failure(() -> client.delete(path, false));
      if (notRecovered != null && notDeleted != null) {
        // After one of both, the sync of the writer fails.
        throw notDeleted;
      }
    }
  }

  /** A call to the NameNode. */
  interface Call {
    void run() throws IOException;
  }

  private static IOException failure(Call call) {
    try {
      call.run();
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  /**
   * Deletes temporary files of writers that died. A switch takes seconds; that of a writer that was
   * stopped for longer fails when its temporary file is gone.
   *
   * @param now the time of the NameNode in milliseconds
   */
  void sweep(String directory, long now) {
    try {
      for (HdfsFileStatus entry : hidden(directory)) {
        if (NAME.matcher(entry.getLocalName()).matches()
            && now - entry.getModificationTime() > LEFTOVER_MILLIS) {
          client.delete(directory + entry.getLocalName(), false);
        }
      }
    } catch (IOException | RuntimeException e) {
      DFSClient.LOG.debug("Deleting leftover temporary files in {}", directory, e);
    }
  }

  /** Returns the files, but no directories, whose names begin with a dot. */
  private List<HdfsFileStatus> hidden(String directory) throws IOException {
    List<HdfsFileStatus> found = new ArrayList<>();
    byte[] after = HIDDEN.getBytes(StandardCharsets.UTF_8);
    while (true) {
      DirectoryListing page = client.listPaths(directory, after);
      if (page == null) {
        return found;
      }
      for (HdfsFileStatus entry : page.getPartialListing()) {
        if (!entry.getLocalName().startsWith(HIDDEN)) {
          return found;
        }
        if (!entry.isDirectory()) {
          found.add(entry);
        }
      }
      if (!page.hasMore()) {
        return found;
      }
      after = page.getLastName();
    }
  }
}
