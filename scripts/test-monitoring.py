# SPDX-License-Identifier: Apache-2.0
"""Checks the alert rules and the dashboard of docs/monitoring; scripts/test-monitoring.sh calls it and describes it."""
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import yaml
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.models import dashboard as grafana

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "docs/monitoring/stripeline-rules.yml"
DASHBOARD = ROOT / "docs/monitoring/stripeline-dashboard.json"
WAIT_SECONDS = 120

# Values of the metric, one a minute, and whether the alert fires after an hour and three minutes. "_" is no sample:
# Hadoop may publish a counter for the first time when it is 1 already.
COUNTER_CASES = [("0x120", False), ("0x59 1x60", True), ("_x59 1x60", True), ("1x120", False)]
# Times of which each alert allows some age: at 1970, and more than 30 days before it.
TIME_CASES = [("0x120", False), ("-2600000x120", True)]
STATE_CASES = [("0x120", False), ("1x120", True), ("0x59 1x60", False), ("1x59 0x60", False)]


def fail(message):
    sys.exit(f"test-monitoring: {message}")


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def check_rules(directory):
    """Runs each rule on series made for it, with and without a failure shortly before the time of the check."""
    subprocess.run(["promtool", "check", "rules", RULES], check=True, stdout=subprocess.DEVNULL)
    tests = []
    for rule in rules():
        (metric,) = set(re.findall(r"stripeline_\w+", rule["expr"]))
        cases = TIME_CASES if "time()" in rule["expr"] else STATE_CASES if "for" in rule else COUNTER_CASES
        for values, fires in cases:
            alert = {"exp_labels": {"severity": rule["labels"]["severity"], "instance": "nn1:9870"}}
            description = {key: text.replace("{{ $labels.instance }}", "nn1:9870")
                           for key, text in rule["annotations"].items()}
            tests.append({
                "interval": "1m",
                "input_series": [{"series": f'{metric}{{instance="nn1:9870"}}', "values": values}],
                "alert_rule_test": [{
                    "eval_time": "1h3m",
                    "alertname": rule["alert"],
                    "exp_alerts": [{**alert, "exp_annotations": description}] if fires else [],
                }],
            })
    path = directory / "rules-test.yml"
    path.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    done = subprocess.run(["promtool", "test", "rules", path], capture_output=True, text=True)
    if done.returncode:
        fail(f"promtool test rules:\n{done.stdout[-4000:]}{done.stderr[-2000:]}")
    print(f"rules: {len(rules())} alerts, {len(tests)} cases")


def expressions():
    """Reads the dashboard with Grafana's model and returns its expressions, the variables replaced."""
    plugins.register_default_plugins()
    model = grafana.Dashboard.from_json(json.loads(DASHBOARD.read_text()))
    found = []
    for panel in model.panels or []:
        if not panel.targets:
            fail(f"panel {panel.title!r} of the dashboard has no query")
        for target in panel.targets:
            expression = target.expr
            found.append(expression.replace("$__rate_interval", "1m").replace("$instance", ".*"))
    print(f"dashboard: {len(model.panels)} panels, {len(found)} queries")
    return found


def request(port, path, **parameters):
    url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)["data"]


def wait(what, condition):
    """Waits until the condition returns something true, and returns it."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            result = condition()
            if result:
                return result
        except OSError as e:
            result = e
        if time.monotonic() > end:
            fail(f"{what} not seen in {WAIT_SECONDS} s: {result}")
        time.sleep(0.2)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def check_cluster(directory, queries):
    """Starts a cluster and a Prometheus that scrapes it as docs/user/metrics.md says, and runs every query there."""
    cluster = directory / "cluster"
    command = [str(ROOT / "stripeline"), "cluster"]
    try:
        subprocess.run([*command, "start", f"--dir={cluster}", "--datanodes=3", "--racks=3", "--json",
                        "--set=hadoop.prometheus.endpoint.enabled=true"], check=True, stdout=subprocess.DEVNULL)
        status = subprocess.run([*command, "status", f"--dir={cluster}", "--json"], check=True,
                                capture_output=True, text=True)
        web = re.search(r"127\.0\.0\.1:(\d+)", json.loads(status.stdout)["web"])[0]
        configuration = directory / "prometheus.yml"
        configuration.write_text(yaml.safe_dump({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(RULES)],
            "scrape_configs": [
                {"job_name": "hdfs", "metrics_path": "/prom", "static_configs": [{"targets": [web]}]}],
        }))
        port = free_port()
        with open(directory / "prometheus.log", "wb") as log:
            prometheus = subprocess.Popen(
                ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={directory / 'data'}",
                 f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
        try:
            wait("a scrape of the cluster",
                 lambda: request(port, "query", query="stripeline_agent_tasks_failed")["result"])
            loaded = wait("the evaluation of the rules", lambda: evaluated(port))
            unhealthy = [f'{rule["name"]}: {rule["health"]} {rule.get("lastError", "")}, {rule["state"]}'
                         for rule in loaded if rule["health"] != "ok" or rule["state"] != "inactive"]
            if unhealthy:
                fail("rules on a cluster without failures: " + "; ".join(unhealthy))
            for query in queries:
                request(port, "query", query=query)
            print(f"Prometheus: {len(loaded)} rules and {len(queries)} queries evaluated on a cluster")
        finally:
            prometheus.terminate()
            prometheus.wait()
    finally:
        subprocess.run([*command, "stop", f"--dir={cluster}"], stdout=subprocess.DEVNULL)


def evaluated(port):
    """Returns the rules when Prometheus has evaluated each of them."""
    found = [rule for group in request(port, "rules")["groups"] for rule in group["rules"]]
    return found if len(found) == len(rules()) and all(rule["health"] != "unknown" for rule in found) else None


def main():
    with tempfile.TemporaryDirectory(prefix="stripeline-monitoring-") as name:
        directory = Path(name)
        check_rules(directory)
        check_cluster(directory, expressions())


main()
