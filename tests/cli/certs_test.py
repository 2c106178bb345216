"""gauntlet certs: what it makes, held against the command line tool of OpenSSL; and what it refuses, leaving nothing behind.

    GAUNTLET=build/gauntlet python3 tests/cli/certs_test.py
"""

import os
import pathlib
import re
import stat
import subprocess
import tempfile
import time
import unittest

GAUNTLET = os.path.abspath(os.environ.get("GAUNTLET", "build/gauntlet"))
SECONDS_MAX = 60


def run(*words, code=0, cwd=None):
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS_MAX, stdin=subprocess.DEVNULL, check=False, cwd=cwd)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    return done


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class Certs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ca = self.folder / "ca"

    def certs(self, *words, code=0):
        return run(GAUNTLET, "certs", *map(str, words), code=code)

    def lab(self):
        self.certs("init", self.ca, "--cluster", "lab-1")

    def issue(self, role, host, *more, code=0):
        return self.certs("issue", self.ca, "--role", role, "--host", host, *more, code=code)

    def openssl_accepts(self, certificate, purpose, *more, host=None):
        name = ["-verify_hostname", host] if host else []
        done = run("openssl", "verify", "-x509_strict", "-crl_check", "-purpose", purpose, "-CAfile", str(self.ca / "ca.pem"), "-CRLfile",
                   str(self.ca / "revoked.pem"), *name, *more, str(certificate), code=None)
        return done.returncode == 0, done.stdout + done.stderr

    def refused(self, *words, says):
        before = sorted(self.folder.rglob("*"))
        done = self.certs(*words, code=2)
        self.assertEqual(done.stdout, "")
        for each in says:
            self.assertIn(each, done.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before, "something was left behind")

    def test_openssl_accepts_each_certificate_for_its_own_role_and_host_alone(self):
        self.lab()
        for role, host, purpose, other in (("agent", "node-7.lab", "sslserver", "sslclient"), ("driver", "localhost", "sslclient", "sslserver")):
            self.issue(role, host)
            certificate = self.ca / f"{role}-{host}" / "certificate.pem"
            self.assertEqual(self.openssl_accepts(certificate, purpose, host=host)[0], True)
            accepted, said = self.openssl_accepts(certificate, other)
            self.assertFalse(accepted)
            self.assertIn("unsuitable certificate purpose", said)
            self.assertFalse(self.openssl_accepts(certificate, purpose, host="elsewhere")[0])
            text = run("openssl", "x509", "-in", str(certificate), "-noout", "-text").stdout
            for each in ("ASN1 OID: prime256v1", f"URI:gauntlet://lab-1/{role}/{host}", f"DNS:{host}", "CA:FALSE", "ecdsa-with-SHA256",
                         "X509v3 Key Usage: critical\n                Digital Signature\n"):
                self.assertIn(each, text)

    def test_an_address_is_an_address_in_the_certificate(self):
        self.lab()
        self.issue("agent", "127.0.0.1")
        certificate = self.ca / "agent-127.0.0.1" / "certificate.pem"
        self.assertTrue(self.openssl_accepts(certificate, "sslserver", "-verify_ip", "127.0.0.1")[0])
        self.assertFalse(self.openssl_accepts(certificate, "sslserver", "-verify_ip", "127.0.0.2")[0])

    def test_it_expires_when_it_says(self):
        self.lab()
        self.issue("agent", "a", "--days", "3")
        certificate = self.ca / "agent-a" / "certificate.pem"
        day = 24 * 3600
        now = int(time.time())
        self.assertTrue(self.openssl_accepts(certificate, "sslserver", "-attime", str(now + 3 * day - 3600))[0])
        accepted, said = self.openssl_accepts(certificate, "sslserver", "-attime", str(now + 3 * day + 3600))
        self.assertFalse(accepted)
        self.assertIn("certificate has expired", said)

    def test_a_revoked_certificate_is_on_the_list_and_the_next_one_is_not(self):
        self.lab()
        self.issue("agent", "a")
        self.issue("driver", "d")
        first = self.folder / "first.pem"
        first.write_bytes((self.ca / "agent-a" / "certificate.pem").read_bytes())
        self.certs("revoke", self.ca, "--role", "agent", "--host", "a")
        accepted, said = self.openssl_accepts(first, "sslserver")
        self.assertFalse(accepted)
        self.assertIn("certificate revoked", said)
        self.assertTrue(self.openssl_accepts(self.ca / "driver-d" / "certificate.pem", "sslclient")[0])
        self.assertEqual((self.ca / "driver-d" / "revoked.pem").read_bytes(), (self.ca / "revoked.pem").read_bytes())
        self.issue("agent", "a")
        self.assertTrue(self.openssl_accepts(self.ca / "agent-a" / "certificate.pem", "sslserver")[0])
        self.assertFalse(self.openssl_accepts(first, "sslserver")[0])
        number = run("openssl", "crl", "-in", str(self.ca / "revoked.pem"), "-noout", "-crlnumber").stdout
        self.assertEqual(number, "crlNumber=0x02\n")
        states = re.findall(r"^ +(agent|driver) +(\S+) .* UTC +(valid|revoked)", self.certs("list", self.ca).stdout, re.M)
        self.assertEqual(sorted(states), [("agent", "a", "revoked"), ("agent", "a", "valid"), ("driver", "d", "valid")])

    def test_keys_are_their_owners_alone_from_the_beginning(self):
        old = os.umask(0)
        try:
            self.lab()
            self.issue("agent", "a")
        finally:
            os.umask(old)
        keys = sorted(self.ca.rglob("*key.pem"))
        self.assertEqual([key.relative_to(self.ca).as_posix() for key in keys], ["agent-a/key.pem", "ca-key.pem"])
        self.assertEqual([mode(key) for key in keys], [0o600, 0o600])
        self.assertEqual([mode(each) for each in (self.ca, self.ca / "agent-a", self.ca / "issued")], [0o700] * 3)

    def test_serials_and_keys_are_never_used_twice(self):
        self.lab()
        for host in range(20):
            self.issue("agent", f"h{host}")
        serials, keys = set(), set()
        for host in range(20):
            certificate = str(self.ca / f"agent-h{host}" / "certificate.pem")
            serials.add(run("openssl", "x509", "-in", certificate, "-noout", "-serial").stdout)
            keys.add(run("openssl", "x509", "-in", certificate, "-noout", "-pubkey").stdout)
        self.assertEqual((len(serials), len(keys)), (20, 20))

    def test_two_commands_at_one_time_both_take_effect(self):
        self.lab()
        hosts = [f"h{number}" for number in range(6)]
        for host in hosts:
            self.issue("agent", host)
        running = [subprocess.Popen([GAUNTLET, "certs", "revoke", str(self.ca), "--role", "agent", "--host", host], stdout=subprocess.DEVNULL)
                   for host in hosts]
        self.assertEqual([each.wait(SECONDS_MAX) for each in running], [0] * len(hosts))
        listed = self.certs("list", self.ca).stdout
        self.assertEqual(listed.count("revoked"), len(hosts))

    def test_bad_input_says_what_why_and_what_to_do(self):
        self.refused("init", self.ca, "--cluster", "lab 1", says=['--cluster "lab 1"', "a-z, 0-9", "such as lab-1"])
        self.refused("init", self.folder / "no" / "ca", "--cluster", "lab-1",
                     says=[f"{self.folder}/no/ca: cannot be made: No such file or directory", "make the directory above it first"])
        self.refused("issue", self.ca, "--role", "agent", "--host", "a", says=["is not the directory of an authority", "certs init"])
        self.lab()
        self.refused("init", self.ca, "--cluster", "lab-1", says=["exists already", "choose another name"])
        for host in ("a_b", "A", "a..b", "-a", "10.0.0.256", "a,DNS:b", "a/../b"):
            self.refused("issue", self.ca, "--role", "agent", "--host", host, says=["is not the name of a host", "such as node-7.lab"])
        self.refused("issue", self.ca, "--role", "agent", "--host", "", says=["--host: the value is empty"])
        self.refused("issue", self.ca, "--role", "king", "--host", "a", says=["king"])
        self.refused("issue", self.ca, "--role", "agent", "--host", "a", "--days", "0", says=["--days"])
        self.refused("issue", self.ca, "--role", "agent", "--host", "a", "--days", "2000",
                     says=["is longer than the authority lasts", "write --days 182"])
        self.issue("agent", "a")
        self.refused("issue", self.ca, "--role", "agent", "--host", "a", says=["already", "gauntlet certs revoke"])
        self.refused("revoke", self.ca, "--role", "driver", "--host", "a", says=["was never given a certificate as driver"])
        self.certs("revoke", self.ca, "--role", "agent", "--host", "a")
        self.refused("revoke", self.ca, "--role", "agent", "--host", "a", says=["was revoked on"])

    def test_a_damaged_authority_is_refused(self):
        self.lab()
        self.issue("agent", "a")
        for name, text, says in (("ca.pem", "nothing", "does not hold a certificate"),
                                 ("ca-key.pem", (self.ca / "agent-a" / "key.pem").read_text(), "does not hold the key of ca.pem"),
                                 ("revoked.pem", "", "does not hold a list of revoked certificates")):
            whole = (self.ca / name).read_text()
            (self.ca / name).write_text(text)
            self.refused("issue", self.ca, "--role", "agent", "--host", "b", says=[name, says])
            (self.ca / name).write_text(whole)
        os.chmod(self.ca / "ca-key.pem", 0o640)
        self.refused("issue", self.ca, "--role", "agent", "--host", "b", says=["is a key that other users can read", "chmod 600"])

    def test_an_expired_authority_issues_nothing(self):
        """One that OpenSSL made: ours cannot begin in the past."""
        self.lab()
        key = str(self.ca / "ca-key.pem")
        (self.folder / "ca.conf").write_text(
            "[ca]\ndefault_ca=lab\n[lab]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\n"
            "x509_extensions=v3\n[any]\norganizationName=supplied\ncommonName=supplied\n"
            "[v3]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
            "[req]\ndistinguished_name=name\n[name]\n")
        (self.folder / "index").write_text("")
        (self.folder / "serial").write_text("01\n")
        run("openssl", "req", "-new", "-config", "ca.conf", "-key", key, "-subj", "/O=lab-1/CN=gauntlet authority", "-out", "ca.csr", cwd=self.folder)
        run("openssl", "ca", "-batch", "-config", "ca.conf", "-selfsign", "-keyfile", key, "-in", "ca.csr", "-out", str(self.ca / "ca.pem"),
            "-startdate", "20200101000000Z", "-enddate", "20210101000000Z", "-notext", cwd=self.folder)
        self.refused("issue", self.ca, "--role", "agent", "--host", "a", says=["ca.pem: expired on 2021-01-01", "gauntlet certs init"])

    def test_an_authority_without_certificates_says_so(self):
        self.lab()
        self.assertEqual(self.certs("list", self.ca).stdout, "no certificate was issued\n")

    def test_a_full_disk_leaves_nothing(self):
        self.lab()
        before = sorted(self.folder.rglob("*"))
        done = run("bash", "-c", f'ulimit -f 0; exec "{GAUNTLET}" certs issue "{self.ca}" --role agent --host a', code=2)
        self.assertIn("cannot be written: the limit on the size of files", done.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)


if __name__ == "__main__":
    unittest.main()
