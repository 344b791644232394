# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README.md and docs/user/*.md, and compares what the pages show with what is printed.

scripts/test-docs.sh calls it and describes it.

Commands are the lines of fenced and indented blocks that begin with "$ ", and in blocks without such lines those that
begin with a program. Each page runs in one shell, in order. Paths of the machine, such as /tmp, lie in a temporary
directory. What follows a line with "$ " must be the whole output, in which "..." stands for any lines, or for the rest
of a line; words are compared, not figures.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE_SECONDS = 600

# Programs that may run here. A command with another one fails the test until it is named here or below.
PROGRAMS = set("stripeline hdfs export unset cat cc cd cp curl echo grep gzip head jq ls mkdir mv python3 rm tar".split())

# Programs that never run here, and why. Order does not matter.
FOREIGN = {
    "make": "builds or tests everything; continuous integration runs make",
    "mvn": "builds; continuous integration runs make",
    "systemctl": "needs systemd and an installed service",
    "journalctl": "needs systemd and an installed service",
    "sudo": "needs root",
    "apt": "installs a package on this machine",
    "apt-get": "installs a package on this machine",
    "dpkg": "installs a package on this machine",
    "dnf": "installs a package on this machine",
    "yum": "installs a package on this machine",
    "rpm": "installs a package on this machine",
    "docker": "needs a container runtime",
    "ssh": "needs a second host",
    "scp": "needs a second host",
    "yarn": "needs YARN",
    "hadoop": "needs an installed Hadoop",
    "spark-submit": "needs Spark",
    "promtool": "needs Prometheus",
    "prometheus": "needs Prometheus",
}

# Single commands that cannot run here: page, beginning of the command, reason.
SKIPPED = [
    ("convert.md", "stripeline convert /data/a/f1 --resume", "needs a driver that was killed; ProcessKillTest"),
    ("convert.md", "stripeline status", "needs a job that is running; JobControlTest"),
    ("convert.md", "stripeline convert /data --policy=RS-6-3 --principal", "needs a KDC; KeytabLoginTest"),
    ("evaluate.md", "stripeline evaluate", "takes minutes to hours; EvaluateProcessTest"),
    ("library.md", "ldconfig", "scripts/test-c.sh sets LD_LIBRARY_PATH instead"),
    ("library.md", "cc ", "needs the installed library; scripts/test-c.sh"),
    ("library.md", "java ", "ExampleTest compiles and runs the program"),
]

# Parts of commands that cannot run here, on any page, and why.
SKIPPED_PARTS = {
    "hdfs --daemon": "needs an installed Hadoop whose daemons this test may restart",
    "-NEW.jar": "needs the jar of another version",
}

# Commands that do not always exit with 0: page, beginning of the command, accepted statuses.
STATUSES = [
    # A disk that is nearly full is a warning.
    ("operate.md", "stripeline doctor --cluster --strict", {0, 1}),
    # Some figures differ from the paper's.
    ("simulate.md", "stripeline simulate simulation", {1}),
]

# Text of a page that depends on the cluster: page, pattern, shell expression.
REPLACED = [
    ("plan.md", r"fsimage_\d+", "$(cd $WORK/tmp && ls fsimage_* | grep -v md5 | tail -n 1)"),
]

# What the commands of a page print, though the page does not show it.
PRINTED = {
    "README.md": [
        "No problem found.",
        "converted 1 file, 1.00 GiB",
        "Total block groups",
        "The filesystem under path '/data' is HEALTHY",
    ],
}

# Pages whose commands leave nothing in /tmp.
TIDY = {"README.md"}

# Directories of the machine in commands. /data/hdfs is the directory of a cluster, /data alone a path in HDFS.
MACHINE_PATHS = r"(?<![\w.-])(/tmp|/etc|/var|/opt|/data/hdfs)(?![\w-])"

