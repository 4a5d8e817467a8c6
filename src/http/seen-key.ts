import { keyKind } from "../core/keys";

const otherHeaders = ["X-Api-Key", "Api-Key", "ApiKey", "X-Auth-Token"];

/** Describes what is wrong with the form of a request's API key, without showing the key. */
export function wrongWithKey(headers: Headers): string {
  const given = headers.get("Authorization");
  if (!given) {
    const other = otherHeaders.find((name) => headers.has(name));
    return other === undefined
      ? "The API key is missing: there is no Authorization header."
      : `The API key is missing: it came in the header ${other}, not in Authorization.`;
  }
  const [, scheme = "", key = ""] = /^(\S*) *(.*)$/s.exec(given) ?? [];
  if (keyKind(scheme) !== null) return "The API key came without the word Bearer before it.";
  if (scheme.toLowerCase() !== "bearer") return "The Authorization header does not begin with the word Bearer.";
  if (key === "") return "The API key is missing: nothing comes after the word Bearer.";
  return wrongWithValue(key);
}

/** Describes what is wrong with a given key, without showing the key. */
export function wrongWithValue(key: string): string {
  if (/^["'`<{].*["'`>}]$/s.test(key)) return "The API key has quotes or brackets around it.";
  if (key.startsWith("mk_")) {
    return "The API key is a monitor key, which can only read GET /admin/health and GET /admin/metrics.";
  }
  if (keyKind(key) === null) {
    return `The API key is not well-formed: it is sk_ or pk_ and 64 hex digits, and this one has ${key.length} characters.`;
  }
  return "The API key is not valid: no project has it, or it was revoked.";
}
