/** The `Authorization` that AWS would compute for a request, by hand and from the documentation of Signature Version 4. */
export async function sigV4(
  request: { method: string; url: string; headers: Headers; body: Uint8Array<ArrayBuffer> },
  { region, service, accessKeyId, secret }: { region: string; service: string; accessKeyId: string; secret: string },
): Promise<string> {
  const { method, url, headers, body } = request;
  const { host, pathname, searchParams } = new URL(url);
  const signed = /SignedHeaders=([^,]+)/.exec(headers.get("Authorization") ?? "")?.[1] ?? "";
  const at = headers.get("X-Amz-Date") ?? "";
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`;
  const canonical = [
    method,
    pathname
      .split("/")
      .map((part) => encodeURIComponent(part))
      .join("/"),
    [...searchParams]
      .map((pair) => pair.map(encodeURIComponent).join("="))
      .sort()
      .join("&"),
    ...signed.split(";").map((name) => `${name}:${name === "host" ? host : headers.get(name)}`),
    "",
    signed,
    hex(await crypto.subtle.digest("SHA-256", body)),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", at, scope, hex(await crypto.subtle.digest("SHA-256", bytes(canonical)))].join(
    "\n",
  );
  let key: ArrayBuffer | Uint8Array<ArrayBuffer> = bytes(`AWS4${secret}`);
  for (const part of scope.split("/")) key = await hmac(key, part);
  const signature = hex(await hmac(key, toSign));
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

async function hmac(key: ArrayBuffer | Uint8Array<ArrayBuffer>, text: string): Promise<ArrayBuffer> {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return crypto.subtle.sign("HMAC", imported, bytes(text));
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
