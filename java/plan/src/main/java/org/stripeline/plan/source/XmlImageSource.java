// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.stripeline.placement.CodeName;
import org.stripeline.terminal.Quantity;

/** Reads the files of a tree from an image that {@code hdfs oiv -p XML} wrote. */
final class XmlImageSource implements FileSource {
  private final ImageFile image;
  private final String root;
  private final CodeName codeAssumed;
  private final List<String> notes = new ArrayList<>();
  private long planned;
  private long outsideTree;
  private long outsideTreeBytes;
  private long codeUnknown;

  /**
   * Creates a source.
   *
   * @param codeAssumed the code that is assumed for erasure-coded files whose policy the image does
   *     not contain
   */
  XmlImageSource(ImageFile image, String root, CodeName codeAssumed) {
    this.image = image;
    this.root = root;
    this.codeAssumed = codeAssumed;
  }

  @Override
  public void stream(Sink sink) throws IOException {
    ImageTree tree = ImageTree.read(image, root);
    try (XmlCursor cursor = new XmlCursor(image)) {
      boolean isDone = false;
      while (!isDone && cursor.nextChild()) {
        if (cursor.name().equals("INodeSection")) {
          streamInodes(cursor, tree, sink);
          isDone = true;
        } else {
          cursor.skip();
        }
      }
    }
    if (planned == 0 && !tree.hasRoot()) {
      throw new FileNotFoundException(
          "Cannot plan " + root + ": " + image.path() + " does not have this path");
    }
    if (outsideTree > 0) {
      notes.add(
          "not counted: "
              + Quantity.counted(outsideTree, "file")
              + " of the whole image, "
              + Quantity.bytes(outsideTreeBytes)
              + ", in no directory but held by snapshots");
    }
    if (codeUnknown > 0) {
      notes.add(
          "counted as "
              + codeAssumed
              + ": "
              + Quantity.counted(codeUnknown, "erasure-coded file")
              + " with a policy that the image does not describe");
    }
  }

  private void streamInodes(XmlCursor cursor, ImageTree tree, Sink sink) throws IOException {
    PlannedFile file = new PlannedFile();
    while (cursor.nextChild()) {
      if (cursor.name().equals("inode")) {
        readInode(cursor, tree, file, sink);
      } else {
        cursor.skip();
      }
    }
  }

  private void readInode(XmlCursor cursor, ImageTree tree, PlannedFile file, Sink sink)
      throws IOException {
    long id = 0;
    int policy = -1;
    long modified = 0;
    boolean isFile = false;
    file.reset(null);
    String name = "";
    while (cursor.nextChild()) {
      switch (cursor.name()) {
        case "id":
          id = cursor.number();
          break;
        case "type":
          isFile = cursor.text().equals("FILE");
          break;
        case "name":
          name = cursor.text();
          break;
        case "replication":
          file.replication = (int) cursor.number();
          break;
        case "mtime":
          modified = cursor.number();
          break;
        case "preferredBlockSize":
          file.blockSize = cursor.number();
          break;
        case "storagePolicyId":
          file.storagePolicy = (int) cursor.number();
          break;
        case "erasureCodingPolicyId":
          policy = (int) cursor.number();
          break;
        case "file-under-construction":
          file.isOpen = true;
          cursor.skip();
          break;
        case "blocks":
          readBlocks(cursor, file);
          break;
        default:
          cursor.skip();
      }
    }
    if (isFile) {
      if (!file.isPlausible()) {
        throw new IOException(
            "Cannot read image "
                + image.path()
                + ": inode "
                + id
                + " has "
                + file.length
                + " bytes in "
                + file.blockCount
                + " blocks of at most "
                + file.blockSize
                + ", and replication "
                + file.replication);
      }
      place(tree, id, name, modified, policy, file, sink);
    }
  }

  private static void readBlocks(XmlCursor cursor, PlannedFile file) throws IOException {
    while (cursor.nextChild()) {
      while (cursor.nextChild()) {
        if (cursor.name().equals("numBytes")) {
          file.addBlock(cursor.number());
        } else {
          cursor.skip();
        }
      }
    }
  }

  private void place(
      ImageTree tree,
      long id,
      String name,
      long modified,
      int policy,
      PlannedFile file,
      Sink sink) {
    int directory = tree.parentOf(id);
    if (directory < 0) {
      outsideTree++;
      outsideTreeBytes += file.length;
      return;
    }
    String path = tree.path(directory) + "/" + name;
    if (!tree.isPlanned(directory) && !path.equals(root)) {
      return;
    }
    file.path = path;
    file.isInSnapshot = modified <= tree.snapshotTime(directory);
    if (policy >= 0) {
      file.coded = tree.policy(policy);
      if (file.coded == null) {
        file.coded = codeAssumed;
        codeUnknown++;
      }
    }
    planned++;
    sink.accept(file);
  }

  @Override
  public List<String> notes() {
    return notes;
  }

  @Override
  public boolean isComplete() {
    return true;
  }
}
