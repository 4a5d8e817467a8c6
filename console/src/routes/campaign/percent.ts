/** Formats a part of a whole in the reader's language: `41.2 %`. */
export function percentOf(part: number, whole: number, locale: string): string {
  return percent(whole === 0 ? 0 : Math.min(1, part / whole), locale);
}

/** Formats a rate from 0 to 1. Limits for complaints are fractions of a percent. */
export function percent(rate: number, locale: string, digits = 1): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits }).format(rate);
}
