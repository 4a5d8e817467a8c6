const browsers = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const systems = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Returns a short name for a browser, such as "Firefox, Linux". Null for a program that is not a browser. */
export function browserName(userAgent: string | null): string | null {
  const found = [browsers, systems].map((names) => names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1]);
  const [browser, system] = found;
  return browser === undefined ? null : system === undefined ? browser : `${browser}, ${system}`;
}
