// SPDX-License-Identifier: Apache-2.0
package org.stripeline.terminal;

import static j2html.TagCreator.body;
import static j2html.TagCreator.button;
import static j2html.TagCreator.div;
import static j2html.TagCreator.each;
import static j2html.TagCreator.h1;
import static j2html.TagCreator.h2;
import static j2html.TagCreator.h3;
import static j2html.TagCreator.head;
import static j2html.TagCreator.html;
import static j2html.TagCreator.li;
import static j2html.TagCreator.link;
import static j2html.TagCreator.meta;
import static j2html.TagCreator.p;
import static j2html.TagCreator.pre;
import static j2html.TagCreator.rawHtml;
import static j2html.TagCreator.script;
import static j2html.TagCreator.style;
import static j2html.TagCreator.summary;
import static j2html.TagCreator.tbody;
import static j2html.TagCreator.td;
import static j2html.TagCreator.th;
import static j2html.TagCreator.thead;
import static j2html.TagCreator.title;
import static j2html.TagCreator.tr;
import static j2html.TagCreator.ul;

import j2html.TagCreator;
import j2html.tags.DomContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * An HTML page in one file: texts, tables that sort by a click on a heading, and plots. It needs no
 * network, follows the light or dark colours of the browser, and fits narrow screens.
 */
public final class Page implements Sheet {
  private final String title;
  private final List<DomContent> contents = new ArrayList<>();

  /** Creates a page with this title as its first heading. */
  public Page(String title) {
    this.title = title;
    contents.add(h1(title));
  }

  /** Adds a heading that links can name. */
  public Page section(String id, String text) {
    return add(h2(text).withId(id));
  }

  /** Adds a heading inside a section. */
  public Page heading(String text) {
    return add(h3(text));
  }

  public Page paragraph(String text) {
    return add(p(text));
  }

  /** Adds a paragraph about a failure. */
  public Page failure(String text) {
    return add(p(text).withClass("failed"));
  }

  public Page list(List<String> items) {
    return add(ul(each(items, item -> li(item))));
  }

  @Override
  public void line(String text) {
    String trimmed = text.trim();
    if (trimmed.startsWith("WARNING")) {
      failure(trimmed);
    } else if (!trimmed.isEmpty()) {
      paragraph(trimmed);
    }
  }

  @Override
  public void table(TextTable table) {
    List<List<String>> rows = table.cells();
    if (!rows.isEmpty()) {
      add(
          div(TagCreator.table(
                  thead(tr(each(table.headings(), text -> th(button(text).withType("button"))))),
                  tbody(each(rows, row -> tr(each(row, cell -> td(cell)))))))
              .withClass("wide"));
    }
  }

  /** Adds plots, beside each other where there is room. */
  public Page plots(List<Plot> plots) {
    return add(div(each(plots, plot -> rawHtml(plot.legendBelow().render()))).withClass("plots"));
  }

  /** Adds a text that is shown as it is, after a click on its summary. */
  public Page details(String summary, String text) {
    return add(TagCreator.details(summary(summary), pre(text)));
  }

  private Page add(DomContent content) {
    contents.add(content);
    return this;
  }

  /** Returns the document. */
  public String render() {
    return "<!DOCTYPE html>\n"
        + html(
                head(
                    meta().withCharset("utf-8"),
                    meta().withName("viewport").withContent("width=device-width, initial-scale=1"),
                    title(title),
                    // Browsers otherwise ask the server of the page for an icon.
                    link().withRel("icon").withHref("data:,"),
                    style(rawHtml(resource("page.css")))),
                body(each(contents, content -> content), script(rawHtml(resource("page.js")))))
            .withLang("en")
            .render()
        + "\n";
  }

  /**
   * Checks that a page or a drawing can be written to a file, before the work whose result it is to
   * show.
   *
   * @param option names the file
   * @throws ParameterException of the command line, if it cannot
   */
  public static void requireWritable(CommandLine line, String option, Path file) {
    Path parent = file.toAbsolutePath().getParent();
    String obstacle = null;
    if (Files.isDirectory(file)) {
      obstacle = "it is a directory";
    } else if (Files.exists(file)) {
      // As /dev/stdout, which many users can write, but not its directory.
      obstacle = Files.isWritable(file) ? null : "it is not writable";
    } else if (!Files.isDirectory(parent) || !Files.isWritable(parent)) {
      obstacle = parent + " is not a writable directory";
    }
    if (obstacle != null) {
      throw new ParameterException(line, "Cannot write " + option + "=" + file + ": " + obstacle);
    }
  }

  /**
   * Writes the document to a file.
   *
   * @throws CommandException if it cannot be written
   */
  public void write(Path file) {
    try {
      Files.write(file, render().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new CommandException(ExitStatus.UNCHECKED, "Cannot write " + file + ": " + e);
    }
  }

  private static String resource(String name) {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] buffer = new byte[1 << 12];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        bytes.write(buffer, 0, read);
      }
      return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + name + " of the jar", e);
    }
  }
}
