/** A part of a whole, in the language of the reader: `41.2 %`. */
export function percentOf(part: number, whole: number, locale: string): string {
  return percent(whole === 0 ? 0 : Math.min(1, part / whole), locale);
}

/** A rate from 0 to 1. Limits of complaints are fractions of a percent. */
export function percent(rate: number, locale: string, digits = 1): string {
  return new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits }).format(rate);
}
