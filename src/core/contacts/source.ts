/** The origin of a contact. `PUBLIC` means a public key, which anyone can read in a web page. */
export const contactSources = ["API", "IMPORT", "SEND", "TRACK", "PUBLIC", "MEMBERS"] as const;
