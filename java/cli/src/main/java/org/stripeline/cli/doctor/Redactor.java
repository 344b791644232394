// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli.doctor;

import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.ConfigRedactor;
import org.apache.hadoop.conf.Configuration;

/**
 * Removes secrets from text that leaves the machine: values of sensitive keys, wherever they occur;
 * credentials in addresses; tokens, private keys and headers of authentication.
 *
 * <p>It removes rather too much: a path or a number with a name like that of a secret is lost, too.
 */
final class Redactor {
  static final String REDACTED = "<redacted>";

  /** Shorter values would remove common words everywhere; they are removed at their keys. */
  private static final int SECRET_LENGTH_MIN = 4;

  private static final String SENSITIVE =
      "(?:passw(?:or)?d|passphrase|passcode|secret|credential|token|signature|authorization|cookie"
          + "|(?:api|access|account|private|encryption)[-_.]?key"
          + "|(?<!by)pass(?!ed|es|ing|ive|port|age|through))";

  private static final Pattern SENSITIVE_NAME =
      Pattern.compile(SENSITIVE, Pattern.CASE_INSENSITIVE);

  /**
   * A name and its value: {@code key=value}, {@code key: value}, {@code "key": "value"}, also with
   * escaped quotes, as JSON has them in a string.
   */
  private static final Pattern ASSIGNMENT =
      Pattern.compile(
          "([\\w.$*-]{0,80}"
              + SENSITIVE
              + "[\\w.$*-]{0,80}(?:\\\\?\")?\\s{0,8}[=:]\\s{0,8})"
              // Values in escaped quotes, in quotes, of a header, after =, after a colon.
              + "(\\\\\"(?:(?!\\\\\").)*\\\\\"|\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'"
              + "|(?:Basic|Bearer|Negotiate|Digest)\\s+[^\\s\"'\\\\]+"
              + "|(?<==)(?:\\\\[^\"\\s]|[^\\s&\"'<>\\\\])+"
              + "|(?:\\\\[^\"\\s]|[^\\s,;&\"'<>\\[\\]{}\\\\])+)",
          Pattern.CASE_INSENSITIVE);

  /** An option and its value as the next word. */
  private static final Pattern OPTION =
      Pattern.compile(
          "(--?[\\w-]*" + SENSITIVE + "[\\w-]*\\s+)([^\\s\"'-][^\\s\"']*)",
          Pattern.CASE_INSENSITIVE);

  /** A property of a site file: its name and its value. */
  private static final Pattern PROPERTY =
      Pattern.compile(
          "(<name>[^<]*" + SENSITIVE + "[^<]*</name>\\s*<value>)([^<]*)", Pattern.CASE_INSENSITIVE);

  private static final Pattern USER_IN_ADDRESS =
      Pattern.compile("([a-zA-Z][\\w+.-]*://)[^/\\s@\"']+@");

