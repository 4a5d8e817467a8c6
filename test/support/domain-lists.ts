import { disposableEmailBlocklist } from "disposable-email-domains-js";
import providers from "email-providers/all.json";
import { readLists } from "../../src/core/verification/lists";

/** The lists as the packages have them. */
export const domainLists = readLists(disposableEmailBlocklist(), providers);
