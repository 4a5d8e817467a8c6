import { describe, expect, it } from "vitest";
import { type Csv, countRows, openCsv, type RowStart, readRows } from "../../../src/core/contacts/csv";
import type { CsvFault } from "../../../src/core/contacts/csv-columns";
import { type CsvRow, readRow } from "../../../src/core/contacts/csv-row";

const bytes = (text: string) => new TextEncoder().encode(text);

function open(file: string | Uint8Array): Csv {
  const csv = openCsv(typeof file === "string" ? bytes(file) : file);
  if ("fault" in csv) throw new Error(csv.fault);
  return csv;
}

/** Every row of a file, read so many at a time. */
function rowsOf(file: string | Uint8Array, most = Number.POSITIVE_INFINITY): (CsvRow & { row: number })[] {
  const csv = open(file);
  const all: (CsvRow & { row: number })[] = [];
  for (let place: RowStart | null = csv.firstRow; place !== null; ) {
    let taken = 0;
    const read: { next: RowStart | null } | CsvFault = readRows(csv, place, (cells, row) => {
      all.push({ row, ...readRow(csv, cells) });
      return ++taken < most;
    });
    if ("fault" in read) throw new Error(read.fault);
    place = read.next;
  }
  expect(countRows(csv)).toEqual({ rows: all.length, next: null });
  return all;
}

function faultOf(file: string | Uint8Array): string {
  const csv = openCsv(typeof file === "string" ? bytes(file) : file);
  if ("fault" in csv) return csv.fault;
  const count = countRows(csv);
  return "fault" in count ? count.fault : `none, but ${count.rows} rows`;
}

const ada = "ada@example.com";

