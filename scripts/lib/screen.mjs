const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);

const UNBROKEN = "\u00a0";

export const bold = paint("1");
export const dim = paint("2");
export const red = paint("31");
export const green = paint("32");
export const yellow = paint("33");
export const cyan = paint("36");

/** Formats rows of a label and a value, with the values aligned. */
export function table(rows) {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, value]) => `  ${dim(label.padEnd(width))}  ${value}`).join("\n");
}

/** Formats a number with separators, such as 10,000. */
export function thousands(number) {
  return number.toLocaleString("en");
}

/**
 * Shows a line for work that takes a while: on a terminal it counts up in place; elsewhere it is printed once, at the
 * end.
 */
export function progress(label) {
  let shown = "";
  const show = (text, end) => {
    if (text === shown) return;
    shown = text;
    process.stdout.write(`${process.stdout.isTTY ? "\u001b[K" : ""}  ${label}  ${text}${end}`);
  };
  return {
    // Moves the cursor back, so that the next output replaces this line.
    at: (share) => process.stdout.isTTY && show(dim(`${Math.floor(100 * share)} %`), "\r"),
    end: (result) => show(result, "\n"),
  };
}

/** Returns foreign text on one line, without characters that move the cursor. */
export function oneLine(text) {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, " ");
}

/** Marks a command in a text that gets wrapped: it stays on one line, so that it can be copied. */
export function command(text) {
  return text.replaceAll(" ", UNBROKEN);
}

/** Wraps text between words, to 80 columns including `indent`. A longer word gets a line of its own. */
export function wrapped(text, indent) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== "" && indent.length + line.length + 1 + word.length > 80) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`).replaceAll(UNBROKEN, " ");
}

/** Shows lines of what is done, one below the other. On a terminal, a line also shows while its work is running. */
export function steps() {
  const text = (kind, name, state) => `  ${dim(kind.padEnd(12))}  ${name.padEnd(36)}  ${state}`;
  const done = (kind, name, state) => {
    process.stdout.write(`${process.stdout.isTTY ? "\u001b[K" : ""}${text(kind, name, state)}\n`);
  };
  const begin = (kind, name) => process.stdout.isTTY && process.stdout.write(`\u001b[K${text(kind, name, dim("…"))}\r`);
  return {
    done,
    begin,
    async run(kind, name, state, work) {
      begin(kind, name);
      const result = await work();
      done(kind, name, state);
      return result;
    },
  };
}
