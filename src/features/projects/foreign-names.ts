import { foreign } from "../../core/foreign-names";

/** The names that other APIs use for the kind of a key. */
export const foreignNamesOfKey = foreign(["type", "scope", "permission", "role"], {
  standsFor: "kind",
  advice: 'Use kind, which is "secret", "public" or "read"',
});
