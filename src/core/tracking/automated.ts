/** The parts of a request by which a program identifies itself when it fetches an image or follows a link. */
export interface Caller {
  method: string;
  userAgent: string | null;
  /** The headers by which a program marks a prefetch, made before any person has asked for the page. */
  purposes: (string | null | undefined)[];
}

/**
 * Proxies that fetch images on behalf of readers, and so hide the readers. Apple's proxy sends only `Mozilla/5.0`.
 * Gmail's prefetch claims to be an Edge browser of 2015.
 */
const privacyProxies =
  /^mozilla\/5\.0$|googleimageproxy|yahoomailproxy|(?:email|image|mail)[ _-]?proxy|edge\/12\.246(?: mozilla\/5\.0)?$/;

/** Programs that open the links of an email before its reader can. */
const mailScanners =
  /barracuda|mimecast|proofpoint|safe-?links|ironport|cisco ?secure|cloudmark|messagelabs|symantec|trend ?micro|\btmes\b|forti(?:mail|net|guard)|sophos|f-secure|forcepoint|fireeye|trellix|zscaler|bitdefender|kaspersky|avanan|clamav|spamassassin|virustotal|urlscan|phishtank|microsoft office (?:existence|protocol) discovery/;

/** Programs that follow links to index their pages. `CUBOT` does not match, because it is a telephone. */
const crawlers =
  /(?<!cu)bot\b|crawler|spider|slurp|externalhit|^whatsapp\/|headless|phantomjs|lighthouse|link ?check|scanner|uripreview|bingpreview|prefetch/;

/**
 * Whether a known scanner, crawler or privacy proxy made this call. Only programs that identify themselves count: a
 * plain HTTP client may be used by anyone, and missing a person's click is worse than counting a program's.
 */
export function isAutomated({ method, userAgent, purposes }: Caller): boolean {
  if (method === "HEAD") return true;
  if (purposes.some((purpose) => /prefetch|preview|prerender/i.test(purpose ?? ""))) return true;
  return isAutomatedAgent(userAgent);
}

/**
 * Whether the user agent is that of a known scanner, crawler or privacy proxy. Used where only the user agent is known.
 */
export function isAutomatedAgent(userAgent: string | null): boolean {
  const agent = userAgent?.trim().toLowerCase() ?? "";
  return privacyProxies.test(agent) || mailScanners.test(agent) || crawlers.test(agent);
}
