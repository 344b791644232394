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

/**
 * The directories whose quotas left no room to lock a file. While a file is locked, the NameNode
 * counts its short last block as a whole one. It says so only when the new file is made already, so
 * the other files below such a directory are left before that. Thread-safe.
 */
final class LockQuotas {
  private static final Pattern DIRECTORY = Pattern.compile("(?:of|path :) (/.*) is exceeded");

  /** The answer of the NameNode, by directory. */
  private final Map<String, String> answers = new ConcurrentHashMap<>();

  /**
   * Throws an exception if a file cannot be locked.
   *
   * @throws IOException with the answer of the NameNode about an earlier file
   */
  void require(Candidate file) throws IOException {
    if (isLastBlockWhole(file)) {
      return;
    }
    for (Map.Entry<String, String> answer : answers.entrySet()) {
      if (isBelow(file, answer.getKey())) {
        throw new IOException("it could not be locked for its swap: " + answer.getValue());
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
      answers.put(directory, Reasons.of(e));
    }
  }

  /** Forgets the directories above a file that has been converted, which takes less space now. */
  void freed(Candidate file) {
    answers.keySet().removeIf(directory -> isBelow(file, directory));
  }

  private static boolean isLastBlockWhole(Candidate file) {
    long whole = file.blockBytes() * (file.coded() == null ? 1 : file.coded().data());
    return file.bytesOfBlock(file.blockCount() - 1) == whole;
  }

  private static boolean isBelow(Candidate file, String directory) {
    return directory.equals("/") || file.path().startsWith(directory + "/");
  }
}