  private static final Pattern HEADER =
      Pattern.compile("\\b(Basic|Bearer|Negotiate)\\s+[A-Za-z0-9+/=._~-]{8,}");

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\b(?:(hadoop\\.auth\\s*[=:]\\s*)(?:\\\\?\"[^\"]*\"|[^\\s,;]+)"
              + "|((?:ident(?:ifier)?|delegation|sig)\\s*[=:]\\s*)[^\\s,;&\"\\\\]+)");

  private static final Pattern PRIVATE_KEY =
      Pattern.compile(
          "-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\\z)",
          Pattern.DOTALL);

  private final ConfigRedactor hadoop;
  private final List<String> secrets;

  /**
   * Collects the values that must not appear.
   *
   * @param configurations all settings that are known, whether or not they are shown
   * @param environment the environment of this process
   */
  Redactor(Iterable<Configuration> configurations, Map<String, String> environment) {
    // The longest first: one may contain another.
    TreeSet<String> found =
        new TreeSet<>(
            Comparator.comparing(String::length).reversed().thenComparing(String::compareTo));
    ConfigRedactor first = null;
    for (Configuration conf : configurations) {
      ConfigRedactor own = new ConfigRedactor(conf);
      first = first == null ? own : first;
      for (Map.Entry<String, String> entry : conf) {
        if (isSensitive(own, entry.getKey(), entry.getValue())) {
          addForms(found, entry.getValue().trim());
        }
      }
    }
    environment.forEach(
        (name, value) -> {
          if (SENSITIVE_NAME.matcher(name).find() && !isHarmless(value)) {
            addForms(found, value.trim());
          }
        });
    hadoop = first == null ? new ConfigRedactor(new Configuration(false)) : first;
    found.removeIf(value -> value.length() < SECRET_LENGTH_MIN);
    secrets = new ArrayList<>(found);
  }

  /** Adds a secret as it is, and as JSON, XML and addresses write it. */
  private static void addForms(TreeSet<String> found, String value) {
    found.add(value);
    found.add(value.replace("\\", "\\\\").replace("\"", "\\\""));
    found.add(value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
    try {
      found.add(URLEncoder.encode(value, "UTF-8"));
    } catch (UnsupportedEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns whether Hadoop regards a key as sensitive, or its name suggests a secret. */
  private static boolean isSensitive(ConfigRedactor redactor, String key, String value) {
    return !value.isEmpty()
        && (!value.equals(redactor.redact(key, value))
            || SENSITIVE_NAME.matcher(key).find() && !isHarmless(value.trim()));
  }

  /** Returns whether a value is a switch, a number, a time or a class, and so no secret. */
  private static boolean isHarmless(String value) {
    return value.matches("true|false|none|null|simple|kerberos|[0-9]{1,18}[a-zA-Z]{0,2}")
        || value.matches("(org|com|java)\\.[\\w.$]+(\\s*,\\s*(org|com|java)\\.[\\w.$]+)*");
  }

  /** Returns the value of a key for a report. */
  String value(String key, String value) {
    return isSensitive(hadoop, key, value) ? REDACTED : text(value);
  }

  /** Returns text without secrets. */
  String text(String text) {
    String clean = text;
    for (String secret : secrets) {
      clean = clean.replace(secret, REDACTED);
    }
    clean = PRIVATE_KEY.matcher(clean).replaceAll(REDACTED);
    clean = PROPERTY.matcher(clean).replaceAll("$1" + REDACTED);
    clean = replaceValues(ASSIGNMENT.matcher(clean));
    clean = replaceValues(OPTION.matcher(clean));
    clean = USER_IN_ADDRESS.matcher(clean).replaceAll("$1" + REDACTED + "@");
    clean = HEADER.matcher(clean).replaceAll("$1 " + REDACTED);
    return replaceTokens(TOKEN.matcher(clean));
  }

  private static String replaceTokens(Matcher matcher) {
    StringBuffer result = new StringBuffer();
    while (matcher.find()) {
      String name = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      matcher.appendReplacement(result, Matcher.quoteReplacement(name + REDACTED));
    }
    return matcher.appendTail(result).toString();
  }

  /** Replaces the second group of each match, and keeps its quotes so that JSON stays valid. */
  private static String replaceValues(Matcher matcher) {
    StringBuffer result = new StringBuffer();
    while (matcher.find()) {
      String value = matcher.group(2);
      boolean isJson = matcher.group(1).contains("\"");
      String quote = isJson ? "\"" : "";
      for (String known : new String[] {"\\\"", "\"", "'"}) {
        if (value.startsWith(known)) {
          quote = known;
          break;
        }
      }
      boolean shown = value.matches("[\\\\\"']{0,2}(true|false|null|<redacted>)[\\\\\"']{0,2}");
      String kept = shown ? value : quote + REDACTED + quote;
      matcher.appendReplacement(result, Matcher.quoteReplacement(matcher.group(1) + kept));
    }
    return matcher.appendTail(result).toString();
  }
}
