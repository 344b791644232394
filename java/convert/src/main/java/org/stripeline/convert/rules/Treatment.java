// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert.rules;

import org.stripeline.convert.settings.Layout;

/** What is done with a file. */
public enum Treatment {
  /** Convert to the requested code; retained replicas become internal blocks on their nodes. */
  ADOPT("adopt", Layout.CONTIGUOUS),

  /** The same with RS-3-2, whose groups are shorter. */
  SMALLER_CODE("adopt, smaller code", Layout.CONTIGUOUS),

  /** Copy into a striped file, whose small cells spread even one block over a group. */
  STRIPE("copy, striped", Layout.STRIPED),

  /** Leave the file unchanged. */
  LEAVE("leave", null);

  private final String label;
  private final Layout layout;

  Treatment(String label, Layout layout) {
    this.label = label;
    this.layout = layout;
  }

  /** Returns the treatment that converts every file to one layout with the requested code. */
  public static Treatment of(Layout layout) {
    return layout == Layout.STRIPED ? STRIPE : ADOPT;
  }

  /** Returns the name in text output. */
  public String label() {
    return label;
  }

  /** Returns the layout of the file afterwards, null if it is unchanged. */
  public Layout layout() {
    return layout;
  }
}
