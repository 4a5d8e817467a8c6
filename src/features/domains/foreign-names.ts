import { foreign } from "../../core/foreign-names";

/** The names that other APIs use for the host name of a sender domain. */
export const foreignNamesOfDomain = foreign(["name", "domain_name", "domainName", "Name", "host"], {
  standsFor: "domain",
  advice: "Use domain, a host name such as acme.com",
});
