/**
 * A call that pastes the same into bash, zsh and sh: between single quotes nothing is special, and it holds none. The key
 * has a line of its own, so that all fit 80 columns.
 */
export function curlLine(url, key, lines) {
  return [
    `curl ${url} \\`,
    `-H 'Content-Type: application/json' -H 'Authorization: Bearer '\\`,
    `${key.startsWith('"') ? key : `'${key}'`} \\`,
    `-d '${lines.join("\n")}'`,
  ].join("\n");
}

/** A first mail. */
export function sendLine(base, key, from) {
  return curlLine(`${base}/v1/send`, key, [
    `{ "to": "ada@example.com", "from": "${from}",`,
    `"subject": "Welcome to Petrel", "data": { "name": "Ada" },`,
    `"body": "<p>Hi {{ name ?? \\"there\\" }}, your mail works.</p>" }`,
  ]);
}
