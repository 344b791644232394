// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.file;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.apache.hadoop.ipc.RemoteException;
import org.stripeline.convert.job.Candidate;
import org.stripeline.convert.job.Reasons;
import org.stripeline.placement.CodeName;

/**
 * The directories whose quotas left no room to lock a file. To lock a file, the NameNode demands
 * room for what its last block lacks of a whole one ({@code FSDirAppendOp}). It says so only when
 * the new file is made already, so other files below such a directory that need as much are left
 * before that. Thread-safe.
 */
final class LockQuotas {
  private static final Pattern DIRECTORY = Pattern.compile("(?:of|path :) (/.*) is exceeded");

  /** The refused file that needed least, by directory. */
  private final Map<String, Shortage> shortages = new ConcurrentHashMap<>();

  /** What a file needed to be locked, and the answer of the NameNode. */
  private static final class Shortage {
    private final long bytes;
    private final String answer;

    Shortage(long bytes, String answer) {
      this.bytes = bytes;
      this.answer = answer;
    }
  }

  /**
   * Throws an exception if a file cannot be locked.
   *
   * @throws IOException with the answer of the NameNode about an earlier file
   */
  void require(Candidate file) throws IOException {
    long bytes = bytesToLock(file);
    if (bytes <= 0) {
      return;
    }
    for (Map.Entry<String, Shortage> entry : shortages.entrySet()) {
      Shortage shortage = entry.getValue();
      if (bytes >= shortage.bytes && isBelow(file, entry.getKey())) {
        throw new IOException("it could not be locked for its swap: " + shortage.answer);
      }
    }
  }

  /** Adds the directory whose quota is the reason for which a file was not locked, if one is. */
  void refused(Candidate file, RemoteException e) {
    if (e.unwrapRemoteException() instanceof QuotaExceededException) {
      String path = file.path();
      Matcher named = DIRECTORY.matcher(e.getMessage());
      String directory =
          named.find() ? named.group(1) : path.substring(0, Math.max(1, path.lastIndexOf('/')));
      Shortage found = new Shortage(bytesToLock(file), Reasons.of(e));
      shortages.merge(directory, found, (a, b) -> a.bytes <= b.bytes ? a : b);
    }
  }

  /** Forgets the directories above a file that has been converted, which takes less space now. */
  void freed(Candidate file) {
    shortages.keySet().removeIf(directory -> isBelow(file, directory));
  }

  /**
   * Returns how many bytes of quota the lock needs; not positive if none, as for a file whose last
   * block group has at least the bytes of one block.
   */
  private static long bytesToLock(Candidate file) {
    CodeName code = file.coded();
    long lacking = file.blockBytes() - file.bytesOfBlock(file.blockCount() - 1);
    return lacking * (code == null ? file.replication() : code.data() + code.parity());
  }

  private static boolean isBelow(Candidate file, String directory) {
    return directory.equals("/") || file.path().startsWith(directory + "/");
  }
}
