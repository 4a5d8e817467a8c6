/** Where a contact first came from. `PUBLIC` is a public key, which anybody can read out of a web page. */
export const contactSources = ["API", "IMPORT", "SEND", "TRACK", "PUBLIC", "MEMBERS"] as const;