TREE = """
stripeline hdfs dfs -rm -r -f -skipTrash /data
stripeline hdfs dfs -mkdir -p /data/a /data/b
stripeline hdfs dfs -Ddfs.blocksize=4194304 -put $WORK/tree/f1 $WORK/tree/f2 /data/a
stripeline hdfs dfs -Ddfs.blocksize=2097152 -put $WORK/tree/f3 /data/b
stripeline hdfs dfs -put $WORK/tree/small /data
"""

CONFIGURATION = "mkdir -p $WORK/etc/hadoop && rm -rf $WORK/etc/hadoop/conf && cp -r $HADOOP_CONF_DIR $WORK/etc/hadoop/conf\n"

# An image holds what existed at the last checkpoint.
CHECKPOINT = """
hdfs dfsadmin -safemode enter
hdfs dfsadmin -saveNamespace
hdfs dfsadmin -safemode leave
"""

# What a page needs: shell commands that run before the page, or before a command of it.
BEFORE = {
    "convert.md": TREE,
    "install.md": """
        mkdir -p bin lib $WORK/etc/hadoop/conf
        cp $ROOT/stripeline bin
        cp $ROOT/java/cli/target/stripeline-*.jar lib
        cp $ROOT/java/cli/target/stripeline-[0-9]*.jar .
        cp $ROOT/docs/user/core-site.sample.xml $WORK/etc/hadoop/conf/core-site.xml
        export HADOOP_HOME=$WORK/home
        rm $HADOOP_HOME/share/hadoop/common/lib/*
        """,
    "operate.md": CONFIGURATION,
    "plan.md": TREE + """
        stripeline hdfs dfs -mkdir -p /data/hbase/WALs /data/logs
        stripeline hdfs dfs -mv /data/a /data/b /data/logs
        stripeline hdfs dfs -Ddfs.blocksize=2097152 -put $WORK/tree/f1 /data/hbase/WALs
        """,
    "convert.md stripeline convert /data --policy=RS-6-3 --layout=striped": TREE,
    "plan.md hdfs dfsadmin -fetchImage": CHECKPOINT,
    "convert.md stripeline convert /data/a/f1 --undo": TREE
    + "stripeline convert /data/a/f1 --policy=RS-6-3 --execute\n",
}

KERNELS = r"\b(avx512\+gfni|avx2\+gfni|avx2|ssse3|neon|portable)(?![\w+])"
FIGURE = r"(?<![A-Za-z_])\d[\d,]*(\.\d+)?k?( ?(B|[KMGTP]i?B|ms|s|min|%|x)(?![\w]))?(/s)?"
# Lines that no page shows: progress, and what Java says about the options that it gets here.
UNSHOWN = re.compile(r"^\[ *[\d.]+s\] |^Picked up JAVA_TOOL_OPTIONS: ")


class Failed(Exception):
    """A page does not run as printed, or shows something else than is printed."""


class Command:
    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.shown = None
        self.reason = None
        self.status = None
        self.printed = ""

    def programs(self):
        words = re.split(r"&&|\|\||[|;]", re.sub(r"'[^']*'|\"[^\"]*\"|\s#.*", " ", self.text))
        return [program(part) for part in words if part.strip()]


def program(text):
    """Returns the name of the program of a simple command, after its variables."""
    words = text.split()
    while words and re.match(r"^\w+=", words[0]):
        words.pop(0)
    return os.path.basename(words[0]) if words else ""


def blocks(text):
    """Yields the fenced blocks of a shell and the indented blocks, as lists of (number, line)."""
    block, fence = [], None
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"^ *```(\w*)", line)
        if mark:
            if fence is None:
                yield block
                block, fence = [], mark.group(1)
            else:
                if fence in ("", "sh", "bash", "shell", "console"):
                    yield block
                block, fence = [], None
        elif fence is not None or line.startswith("    ") or (block and not line.strip()):
            block.append((number, line))
        else:
            yield block
            block = []
    yield block


