import type { Context as HonoContext } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { isLoopback } from "../core/dns";
import { dayMs, secondMs } from "../core/time";
import type { AppEnv } from "./router";

/** The longest time for which browsers store a cookie. The session's row decides how long the session is valid. */
const cookieMs = 400 * dayMs;

/** Returns the cookie of the session; null when there is none, or when the console is closed. */
export function sessionOf(c: HonoContext<AppEnv>): string | null {
  return cookieOf(c, "petrel");
}

export function setSession(c: HonoContext<AppEnv>, token: string | null): void {
  set(c, "petrel", token);
}

/** Returns the cookie that this browser got when it requested a sign-in mail; null when there is none. */
export function askedOf(c: HonoContext<AppEnv>): string | null {
  return cookieOf(c, "petrel-asked");
}

export function setAsked(c: HonoContext<AppEnv>, token: string): void {
  set(c, "petrel-asked", token);
}

/** Identifies the browser of a request by its cookies. */
export function browserOf(c: HonoContext<AppEnv>) {
  return { asked: askedOf(c), session: sessionOf(c), userAgent: c.req.header("User-Agent") ?? null };
}

function cookieOf(c: HonoContext<AppEnv>, name: string): string | null {
  // Checked first, because most callers are programs, which send no cookies.
  if (!c.req.raw.headers.has("Cookie") || !c.get("platform").config.hasConsole) return null;
  return (isPlainLocal(c) ? getCookie(c, name) : getCookie(c, name, "host")) ?? null;
}

/** Sets a cookie. A null value removes the cookie. */
function set(c: HonoContext<AppEnv>, name: string, value: string | null): void {
  const isPlain = isPlainLocal(c);
  setCookie(c, name, value ?? "", {
    httpOnly: true,
    sameSite: "Lax",
    path: "/",
    secure: !isPlain,
    maxAge: value === null ? 0 : cookieMs / secondMs,
    ...(isPlain ? {} : { prefix: "host" as const }),
  });
}

/**
 * Whether the page is served without https, as on a developer's machine. Browsers then refuse cookies with the prefix
 * `__Host-`.
 */
function isPlainLocal(c: HonoContext<AppEnv>): boolean {
  const { protocol, hostname } = new URL(c.req.url);
  return protocol === "http:" && isLoopback(hostname);
}
