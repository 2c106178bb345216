"""gauntlet probe between hosts: it reads the rate of a link that is shaped, and blames a host whose links are slow.

    GAUNTLET=build/gauntlet python3 tests/lab/probe_links_slow_test.py
"""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import probed_hosts  # noqa: E402

# Payload of a full Ethernet frame of 1,514 bytes: without the headers of Ethernet, IP and TCP, and the timestamps of TCP.
PAYLOAD = 1448 / 1514
MEGABITS = 200


@unittest.skipIf(probed_hosts.missing(), probed_hosts.missing())
class Links(unittest.TestCase):
    def shape(self, host):
        done = subprocess.run(host.network.words("tc", "qdisc", "add", "dev", "data0", "root", "tbf", "rate", f"{MEGABITS}mbit", "burst", "64kb",
                                                 "latency", "20ms"), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.skipTest("the kernel has no token bucket for interfaces: " + done.stderr)

    def test_it_reads_the_rate_of_a_shaped_link(self):
        with probed_hosts.hosts(2) as (hosts, secret):
            self.shape(hosts[0])
            shares, found = [], {}
            # The bucket lets no more through. Where other programs have the processors, less comes, or the probe says that they may be the reason.
            while len(shares) < 5 and (not shares or max(shares) < 0.97 or "the cores were busy" in found["why"]):
                report = hosts[0].probe("--suite", "full", "--only", "tcp_bandwidth", "--pair", f"{hosts[1].name}:{probed_hosts.PORT}",
                                        "--secret-file", str(secret))
                found = probed_hosts.finding(report, "tcp_bandwidth")
                rates = {part["part"].split()[0]: part["metric"]["median"] for part in found["parts"]}
                shares.append(rates["to"] / (MEGABITS / 1e3 * PAYLOAD))
                self.assertLess(shares[-1], 1.03)
            self.assertGreaterEqual(max(shares), 0.97, shares)
            self.assertGreater(rates["from"], 2 * rates["to"])
            # Of a single pair nobody can say whose fault it is.
            self.assertEqual(found["verdict"], "inconclusive")
            self.assertIn(f"by this host or by {hosts[1].name}", found["why"])

    def test_it_blames_a_host_that_sends_slowly_to_all(self):
        with probed_hosts.hosts(3) as (hosts, secret):
            self.shape(hosts[2])
            report = hosts[2].probe("--suite", "full", "--only", "tcp_bandwidth", "--pair", probed_hosts.neighbours_of(hosts[2], hosts), "--secret-file",
                                    str(secret))
            found = probed_hosts.finding(report, "tcp_bandwidth")
            self.assertEqual(found["verdict"], "degraded", found)
            self.assertIn("to ", found["part"])


if __name__ == "__main__":
    unittest.main()