def commands(text):
    """Returns the commands of a page with the output that it shows."""
    found = []
    for block in blocks(text):
        lines = [(number, line.strip()) for number, line in block]
        prompts = any(line.startswith("$ ") for _, line in lines)
        current = None
        for number, line in lines:
            if found and current is found[-1] and current.text.endswith("\\"):
                current.text = current.text[:-1] + line
            elif line.startswith("$ "):
                current = Command(number, line[2:])
                found.append(current)
            elif prompts:
                if current is not None:
                    current.shown = (current.shown or []) + [(number, line)]
            elif re.match(r"^(\w+=\S* )*[a-z./][\w./-]*( |$)", line):
                name = program(line)
                if name in PROGRAMS or name in FOREIGN or shutil.which(name):
                    current = Command(number, line)
                    found.append(current)
    for command in found:
        command.shown = [row for row in command.shown or [] if row[1]] or None
    return found


def words(line):
    """Returns a line without figures, names of jobs, and spaces of a table."""
    line = re.sub(r"\d{8}-\d{6}(-[0-9a-f]{4})?", "TIME", line)
    line = re.sub(KERNELS, "KERNEL", line)
    line = re.sub(r"linux-(x86_64|aarch64)", "linux-ARCH", line)
    line = re.sub(FIGURE, "N", line)
    line = re.sub(r"(?<!\S)-(?!\S)", "N", line)
    return re.sub(r"\s+", " ", line).strip()


def compare(page, command):
    """Compares what a page shows with what was printed."""
    printed = []
    for line in command.printed.split("\n"):
        if line.strip() and not re.match(r"^-+$", line.strip()) and not UNSHOWN.match(line):
            printed.append(line)
    at, anywhere = 0, False
    for number, line in command.shown:
        if line == "...":
            anywhere = True
            continue
        if re.match(r"^-+$", line):
            continue
        wanted = words(line)
        whole = not line.endswith("...")
        tried = at
        while tried < len(printed):
            got = words(printed[tried])
            if got == wanted if whole else got.startswith(wanted[:-3].strip()):
                break
            if not anywhere:
                tried = len(printed)
            tried += 1
        if tried >= len(printed):
            rest = "\n    ".join(printed[at : at + (200 if anywhere else 3)]) or "nothing more"
            raise Failed(f"{page}:{number}: the page shows\n    {line}\nprinted is\n    {rest}")
        at, anywhere = tried + 1, False
    if at < len(printed) and not anywhere:
        rest = "\n    ".join(printed[at:])
        raise Failed(f"{page}:{command.line}: the page does not show, even as '...', that this is printed\n    {rest}")


