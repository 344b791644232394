// SPDX-License-Identifier: Apache-2.0
package org.stripeline.plan.source;

import java.io.IOException;
import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.apache.hadoop.hdfs.util.XMLUtils;
import org.apache.hadoop.hdfs.util.XMLUtils.UnmanglingError;

/**
 * Reads an image in XML in a single pass, element by element; holds at most one element in memory.
 */
final class XmlCursor implements AutoCloseable {
  /**
   * Limits of the JDK's parser on the total text of a document; they are removed where supported.
   */
  private static final String[] LIMITS = {
    "http://www.oracle.com/xml/jaxp/properties/totalEntitySizeLimit",
    "http://www.oracle.com/xml/jaxp/properties/maxGeneralEntitySizeLimit"
  };

  private final ImageFile image;
  private final InputStream in;
  private final XMLStreamReader reader;

  XmlCursor(ImageFile image) throws IOException {
    this.image = image;
    this.in = image.open();
    try {
      XMLInputFactory factory = XMLInputFactory.newFactory();
      factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
      factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
      factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
      for (String limit : LIMITS) {
        if (factory.isPropertySupported(limit)) {
          factory.setProperty(limit, "0");
        }
      }
      this.reader = factory.createXMLStreamReader(in);
      reader.nextTag();
    } catch (XMLStreamException e) {
      in.close();
      throw unreadable(e);
    }
  }

  /** Moves to the next child of the current element, or to its end. */
  boolean nextChild() throws IOException {
    try {
      while (true) {
        int event = reader.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
          return true;
        }
        if (event == XMLStreamConstants.END_ELEMENT) {
          return false;
        }
        if (event == XMLStreamConstants.END_DOCUMENT) {
          throw new IOException("Cannot read image " + image.path() + ": it is truncated");
        }
      }
    } catch (XMLStreamException e) {
      throw unreadable(e);
    }
  }

  /** Returns the name of the current element. */
  String name() {
    return reader.getLocalName();
  }

  /** Moves to the end of the current element. */
  void skip() throws IOException {
    try {
      for (int depth = 1; depth > 0; ) {
        int event = reader.next();
        depth += event == XMLStreamConstants.START_ELEMENT ? 1 : 0;
        depth -= event == XMLStreamConstants.END_ELEMENT ? 1 : 0;
      }
    } catch (XMLStreamException e) {
      throw unreadable(e);
    }
  }

  /** Returns the text of the current element, and moves to its end. */
  String text() throws IOException {
    try {
      String text = reader.getElementText();
      // The offline image viewer escapes characters that XML does not allow, for example as \0000;.
      return text.indexOf('\\') < 0 ? text : XMLUtils.unmangleXmlString(text, false);
    } catch (XMLStreamException e) {
      throw unreadable(e);
    } catch (UnmanglingError e) {
      throw new IOException("Cannot read image " + image.path() + ": " + e.getMessage(), e);
    }
  }

  /** Returns the text of the current element as a number, and moves to its end. */
  long number() throws IOException {
    String name = name();
    String text = text();
    try {
      return Long.parseLong(text.trim());
    } catch (NumberFormatException e) {
      throw new IOException(
          "Cannot read image "
              + image.path()
              + ": "
              + name
              + " in line "
              + reader.getLocation().getLineNumber()
              + " is '"
              + text
              + "', not a number",
          e);
    }
  }

  private IOException unreadable(XMLStreamException e) {
    return new IOException(
        "Cannot read image "
            + image.path()
            + ": "
            + String.valueOf(e.getMessage()).replaceAll("\\s+", " "),
        e);
  }

  @Override
  public void close() throws IOException {
    try {
      reader.close();
    } catch (XMLStreamException e) {
      throw unreadable(e);
    } finally {
      in.close();
    }
  }
}
