// SPDX-License-Identifier: Apache-2.0
package org.stripeline.convert;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.stripeline.convert.job.Reasons;
import org.stripeline.convert.service.TimeWindow;
import org.stripeline.convert.settings.JobSettings;
import org.stripeline.convert.settings.PathPattern;
import org.stripeline.convert.settings.RefusedException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Reads a rules file: XML with one element {@code rule} per rule, whose elements have the names and
 * values of the options of {@code stripeline convert}.
 */
final class RulesFile {
  private static final String PATH = "path";
  private static final String LEAVE = "leave";
  private static final String WINDOW = "window";

  /** Limit on the size of the file, far more than rules have. */
  private static final long BYTES_MAX = 1 << 20;

  /** Limit on the paths of all rules: each is compared with all others. */
  private static final int PATHS_MAX = 1000;

  /** The bit in the mode of a directory in which users can replace only their own files. */
  private static final int STICKY = 01000;

  /** Options that choose files; a rule that leaves its files has no others. */
  private static final List<String> CHOOSING = Arrays.asList("glob", "owner", "min-size");

  /** Options of one job that a rule cannot have. */
  private static final List<String> NOT_OF_RULES =
      Arrays.asList(
          "--max-replication", "--job", "--job-directory", "--principal", "--keytab", "-D");

  private final Path file;
  private final List<Rule> rules = new ArrayList<>();
  private int pathCount;

  private RulesFile(Path file) {
    this.file = file;
  }

  /** The options that a rule can have. */
  @Command(name = "rule")
  private static final class Elements {
    @Mixin private CodeOptions code = new CodeOptions();
    @Mixin private RuleOptions files = new RuleOptions();
    @Mixin private WorkOptions work = new WorkOptions();
  }

  /** An element of a rule. */
  private static final class Element {
    private final String name;
    private final String text;
    private final int line;

    Element(String name, String text, int line) {
      this.name = name;
      this.text = text;
      this.line = line;
    }
  }

  /**
   * Reads the rules of a file.
   *
   * @throws RefusedException if it is not there, or is wrong; the message names the line
   */
  static List<Rule> read(String name) throws IOException {
    Path path = Paths.get(name);
    RulesFile read = new RulesFile(path);
    try {
      requirePrivate(path);
      if (Files.size(path) > BYTES_MAX) {
        throw read.wrong(0, "it has more than " + BYTES_MAX + " bytes");
      }
      try (InputStream in = Files.newInputStream(path)) {
        read.parse(in);
      }
    } catch (RefusedException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw read.wrong(0, "there is no such file");
    } catch (IOException e) {
      throw read.wrong(0, Reasons.of(e));
    }
    return read.rules;
  }

