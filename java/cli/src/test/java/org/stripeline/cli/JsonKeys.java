// SPDX-License-Identifier: Apache-2.0
package org.stripeline.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stripeline.terminal.Spread;

/**
 * The keys of JSON output, as paths: {@code a.b} is a key of an object, {@code a[].b} one of the
 * objects of a list, {@code a.*} stands for keys that are names, such as those of servers.
 */
public final class JsonKeys {
  private JsonKeys() {}

  /**
   * Returns the keys in some lines of JSON, without those of empty lists and nulls.
   *
   * @param page the documented keys, which tell where names are keys
   */
  public static Set<String> in(String text, Set<String> page) {
    Set<String> keys = new TreeSet<>();
    collect(JsonParser.parseString(text), "", keys, page);
    return keys;
  }

  private static void collect(
      JsonElement element, String path, Set<String> keys, Set<String> page) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(each -> collect(each, path + "[]", keys, page));
    } else if (element.isJsonObject()) {
      String prefix = path.isEmpty() ? "" : path + ".";
      boolean isMap = page.stream().anyMatch(key -> key.startsWith(prefix + "*"));
      for (Map.Entry<String, JsonElement> entry : element.getAsJsonObject().entrySet()) {
        collect(entry.getValue(), prefix + (isMap ? "*" : entry.getKey()), keys, page);
      }
      if (path.isEmpty()) {
        return;
      }
    }
    boolean isAbsent =
        element.isJsonNull() && page.stream().anyMatch(key -> key.startsWith(path + "."));
    if (!element.isJsonObject() && !path.endsWith("[]") && !isAbsent) {
      keys.add(path);
    }
  }

  /** Returns the keys of a class whose fields are the output, with those of empty lists. */
  public static Set<String> of(Class<?> type) {
    return of(type, "");
  }

  /** Returns the same keys for a class whose object or list has a key in the output. */
  public static Set<String> of(Class<?> type, String path) {
    Set<String> keys = new TreeSet<>();
    collect(type, path, keys);
    keys.add("schema");
    return keys;
  }

  private static void collect(Type type, String path, Set<String> keys) {
    if (type instanceof ParameterizedType) {
      Type[] arguments = ((ParameterizedType) type).getActualTypeArguments();
      boolean isMap =
          Map.class.isAssignableFrom((Class<?>) ((ParameterizedType) type).getRawType());
      if (!isMap) {
        keys.add(path);
      }
      collect(arguments[arguments.length - 1], path + (isMap ? ".*" : "[]"), keys);
    } else if (type instanceof Class
        && ((Class<?>) type).getName().startsWith("org.stripeline")
        && type != Spread.class
        && !((Class<?>) type).isEnum()) {
      for (Class<?> each = (Class<?>) type; each != Object.class; each = each.getSuperclass()) {
        for (Field field : each.getDeclaredFields()) {
          if (!Modifier.isStatic(field.getModifiers())
              && !Modifier.isTransient(field.getModifiers())) {
            collect(
                field.getGenericType(),
                path.isEmpty() ? field.getName() : path + '.' + field.getName(),
                keys);
          }
        }
      }
    } else if (!path.endsWith("[]")) {
      keys.add(path);
    }
  }

  /** Returns the keys that docs/user/json.md lists for a command. */
  public static Set<String> documented(String command) throws IOException {
    return rows(command).keySet();
  }

  /** Returns the table below a heading of docs/user/json.md: keys or values, and meanings. */
  static Map<String, String> rows(String heading) throws IOException {
    String page =
        Files.readString(
            Paths.get(System.getProperty("stripeline.root"), "docs", "user", "json.md"));
    Map<String, String> rows = new TreeMap<>();
    boolean isIn = false;
    for (String line : page.split("\n")) {
      if (line.startsWith("#")) {
        isIn = line.replaceFirst("^#+ ", "").equals(heading);
      }
      Matcher row = Pattern.compile("\\| `([^`]+)` \\| (.+) \\|").matcher(line);
      if (isIn && row.matches()) {
        rows.put(row.group(1), row.group(2));
      }
    }
    return rows;
  }
}