class Place:
    """The temporary directory with everything that the pages use, and the cluster that they share."""

    def __init__(self, work, class_path, installed):
        self.work = work
        self.class_path = class_path
        self.cluster = None
        checkout = work / "checkout"
        for directory in ("bin", "checkout", "tmp", "var/tmp", "var/lib/hadoop/native", "data", "tree"):
            (work / directory).mkdir(parents=True)
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build"):
                (checkout / entry.name).symlink_to(entry)
        (work / "bin/stripeline").symlink_to(ROOT / "stripeline")
        self.write_hadoop()
        for name, size in (("f1", 24 << 20), ("f2", 49 << 20), ("f3", 12 << 20), ("small", 1000)):
            (work / "tree" / name).write_bytes(os.urandom(size))
        java = os.environ.get("JAVA_HOME") or Path(shutil.which("java")).resolve().parent.parent
        self.environment = {
            "HOME": str(work),
            "JAVA_HOME": str(java),
            # These JVMs are too short-lived for the second compiler to repay its time.
            "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "LANG": "C.UTF-8",
            "PATH": f"{work}/bin:{java}/bin:/usr/bin:/bin",
            "ROOT": str(ROOT),
            "WORK": str(work),
        }
        if installed:
            self.environment["HADOOP_HOME"] = str(work / "home")

    def write_hadoop(self):
        """Makes an installation of Hadoop with our jar, and the command hdfs."""
        library = self.work / "home/share/hadoop/common/lib"
        library.mkdir(parents=True)
        for jar in (ROOT / "java/cli/target").glob("stripeline-[0-9]*.jar"):
            shutil.copy(jar, library)
        (self.work / "home/etc/hadoop").mkdir(parents=True)
        script(
            self.work / "home/bin/hadoop",
            'home=$(dirname "$(dirname "$0")")\n'
            'printf %s "${HADOOP_CONF_DIR:-$home/etc/hadoop}"\n'
            "printf ':%s' \"$home\"/share/hadoop/common/lib/*\n"
            f"echo ':{self.class_path}'\n",
        )
        script(
            self.work / "bin/hdfs",
            'if [[ $1 != oiv ]]; then exec stripeline hdfs "$@"; fi\n'
            f'exec java -cp "$(HADOOP_CONF_DIR= {self.work}/home/bin/hadoop)" '
            'org.apache.hadoop.hdfs.tools.offlineImageViewer.OfflineImageViewerPB "${@:2}"\n',
        )

    def start_cluster(self):
        directory = self.work / "cluster"
        started = time.monotonic()
        subprocess.run(
            [ROOT / "stripeline", "cluster", "start", f"--dir={directory}", "--datanodes=9", "--racks=3"],
            env=self.environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.cluster = json.loads((directory / "run/state.json").read_text())["process"]["pid"]
        self.environment["HADOOP_CONF_DIR"] = str(directory / "conf-stripeline")
        print(f"shared cluster started in {time.monotonic() - started:.0f} s", flush=True)

    def stop_cluster(self):
        if self.cluster is not None:
            subprocess.run([ROOT / "stripeline", "cluster", "stop", f"--dir={self.work / 'cluster'}"],
                           env=self.environment, check=True, stdout=subprocess.DEVNULL)
            self.cluster = None

    def processes(self):
        """Returns the ids of processes with this directory in their environment, but the shared cluster's."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if str(self.work).encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:
                pass
        return [pid for pid in found if pid not in (os.getpid(), self.cluster)]

    def end_processes(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/usr/bin/env bash\nset -euo pipefail\n" + text)
    path.chmod(0o755)


def decide(page, command, class_path):
    """Sets why a command cannot run here; fails if that is not known."""
    if "--driver=mapreduce" in command.text and "hadoop-mapreduce-client" not in class_path:
        command.reason = "needs Hadoop's classes of MapReduce"
    for name, beginning, reason in SKIPPED:
        if name == page and command.text.startswith(beginning):
            command.reason = reason
    for part, reason in SKIPPED_PARTS.items():
        if part in command.text:
            command.reason = reason
    for name in command.programs():
        if name in FOREIGN:
            command.reason = FOREIGN[name]
        elif name not in PROGRAMS and command.reason is None:
            raise Failed(f"{page}:{command.line}: '{name}' is not in PROGRAMS, FOREIGN or SKIPPED of scripts/test-docs.py")
    if "libJerasure" in command.text and not list(Path("/usr/lib").glob("**/libJerasure.so.2")):
        command.reason = "needs Debian's package libjerasure2, which is not installed here"


def shell(place, page, found):
    """Writes and runs the shell script of a page; each command leaves its output and status in a file."""
    log = place.work / "log" / page
    log.mkdir(parents=True)
    lines = [
        f"cd {place.work}/checkout",
        "prepare() { (set -e; eval \"$1\") >>%s/before 2>&1 </dev/null || exit 90; }" % log,
        "run() { eval \"$(<%s/$1.command)\" >%s/$1.out 2>&1 </dev/null; status=$?; echo $status >%s/$1.status; "
        "[[ $2 == *\" $status \"* ]] || exit 91; }" % (log, log, log),
    ]
    if page in BEFORE:
        # In this shell, for what it exports.
        lines.append("set -e\n{\n%s\n} >%s/before 2>&1 </dev/null\nset +e" % (BEFORE[page], log))
    for number, command in enumerate(found):
        if command.reason is not None:
            continue
        text = re.sub(MACHINE_PATHS, lambda path: str(place.work) + path.group(1), command.text)
        for name, pattern, replacement in REPLACED:
            if name == page:
                text = re.sub(pattern, lambda _, by=replacement: by, text)
        (log / f"{number}.command").write_text(text + "\n")
        for key, before in BEFORE.items():
            if " " in key and f"{page} {command.text}".startswith(key):
                lines.append(f"prepare '{before}'")
        accepted = {0}
        for name, beginning, statuses in STATUSES:
            if name == page and command.text.startswith(beginning):
                accepted = statuses
        lines.append(f"run {number} ' {' '.join(map(str, sorted(accepted)))} '")
    script_file = log / "page.sh"
    script_file.write_text("\n".join(lines) + "\n")
    process = subprocess.Popen(["bash", script_file], env=place.environment, start_new_session=True)
    try:
        status = process.wait(PAGE_SECONDS)
    except subprocess.TimeoutExpired:
        status = f"none within {PAGE_SECONDS} s"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for number, command in enumerate(found):
        out, ended = log / f"{number}.out", log / f"{number}.status"
        if out.exists():
            command.printed = out.read_text(errors="replace").replace(str(place.work), "")
        if ended.exists():
            command.status = int(ended.read_text())
        elif out.exists():
            raise Failed(f"{page}:{command.line}: '{command.text}' has not ended; printed was\n{command.printed}")
        if command.status not in (None, 0) and status == 91 and number == last(found):
            raise Failed(f"{page}:{command.line}: '{command.text}' ended with status {command.status}; printed was\n"
                         + command.printed)
    if status != 0:
        before = (log / "before").read_text() if (log / "before").exists() else ""
        raise Failed(f"{page}: what the page needs could not be prepared (status {status}):\n{before}")


def last(found):
    """Returns the number of the last command that ended."""
    return max(number for number, command in enumerate(found) if command.status is not None)


def run_page(place, path):
    page = path.name
    text = path.read_text()
    found = commands(text)
    for command in found:
        decide(page, command, place.class_path)
    running = [command for command in found if command.reason is None]
    started = time.monotonic()
    if running:
        if page == "simulate.md":
            scenario = next(b for b in blocks(text) if b and b[0][1].strip() == "{")
            (place.work / "checkout/mine.json").write_text("\n".join(line for _, line in scenario))
        shell(place, page, found)
    for command in running:
        if command.shown is not None:
            compare(page, command)
    for part in PRINTED.get(page, []):
        if not any(part in command.printed for command in running):
            raise Failed(f"{page}: no command prints '{part}'")
    files = [path.name for path in (place.work / "tmp").iterdir()]
    if page in TIDY and files:
        raise Failed(f"{page}: the commands of the page leave {files} in /tmp")
    left = place.processes()
    if left:
        place.end_processes()
        raise Failed(f"{page}: processes {left} still run after the commands of the page")
    compared = sum(1 for command in running if command.shown is not None)
    print(f"{page}: {len(running)} commands ran as printed, {compared} with the output that the page shows, "
          f"in {time.monotonic() - started:.0f} s", flush=True)
    for command in found:
        if command.reason is not None:
            print(f"  not run: {command.text}\n           {command.reason}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--class-path", required=True)
    parser.add_argument("--installed", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    pages = arguments.pages or [ROOT / "README.md", *sorted((ROOT / "docs/user").glob("*.md"))]
    failures = []
    work = Path(tempfile.mkdtemp(prefix="stripeline-docs-"))
    place = None
    # SystemExit runs what follows "finally".
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        place = Place(work, arguments.class_path, arguments.installed)
        # These pages start clusters of their own, as a reader without one does.
        own = {"README.md", "start.md"}
        for path in sorted(pages, key=lambda path: path.name not in own):
            if path.name not in own and place.cluster is None:
                place.start_cluster()
            try:
                run_page(place, path)
            except Failed as failure:
                place.end_processes()
                failures.append(str(failure))
                print(f"FAILED {failure}", file=sys.stderr, flush=True)
        place.stop_cluster()
    finally:
        if place is not None:
            place.cluster = None
            place.end_processes()
        shutil.rmtree(work)
    print(f"{len(pages) - len(failures)} pages passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


main()
