import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { publicKeyOf } from "../../src/core/x509";
import { selfSigned } from "../support/certificate";

/** Made by openssl, with its public key as openssl tells it. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIDFTCCAf2gAwIBAgIUCxEZndpRSHzpauGsEOGP4wwh1+gwDQYJKoZIhvcNAQEL
BQAwGjEYMBYGA1UEAwwPc25zLmV4YW1wbGUuY29tMB4XDTI2MTEyMTEyMjIwNFoX
DTM2MTExODEyMjIwNFowGjEYMBYGA1UEAwwPc25zLmV4YW1wbGUuY29tMIIBIjAN
BgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0H4gnC0AEk/DBJ89eq4uBv1j3ki2
vd6sG1It+//ZwFajuqxHpvEEqx0hbLV0H+Dj0wluqUkkAGBfUeVWu+ZOlkBywnMR
n1/ZIoyv0ye0MSBnyhhcAiEgvNYFcZaudp3F8yqbqHtEgi0anHOwhnzNe/mrnJXk
nIbR4MZdRSu44IQDTFQTwPru1X7JI3da6Zx667EtmO8NtHOBUn31/d8CscHVcwVP
zdq2kyGuCwlgOKE10atvwTqrNMZ2JxgJsYjUume8jqcgTcfnG1nqaF2WeX46KsAv
UmkGnawFyd56fgBNsDtyUO39iUvZtSVGaTBxrZP1O+gHP4ll/HxtOKgi5QIDAQAB
o1MwUTAdBgNVHQ4EFgQU4FywM8GYbDtIKoOrfaiaNCseaq4wHwYDVR0jBBgwFoAU
4FywM8GYbDtIKoOrfaiaNCseaq4wDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0B
AQsFAAOCAQEAIFI/R0FEeeZxF3JQL6q9qroFPsAzvr2v1r9n8RpHnhSqvQW2+ubb
QzvnyIMw31VV/zo00oDVak3BGALrGyMYfeonu69GVqUQOOYUo/BgUAU7Q5rKrhSS
wdQjDyKI5d52NfY74lA0XBCSA6WxZlPq7tKBzO/enxkyfSdB6/7njubsYSKF2QyM
E+twGbaMyiL8EVDnZ1HySCzg8g4kQsd/fifW4IkJt3Az6ArQHZoHCWbtRF0Y6AGJ
FPFCcQLCp2mjE2s0UsgPA/ORFH0XZ7LfwlXty5+56WtPUzN3GyuAbPoe6dDF38Zr
vX2zPHpf/7xyPEIBE0rhwY3ApD+qH/Z5Ug==
-----END CERTIFICATE-----
`;
const publicKey =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0H4gnC0AEk/DBJ89eq4uBv1j3ki2vd6sG1It+//ZwFajuqxHpvEE" +
  "qx0hbLV0H+Dj0wluqUkkAGBfUeVWu+ZOlkBywnMRn1/ZIoyv0ye0MSBnyhhcAiEgvNYFcZaudp3F8yqbqHtEgi0anHOwhnzN" +
  "e/mrnJXknIbR4MZdRSu44IQDTFQTwPru1X7JI3da6Zx667EtmO8NtHOBUn31/d8CscHVcwVPzdq2kyGuCwlgOKE10atvwTqr" +
  "NMZ2JxgJsYjUume8jqcgTcfnG1nqaF2WeX46KsAvUmkGnawFyd56fgBNsDtyUO39iUvZtSVGaTBxrZP1O+gHP4ll/HxtOKgi" +
  "5QIDAQAB";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

it("finds the public key of a certificate that openssl made", () => {
  expect(base64(publicKeyOf(certificate))).toBe(publicKey);
});

it.each([false, true])("agrees with another reader of certificates (version 1: %s)", async (isVersion1) => {
  const { pem } = await selfSigned({ isVersion1 });
  const known = new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" });
  expect(base64(publicKeyOf(pem))).toBe(base64(known));
});

describe("refuses", () => {
  const der = Buffer.from(certificate.split("\n").slice(1, -2).join(""), "base64");
  const pemOf = (bytes: Uint8Array) => `-----BEGIN CERTIFICATE-----\n${base64(bytes)}\n-----END CERTIFICATE-----\n`;

  it.each([
    ["nothing", ""],
    ["a page", "<html>not found</html>"],
    ["an empty certificate", pemOf(new Uint8Array())],
    ["a private key", certificate.replaceAll("CERTIFICATE", "PRIVATE KEY")],
    ["a length that runs past the end", pemOf(new Uint8Array([0x30, 0x82, 0xff, 0xff, 0x30, 0x00]))],
    ["a length of lengths", pemOf(new Uint8Array([0x30, 0x84, 0, 0, 0, 1, 0]))],
    ["a length that is left open", pemOf(new Uint8Array([0x30, 0x80, 0x30, 0x80]))],
    ["a certificate with too few fields", pemOf(new Uint8Array([0x30, 4, 0x30, 2, 0x02, 0]))],
  ])("%s", (_, pem) => {
    expect(() => publicKeyOf(pem)).toThrow("not an X.509 certificate");
  });

  it("every certificate that was cut off, wherever", () => {
    for (let length = 0; length < der.length; length += 7) {
      expect(() => publicKeyOf(pemOf(der.subarray(0, length)))).toThrow("not an X.509 certificate");
    }
  });
});
