/** What a program says about itself when it fetches a picture or follows a link. */
export interface Caller {
  method: string;
  userAgent: string | null;
  /** The headers with which browsers and proxies say that nobody has asked for the page yet. */
  purposes: (string | null | undefined)[];
}

/**
 * Proxies that fetch pictures for the readers of a mailbox, and so hide who reads. The Apple one says `Mozilla/5.0` and
 * nothing else. Gmail's prefetch calls itself an Edge of 2015.
 */
const privacyProxies =
  /^mozilla\/5\.0$|googleimageproxy|yahoomailproxy|(?:email|image|mail)[ _-]?proxy|edge\/12\.246(?: mozilla\/5\.0)?$/;

/** Programs that look at the links of a mail before its reader may. */
const mailScanners =
  /barracuda|mimecast|proofpoint|safe-?links|ironport|cisco ?secure|cloudmark|messagelabs|symantec|trend ?micro|\btmes\b|forti(?:mail|net|guard)|sophos|f-secure|forcepoint|fireeye|trellix|zscaler|bitdefender|kaspersky|avanan|clamav|spamassassin|virustotal|urlscan|phishtank|microsoft office (?:existence|protocol) discovery/;

/** Programs that follow links for what is behind them. `CUBOT` is a telephone. */
const crawlers =
  /(?<!cu)bot\b|crawler|spider|slurp|externalhit|^whatsapp\/|headless|phantomjs|lighthouse|link ?check|scanner|uripreview|bingpreview|prefetch/;

/**
 * Whether a known scanner, crawler or privacy proxy made this call. Only those that say who they are: a plain HTTP client may
 * be anybody's, and a person's click that is missed costs more than a program's that is counted.
 */
export function isAutomated({ method, userAgent, purposes }: Caller): boolean {
  if (method === "HEAD") return true;
  if (purposes.some((purpose) => /prefetch|preview|prerender/i.test(purpose ?? ""))) return true;
  return isAutomatedAgent(userAgent);
}

/** The same, where only the user agent is known. */
export function isAutomatedAgent(userAgent: string | null): boolean {
  const agent = userAgent?.trim().toLowerCase() ?? "";
  return privacyProxies.test(agent) || mailScanners.test(agent) || crawlers.test(agent);
}