describe("a file", () => {
  const two = [
    { row: 2, email: ada, data: { name: "Ada" } },
    { row: 3, email: "bob@example.com", data: { name: "Bob" } },
  ];

  it.each<[what: string, file: string | Uint8Array]>([
    ["plain", "email,name\nada@example.com,Ada\nbob@example.com,Bob\n"],
    ["with no line end at its end", "email,name\nada@example.com,Ada\nbob@example.com,Bob"],
    ["with CR LF", "email,name\r\nada@example.com,Ada\r\nbob@example.com,Bob\r\n"],
    ["with CR", "email,name\rada@example.com,Ada\rbob@example.com,Bob\r"],
    ["with LF and CR LF mixed", "email,name\nada@example.com,Ada\r\nbob@example.com,Bob\n"],
    ["with CR LF and LF mixed", "email,name\r\nada@example.com,Ada\nbob@example.com,Bob\r\n"],
    ["with a byte order mark", "\ufeffemail,name\nada@example.com,Ada\nbob@example.com,Bob\n"],
    ["parted by semicolons", "email;name\nada@example.com;Ada\nbob@example.com;Bob\n"],
    ["parted by tabs", "email\tname\nada@example.com\tAda\nbob@example.com\tBob\n"],
    ["with all in quotes", '"email","name"\r\n"ada@example.com","Ada"\r\n"bob@example.com","Bob"\r\n'],
    ["with quotes and semicolons", '"email";"name"\n"ada@example.com";"Ada"\n"bob@example.com";"Bob"'],
    ["with a byte order mark and quotes", '\ufeff"email","name"\n"ada@example.com","Ada"\n"bob@example.com","Bob"'],
    ["with blank lines", "\n\r\n\nemail,name\n\nada@example.com,Ada\n\r\n\n  \nbob@example.com,Bob\n\n\n"],
    ["with rows of empty cells", 'email,name\n,\nada@example.com,Ada\n , \n"",""\nbob@example.com,Bob\n,,,,\n'],
    ["with blanks around everything", " email , name \n ada@example.com , Ada \n\tbob@example.com\t,  Bob\t\n"],
    ["with blanks around quotes", 'email,name\n"ada@example.com" ,"Ada" \n"bob@example.com","Bob"\t\n'],
    ["with EMAIL", "EMAIL,name\nada@example.com,Ada\nbob@example.com,Bob\n"],
    ["with Email behind", "name,Email\nAda,ada@example.com\nBob,bob@example.com\n"],
    ["with addresses in capitals", "email,name\nADA@Example.COM,Ada\nBob@EXAMPLE.com,Bob\n"],
    ["with cells beyond the header", "email,name\nada@example.com,Ada,more,\nbob@example.com,Bob,,,more\n"],
    ["with columns of no name", "email,,name,\nada@example.com,x,Ada,x\nbob@example.com,x,Bob,x\n"],
  ])("%s", (_, file) => {
    expect(rowsOf(file)).toEqual(two);
    expect(rowsOf(file, 1)).toEqual(two);
  });

  it("of a header only has no rows", () => {
    for (const file of ["email", "email,name\n", "email,name\r\n\r\n", "\ufeffEmail\n,,\n"]) {
      expect(rowsOf(file)).toEqual([]);
    }
  });

  it("keeps what is in quotes: delimiters, line ends, quotes", () => {
    const file =
      'email,a,b\r\nada@example.com,"x, y; ""z""","one\r\ntwo\nthree"\r\nbob@example.com,5" pipe,"""q"""\r\n';
    const rows = [
      { row: 2, email: ada, data: { a: 'x, y; "z"', b: "one\r\ntwo\nthree" } },
      { row: 3, email: "bob@example.com", data: { a: '5" pipe', b: '"q"' } },
    ];
    expect(rowsOf(file)).toEqual(rows);
    expect(rowsOf(file, 1)).toEqual(rows);
  });

  it("knows its delimiter by the email column, and not by what is in cells", () => {
    expect(rowsOf("email;note\nada@example.com;a, b, c, d\nbob@example.com;a,b,c\n")[0]).toMatchObject({
      data: { note: "a, b, c, d" },
    });
    expect(rowsOf("email,a;b;c;d\nada@example.com,1;2;3;4")[0]).toMatchObject({ data: { "a;b;c;d": "1;2;3;4" } });
    expect(rowsOf("email\nada@example.com\n")).toEqual([{ row: 2, email: ada, data: {} }]);
  });

  it("leaves what a short row does not have as it is", () => {
    expect(rowsOf("name,email,plan\nAda,ada@example.com\nBob\n")).toEqual([
      { row: 2, email: ada, data: { name: "Ada" } },
      { row: 3, email: "", reason: "missing_email" },
    ]);
  });

  it.each<[what: string, file: string | Uint8Array, fault: RegExp]>([
    ["of no bytes", "", /^The file is empty/],
    ["of blank lines", "\n\r\n\n", /^The file is empty/],
    ["of a byte order mark", "\ufeff", /^The file is empty/],
    ["in Latin-1", Uint8Array.from([...bytes("email,name\nada@example.com,Zo"), 0xeb, 0x0a]), /not UTF-8/],
    ["in UTF-16", Uint8Array.from([0xff, 0xfe, ...[...bytes("email\n")].flatMap((byte) => [byte, 0])]), /not UTF-8/],
    [
      "in UTF-16 with no mark",
      Uint8Array.from([...bytes("email\n")].flatMap((byte) => [byte, 0])),
      /column named email/,
    ],
    ["that is a picture", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]), /not UTF-8/],
    ["with no header", "ada@example.com,Ada\nbob@example.com,Bob\n", /no column named email/],
    ["with no email column", "name,plan\nAda,pro\n", /no column named email/],
    ["with another name for it", "e-mail,name\nada@example.com,Ada\n", /no column named email/],
    ["with two email columns", "email,name,Email\nada@example.com,Ada,x\n", /^Two columns are named email\. Remove/],
    ["with the same column twice", "email,plan,name, plan\n", /^Two columns are named plan\. Remove/],
    ["with a name of 129 characters", `email,${"x".repeat(129)}\n`, /^The column x{60}… .*at most 128 characters\.$/],
    ["with U+0000 in a name", "email,a\0b\n", /^The column a\0b .*U\+0000/],
    ["with more columns than data has room", `email,${Array.from({ length: 9_000 }, (_, n) => n)}`, /^The header row/],
    [
      "with a quote that is never closed",
      'email,name\nada@example.com,Ada\nbob@example.com,"Bob\n',
      /^Row 3 has faulty quotes/,
    ],
    [
      "with text behind a quote",
      'email,name\n\n,\nada@example.com,"Ada"x\nb@x.com,"Bob"\n',
      /^Row 2 has faulty quotes/,
    ],
    ["with a broken header", '"email,name\nada@example.com,Ada\n', /^Row 1 has faulty quotes/],
    ["with a row that never ends", `email,name\nada@example.com,"${"x".repeat(600_000)}"\n`, /^Row 2 is longer/],
    ["of one line", "x".repeat(600_000), /^Row 1 is longer/],
  ])("%s is not imported", (_, file, fault) => {
    expect(faultOf(file)).toMatch(fault);
  });

  it("is read the same however its text falls into windows", () => {
    const count = 2_500;
    const line = (n: number) =>
      `"u${n}@example.com","a ""${"é".repeat(n % 7)}""\r\nb, c"  ,${n},"${"x".repeat(n % 500)}"\r\n`;
    const file = `email,note,n,x\r\n${Array.from({ length: count }, (_, n) => line(n)).join("")}`;
    expect(file.length).toBeGreaterThan(512 * 1024);
    const expected = Array.from({ length: count }, (_, n) => ({
      row: n + 2,
      email: `u${n}@example.com`,
      data: { note: `a "${"é".repeat(n % 7)}"\r\nb, c`, n, ...(n % 500 ? { x: "x".repeat(n % 500) } : {}) },
    }));
    expect(rowsOf(file)).toEqual(expected);
    expect(rowsOf(file, 700)).toEqual(expected);
  });

  it.each<[what: string, file: string]>([
    ["of line ends", `email\n${"\n".repeat(5_000_000)}x`],
    ["of delimiters", `email\n${",".repeat(400_000)}\n`],
    ["of quotes", `email\n"${'x"'.repeat(2_500_000)}\n`],
    ["of closed quotes", `email\n${'"a" '.repeat(1_250_000)},\n`],
    ["of short rows", `email\n${"a\n".repeat(200_000)}`],
    ["of columns", `email,${Array.from({ length: 80_000 }, (_, n) => `c${n}`)}\n`],
  ])("%s takes no time worth mentioning", (_, file) => {
    const before = performance.now();
    faultOf(file);
    expect(performance.now() - before).toBeLessThan(3_000);
  });
});