  /** Refuses a file with which any user of this machine could have files converted. */
  private static void requirePrivate(Path path) throws IOException {
    if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      return;
    }
    if (isOpen(path)) {
      throw new RefusedException(
          "Cannot use rules file " + path + ": every user may write it; run chmod o-w on it");
    }
    for (Path file : Arrays.asList(path.toAbsolutePath(), path.toRealPath())) {
      for (Path at = file.getParent(); at != null; at = at.getParent()) {
        if (isOpen(at) && ((int) Files.getAttribute(at, "unix:mode") & STICKY) == 0) {
          throw new RefusedException(
              "Cannot use rules file "
                  + path
                  + ": every user may replace it, because all may write directory "
                  + at
                  + "; run chmod o-w on that");
        }
      }
    }
  }

  private static boolean isOpen(Path path) throws IOException {
    return Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_WRITE);
  }

  private RefusedException wrong(int line, String why) {
    return new RefusedException(
        "Cannot read rules file " + file + (line > 0 ? ", line " + line : "") + ": " + why);
  }

  private void parse(InputStream in) throws IOException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(in);
      reader.nextTag();
      if (!reader.getLocalName().equals("rules")) {
        throw wrong(
            line(reader), "the first element is <" + reader.getLocalName() + ">, not <rules>");
      }
      while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
        if (!reader.getLocalName().equals("rule")) {
          throw wrong(line(reader), "<" + reader.getLocalName() + "> is not <rule>");
        }
        add(rule(reader));
      }
      while (reader.hasNext()) {
        // Otherwise rules after the end of the first element would be ignored.
        reader.next();
      }
    } catch (XMLStreamException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNumber();
      // The JDK's parser writes the place before its message, and others after it.
      throw wrong(line, e.getMessage().replaceAll("(?s).*Message: |\\s+at \\[row,col.*", ""));
    }
    if (rules.isEmpty()) {
      throw wrong(0, "it has no rule");
    }
  }

  private static int line(XMLStreamReader reader) {
    return reader.getLocation().getLineNumber();
  }

  private void add(Rule rule) throws IOException {
    for (Rule earlier : rules) {
      if (earlier.name.equals(rule.name)) {
        throw wrong(rule.line, rule.name + " is also the name of the rule of line " + earlier.line);
      }
      if (earlier.hides(rule)) {
        throw wrong(
            rule.line,
            "rule " + rule.name + " would never take a file: " + earlier + " takes all of them");
      }
    }
    rules.add(rule);
  }

  private Rule rule(XMLStreamReader reader) throws IOException, XMLStreamException {
    Rule rule = new Rule();
    rule.line = line(reader);
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      if (!reader.getAttributeLocalName(i).equals("name")) {
        throw wrong(
            rule.line,
            "a rule has no attribute " + reader.getAttributeLocalName(i) + ", only name");
      }
      rule.name = reader.getAttributeValue(i);
    }
    if (rule.name == null || !rule.name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
      throw wrong(
          rule.line,
          "a rule needs a name of letters, digits, '.', '_' and '-', 64 at most, such as"
              + " <rule name=\"archive\">");
    }
    List<Element> elements = new ArrayList<>();
    while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
      int line = line(reader);
      if (reader.getAttributeCount() > 0) {
        throw wrong(line, "<" + reader.getLocalName() + "> has no attributes");
      }
      elements.add(new Element(reader.getLocalName(), reader.getElementText().trim(), line));
    }
    fill(rule, elements);
    return rule;
  }

  private void fill(Rule rule, List<Element> elements) throws IOException {
    CommandLine options = new CommandLine(new Elements());
    Elements parsed = options.getCommand();
    List<String> paths = new ArrayList<>();
    Map<String, Integer> lines = new HashMap<>();
    List<String> words = new ArrayList<>();
    for (Element element : elements) {
      if (element.name.equals(PATH)) {
        if (++pathCount > PATHS_MAX) {
          throw wrong(element.line, "it has more than " + PATHS_MAX + " paths");
        }
        paths.add(path(element));
        continue;
      }
      if (lines.putIfAbsent(element.name, element.line) != null) {
        throw wrong(element.line, "<" + element.name + "> is given twice");
      }
      if (element.name.equals(LEAVE)) {
        rule.isLeave = flag(element);
      } else if (element.name.equals(WINDOW)) {
        rule.window = window(element);
      } else {
        word(options, element, words);
      }
    }
    if (paths.isEmpty()) {
      throw wrong(rule.line, "rule " + rule.name + " has no <path>");
    }
    requireNothingElse(rule, elements);
    try {
      options.parseArgs(words.toArray(new String[0]));
      rule.files = parsed.files.filter();
      rule.files.under = paths;
      if (!rule.isLeave) {
        rule.settings = settings(parsed, rule);
        rule.layoutText = parsed.code.layoutText(rule.settings);
      }
    } catch (ParameterException | IllegalArgumentException e) {
      throw wrong(lineOf(e.getMessage(), lines, rule.line), e.getMessage());
    }
  }

  private static JobSettings settings(Elements parsed, Rule rule) {
    JobSettings settings = new JobSettings();
    settings.rules = rule.files;
    settings.storagePolicy = parsed.work.storagePolicy;
    settings.allowRackLoss = parsed.work.allowRackLoss;
    settings.allowStaleReaders = parsed.work.allowStaleReaders;
    if (parsed.work.driver != null) {
      settings.driver = parsed.work.driver;
    }
    parsed.work.tuning().applyTo(settings);
    parsed.code.applyTo(settings);
    return settings;
  }

  private String path(Element element) throws IOException {
    try {
      return new PathPattern(element.text).toString();
    } catch (IllegalArgumentException e) {
      throw wrong(element.line, e.getMessage());
    }
  }

  private TimeWindow window(Element element) throws IOException {
    try {
      return TimeWindow.parse(element.text);
    } catch (IllegalArgumentException e) {
      throw wrong(element.line, e.getMessage());
    }
  }

  private boolean flag(Element element) throws IOException {
    if (!element.text.matches("|true|false")) {
      throw wrong(
          element.line,
          "<"
              + element.name
              + "> is "
              + element.text
              + "; write <"
              + element.name
              + "/>, or true or false");
    }
    return !element.text.equals("false");
  }

  private void word(CommandLine options, Element element, List<String> words) throws IOException {
    String name = "--" + element.name;
    OptionSpec option = options.getCommandSpec().findOption(name);
    if (option == null || NOT_OF_RULES.contains(name)) {
      throw wrong(
          element.line,
          "a rule has no <"
              + element.name
              + ">; possible are: "
              + String.join(", ", names(options)));
    }
    boolean isFlag = option.arity().max() == 0;
    if (!isFlag) {
      words.add(name + "=" + element.text);
    } else if (flag(element)) {
      words.add(name);
    }
  }

  private static Set<String> names(CommandLine options) {
    Set<String> names = new LinkedHashSet<>(Arrays.asList(PATH, LEAVE, WINDOW));
    for (OptionSpec option : options.getCommandSpec().options()) {
      if (!NOT_OF_RULES.contains(option.longestName())) {
        names.add(option.longestName().substring(2));
      }
    }
    return names;
  }

  /** Refuses what would have no effect; otherwise operators would expect it to have one. */
  private void requireNothingElse(Rule rule, List<Element> elements) throws IOException {
    for (Element element : elements) {
      boolean isOfAll =
          element.name.equals(PATH)
              || element.name.equals(LEAVE)
              || CHOOSING.contains(element.name);
      if (rule.isLeave && !isOfAll) {
        throw wrong(
            element.line,
            "<"
                + element.name
                + "> has no effect in rule "
                + rule.name
                + ", which leaves its files");
      }
    }
  }

  /** Returns the line of the element that a message names, or another line. */
  private static int lineOf(String message, Map<String, Integer> lines, int other) {
    for (Map.Entry<String, Integer> element : lines.entrySet()) {
      if (message.matches("(?s).*--" + element.getKey() + "(?![a-z-]).*")) {
        return element.getValue();
      }
    }
    return other;
  }
}
