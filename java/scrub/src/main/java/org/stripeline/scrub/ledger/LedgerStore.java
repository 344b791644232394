// SPDX-License-Identifier: Apache-2.0
package org.stripeline.scrub.ledger;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.FSDataOutputStream;

/** The files of a ledger. Each step is either done or not, whenever the process is killed. */
interface LedgerStore extends Closeable {
  /** Returns a number that identifies a file until it is replaced; 0 if there is none. */
  long id(String name) throws IOException;

  /**
   * Opens a file.
   *
   * @throws FileNotFoundException if there is none
   */
  InputStream open(String name) throws IOException;

  /** Ends the writing of another process, if there is such a file. */
  void recover(String name) throws IOException;

  /** Creates a file, instead of one that may exist. Fails if another process is the writer. */
  FSDataOutputStream create(String name) throws IOException;

  /** Gives a file another name, whose file it replaces. Fails if another process is the writer. */
  void rename(String from, String to) throws IOException;

  /** Returns the path of a file, for messages. */
  String path(String name);
}
