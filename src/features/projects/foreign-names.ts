import { foreign } from "../../core/foreign-names";

/** What other APIs call the kind of a key. */
export const foreignNamesOfKey = foreign(["type", "scope", "permission", "role"], {
  standsFor: "kind",
  advice: 'Use kind, which is "secret", "public" or "read"',
});