describe("columns", () => {
  it.each([
    ..."id subscribed createdAt updatedAt unsubscribeUrl subscribeUrl manageUrl service_id service_email".split(" "),
  ])("%s is dropped, also twice", (name) => {
    expect(rowsOf(`email,${name},plan,${name}\nada@example.com,x,pro,y\n`)).toEqual([
      { row: 2, email: ada, data: { plan: "pro" } },
    ]);
  });

  it("all others are data, by their own names", () => {
    const names = [
      "first name",
      "Plan",
      "plan",
      "a.b",
      'a""b',
      "Übung",
      "🎉",
      "__proto__",
      "constructor",
      "ID",
      "x".repeat(128),
    ];
    const file = `email,${names.map((name) => `"${name}"`).join(",")}\nada@example.com${",v".repeat(names.length)}\n`;
    const [row] = rowsOf(file);
    expect(row && "data" in row && Object.entries(row.data)).toEqual(
      names.map((name) => [name.replace('""', '"'), "v"]),
    );
  });
});

describe("an address", () => {
  it.each<[written: string, email: string, reason: string]>([
    ["", "", "missing_email"],
    ["   ", "", "missing_email"],
    ["nope", "nope", "invalid_email"],
    ["ada@", "ada@", "invalid_email"],
    ["@example.com", "@example.com", "invalid_email"],
    ["ada@example", "ada@example", "invalid_email"],
    ["Ada <ada@example.com>", "Ada <ada@example.com>", "invalid_email"],
    ["ada@example.com bob@example.com", "ada@example.com bob@example.com", "invalid_email"],
    ["ada\0@example.com", "ada\0@example.com", "invalid_email"],
  ])("%j is %s", (written, email, reason) => {
    expect(rowsOf(`email,name\n${written},Ada\n`)).toEqual([{ row: 2, email, reason }]);
  });
});

describe("a cell", () => {
  it.each<[cell: string, value: unknown]>([
    ["true", true],
    ["TRUE", true],
    ["Yes", true],
    ["yEs", true],
    ["false", false],
    ["False", false],
    ["NO", false],
    [" yes ", true],
    ["y", "y"],
    ["nope", "nope"],
    ["on", "on"],
    ["0", 0],
    ["42", 42],
    ["-5", -5],
    ["0.5", 0.5],
    ["-0.5", -0.5],
    ["3.14", 3.14],
    ["1.0", 1],
    ["1.10", 1.1],
    [" 42 ", 42],
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", "9007199254740992"],
    ["-9007199254740992", "-9007199254740992"],
    ["9007199254740993.5", "9007199254740993.5"],
    ["1".repeat(400), "1".repeat(400)],
    ["007", "007"],
    ["00", "00"],
    ["-007", "-007"],
    ["00.5", "00.5"],
    ["1e5", "1e5"],
    ["1E5", "1E5"],
    ["+5", "+5"],
    ["1.", "1."],
    [".5", ".5"],
    ["-.5", "-.5"],
    ["1_000", "1_000"],
    ['"1,000"', "1,000"],
    ["1.2.3", "1.2.3"],
    ["--5", "--5"],
    ["0x10", "0x10"],
    ["٤٢", "٤٢"],
    ["Infinity", "Infinity"],
    ["NaN", "NaN"],
    ["null", "null"],
    ["2026-01-31", "2026-01-31"],
    ["2026-01-31T09:00:00.000Z", "2026-01-31T09:00:00.000Z"],
    ["Ada", "Ada"],
    ["a\tb", "a\tb"],
    ["Zoë 🎉", "Zoë 🎉"],
    ['"  Ada  "', "Ada"],
    ["[1,2]".replace(",", ";"), "[1;2]"],
  ])("%s", (cell, value) => {
    expect(rowsOf(`email,key\nada@example.com,${cell}\n`)).toEqual([{ row: 2, email: ada, data: { key: value } }]);
  });

  it.each(["", "  ", '""', '" "'])("%j is ignored", (cell) => {
    expect(rowsOf(`email,key\nada@example.com,${cell}\n`)).toEqual([{ row: 2, email: ada, data: {} }]);
  });

  it.each(["no", "true", "42", "2026-01-31"])("%s stays a text in locale", (cell) => {
    expect(rowsOf(`email,locale\nada@example.com,${cell}\n`)).toEqual([{ row: 2, email: ada, data: { locale: cell } }]);
  });

  it("with U+0000 has its row skipped, unless its column is dropped", () => {
    expect(rowsOf("email,key,id\nada@example.com,a\0b,x\nada@example.com,ab,a\0b\n")).toEqual([
      { row: 2, email: ada, reason: "invalid_string" },
      { row: 3, email: ada, data: { key: "ab" } },
    ]);
  });
});
