const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint("1");
export const dim = paint("2");
export const red = paint("31");
export const green = paint("32");
export const yellow = paint("33");
export const cyan = paint("36");

/** Rows of a label and a value, the values aligned. */
export function table(rows) {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${dim(label.padEnd(width))}  ${value}`).join("\n");
}

/** 10000 as people read it. */
export function thousands(number) {
  return number.toLocaleString("en");
}

/** A line for work that takes a while: on a terminal it counts up in place, elsewhere it is printed once, at its end. */
export function progress(label) {
  let shown = "";
  const show = (text, end) => {
    if (text === shown) return;
    shown = text;
    process.stdout.write(`${process.stdout.isTTY ? "\u001b[K" : ""}  ${label}  ${text}${end}`);
  };
  return {
    // The cursor goes back, so that whatever is said next takes the place of this line.
    at: (share) => process.stdout.isTTY && show(dim(`${Math.floor(100 * share)} %`), "\r"),
    end: (result) => show(result, "\n"),
  };
}
