#!/usr/bin/env python3
"""The server over TLS, with a certificate that the test makes for itself. 77: there is no openssl to make it with.

usage: tls.py NEARKIN
"""
import http.client
import os
import shutil
import ssl
import subprocess
import sys
import warnings

sys.dont_write_bytecode = True  # the sources stay as they are
from served import Client, Server, make_index, require, run_all

FOX = "the quick brown fox jumps over the lazy dog and runs away into the deep dark wood"


def certificate(folder, name="server"):
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                           "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem"],
                          capture_output=True)
    require(made.returncode == 0, f"openssl: {made.stderr.decode()}")
    os.chmod(folder / f"{name}.key", 0o600)
    return ["--tls-certificate", str(folder / f"{name}.pem"), "--tls-key", str(folder / f"{name}.key")]


def trusting(folder):
    return ssl.create_default_context(cafile=str(folder / "server.pem"))


def serve_over_tls(binary, folder, *flags):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}], "--store-texts")
    return Server(binary, folder / "i", *certificate(folder), *flags)


def requests_large_and_small_are_answered(binary, folder):
    with serve_over_tls(binary, folder) as server:
        client = http.client.HTTPSConnection("localhost", server.port, context=trusting(folder), timeout=60)

        def ask(method, path, body=None, kind="application/json"):
            client.request(method, path, body, {"Content-Type": kind} if body else {})
            answer = client.getresponse()
            return answer.status, answer.read()

        require(ask("GET", "/healthz") == (200, b"ok\n"), "not answered")
        text = "word " * 1_000_000
        status, body = ask("PUT", "/v1/items/large", b'{"text":"' + text.encode() + b'"}')
        require(status == 201, f"{status} {body[:200]}")
        status, body = ask("GET", "/v1/items/large")
        require(status == 200 and text.encode() in body, f"{status}: {len(body)} bytes came back")
        lines = "".join(f'{{"id":"b{i}","text":"{FOX} {i}"}}\n' for i in range(20_000))
        status, body = ask("POST", "/v1/items", lines.encode(), "application/x-ndjson")
        require(status == 200 and body.count(b"\n") == 20_000, f"{status}: {body.count(b'x')} lines")
        status, body = ask("GET", "/")
        require(status == 200 and b"<html" in body, "no page")
        client.close()
        require(server.stop() < 30, "it does not stop")


def a_closed_connection_ends_as_tls_wants_it(binary, folder):
    with serve_over_tls(binary, folder) as server:
        context = trusting(folder)
        with Client(server.port, lambda plain: context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False)) as client:
            client.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            require(client.read().body == b"ok\n", "not answered")
            require(client.is_closed(), "still open")


def plain_and_silent_clients_hold_nobody_up(binary, folder):
    with serve_over_tls(binary, folder, "--header-timeout", "0.5") as server:
        with Client(server.port) as plain, Client(server.port) as silent:
            plain.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            require(plain.is_closed() and b"200" not in plain.rest, f"plain HTTP was answered: {plain.rest}")
            require(silent.is_closed(), "one that never greets is kept")
        client = http.client.HTTPSConnection("localhost", server.port, context=trusting(folder), timeout=60)
        client.request("GET", "/v1/index")
        require(client.getresponse().status == 200, "not answered")


def old_versions_are_refused(binary, folder):
    with serve_over_tls(binary, folder) as server:
        context = trusting(folder)
        warnings.simplefilter("ignore", DeprecationWarning)
        context.set_ciphers("ALL:@SECLEVEL=0")   # the client itself would agree
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        try:
            Client(server.port, lambda plain: context.wrap_socket(plain, server_hostname="localhost"))
        except (ssl.SSLError, ConnectionError):
            return
        require(False, "TLS 1.1 was agreed on")


def files_at_fault_are_named(binary, folder):
    make_index(binary, folder / "i", [{"id": "a", "text": FOX}])
    flags, other = certificate(folder), certificate(folder, "other")

    def refused(*wrong):
        done = subprocess.run([binary, "serve", str(folder / "i"), "--listen", "127.0.0.1:0", *wrong], capture_output=True, timeout=60)
        require(done.returncode == 2, f"{wrong}: {done.returncode}")
        return done.stderr.decode()

    require("--tls-key: is missing" in refused(*flags[:2]), refused(*flags[:2]))
    require("--tls-certificate: is missing" in refused(*flags[2:]), refused(*flags[2:]))
    require("server.key" in refused(flags[0], flags[3], *flags[2:]), "a key was taken for a certificate")
    require("other.key" in refused(*flags[:2], *other[2:]), "the key of another certificate was taken")
    require("absent" in refused(*flags[:2], "--tls-key", str(folder / "absent")), "an absent key was taken")
    locked = folder / "locked.key"
    subprocess.run(["openssl", "pkey", "-aes256", "-passout", "pass:secret", "-in", flags[3], "-out", locked], check=True, capture_output=True)
    os.chmod(locked, 0o600)
    require(f"{locked}: is encrypted, and the server asks for no pass phrase" in refused(*flags[:2], "--tls-key", str(locked)),
            "a key behind a pass phrase was taken, or asked for")
    os.chmod(flags[3], 0o644)
    require(f"run 'chmod 600 {flags[3]}'" in refused(*flags), refused(*flags))


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        print("SKIPPED: there is no openssl to make a certificate with")
        sys.exit(77)
    sys.exit(run_all([requests_large_and_small_are_answered, a_closed_connection_ends_as_tls_wants_it, plain_and_silent_clients_hold_nobody_up,
                      old_versions_are_refused, files_at_fault_are_named], sys.argv[1]))
