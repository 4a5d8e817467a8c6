const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const stored = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/** The id of a row by its UUID: base64 with an alphabet that sorts. */
export function storedId(uuid) {
  const text = Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");
  return [...text].map((character) => stored[base64url.indexOf(character)]).join("");
}

/** The UUID of a row by its id. */
export function publicId(id) {
  const text = [...id].map((character) => base64url[stored.indexOf(character)]).join("");
  const hex = Buffer.from(text, "base64url").toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The id of the mail that a tag at the provider names. */
export function emailOfTag(tag) {
  return storedId(tag.split("_")[1]);
}
