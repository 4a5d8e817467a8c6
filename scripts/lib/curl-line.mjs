/**
 * Returns a call that can be pasted into bash, zsh and sh: nothing is special between single quotes, and it contains
 * none. The key has a line of its own, so that all lines fit 80 columns.
 */
export function curlLine(url, key, lines) {
  return [
    `curl ${url} \\`,
    `-H 'Content-Type: application/json' -H 'Authorization: Bearer '\\`,
    `${key.startsWith('"') ? key : `'${key}'`} \\`,
    `-d '${lines.join("\n")}'`,
  ].join("\n");
}

/** Returns the command that sends a first mail. */
export function sendLine(base, key, from) {
  return curlLine(`${base}/v1/send`, key, [
    `{ "to": "ada@example.com", "from": "${from}",`,
    `"subject": "Welcome to Petrel", "data": { "name": "Ada" },`,
    `"body": "<p>Hi {{ name ?? \\"there\\" }}, your mail works.</p>" }`,
  ]);
}
