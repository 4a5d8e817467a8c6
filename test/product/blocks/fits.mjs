/**
 * Says where an answer differs from the one that a page shows, or null. "…" stands for anything, alone or in a text. An answer
 * may have more keys than the page shows.
 */
export function fits(shown, real, path = "") {
  if (typeof shown === "string" && shown.includes("…"))
    return fitsText(shown, String(real)) ? null : differs(path, shown, real);
  if (Array.isArray(shown)) {
    if (!Array.isArray(real) || real.length < shown.length) return differs(path, shown, real);
    return firstFault(shown.map((one, place) => fits(one, real[place], `${path}[${place}]`)));
  }
  if (shown !== null && typeof shown === "object") {
    if (real === null || typeof real !== "object") return differs(path, shown, real);
    return firstFault(Object.keys(shown).map((name) => fits(shown[name], real[name], path ? `${path}.${name}` : name)));
  }
  return shown === real ? null : differs(path, shown, real);
}

function fitsText(shown, real) {
  const [first, ...rest] = shown.split("…");
  const last = rest.pop();
  return real.startsWith(first) && real.endsWith(last) && rest.every((part) => real.includes(part));
}

function firstFault(faults) {
  return faults.find((fault) => fault !== null) ?? null;
}

function differs(path, shown, real) {
  return `${path} is ${JSON.stringify(real)}, and the page shows ${JSON.stringify(shown)}`;
}
