import { type SQL, sql } from "drizzle-orm";
import { idAlphabet } from "../core/ids";

/**
 * Makes ids in SQL, at the commit. A **tick** is `milliseconds << 12 | counter`. Ticks follow the order of commits, and
 * the counter overflows into the milliseconds. An id is a tick followed by eleven characters that cannot be guessed. As
 * a UUID v7 (RFC 9562 section 5.7, method 1 for the counter) it also has a version and a variant.
 */

const alphabet = sql.raw(`'${idAlphabet}'`);

/** Returns the tick of an id. */
export function tickOf(id: SQL): SQL {
  return sql`((${numberOf(id, 1, 8)} << 12) | ((${numberOf(id, 9, 3)} >> 2) & 4095))`;
}

/** Returns the milliseconds of an id. */
export function timeOfId(id: SQL): SQL {
  return numberOf(id, 1, 8);
}

/**
 * The last eleven characters of ids that SQL makes. They are random, so they also identify the statement that made an
 * id.
 */
export type Tail = string & { readonly [brand]: true };

declare const brand: unique symbol;

/** Makes 62 random bits: ten characters of six bits, and one of the remaining two. */
export function newTail(bytes: Uint8Array = crypto.getRandomValues(new Uint8Array(11))): Tail {
  const letters = [...bytes].map((byte, position) => idAlphabet.charAt(position < 10 ? byte & 63 : (byte & 3) << 4));
  return letters.join("") as Tail;
}

/** Returns the id of a tick. All rows of a statement share the tail, and their ticks make the ids distinct. */
export function idOfTick(tick: SQL, tail: Tail = newTail()): SQL {
  const versionAndCounter = sql`(114690 | ((${tick} & 4095) << 2))`;
  return sql`${lettersOf(sql`(${tick} >> 12)`, 8)} || ${lettersOf(versionAndCounter, 3)} || ${tail}`;
}

/** Returns the condition that an id has this tail. */
export function hasTail(id: SQL, tail: Tail): SQL {
  return sql`substr(${id}, 12) = ${tail}`;
}

function lettersOf(number: SQL, letters: number): SQL {
  const shifts = Array.from({ length: letters }, (_, position) => 6 * (letters - 1 - position));
  const each = shifts.map((shift) => sql`substr(${alphabet}, 1 + ((${number} >> ${sql.raw(String(shift))}) & 63), 1)`);
  return sql`(${sql.join(each, sql` || `)})`;
}

function numberOf(id: SQL, from: number, letters: number): SQL {
  const each = Array.from({ length: letters }, (_, position) => {
    const [at, shift] = [sql.raw(String(from + position)), sql.raw(String(6 * (letters - 1 - position)))];
    return sql`((instr(${alphabet}, substr(${id}, ${at}, 1)) - 1) << ${shift})`;
  });
  return sql`(${sql.join(each, sql` + `)})`;
}

/** Returns the public UUID of an id, for JSON that is made in the database. */
export function publicIdInSql(id: SQL): SQL {
  // Two letters are 12 bits, or three hexadecimal digits. Four bits of the last pair are not part of the id.
  const pairs = Array.from({ length: 11 }, (_, pair) => numberOf(id, 2 * pair + 1, 2));
  const hex = sql`format(${sql.raw(`'${"%03x".repeat(11)}'`)}, ${sql.join(pairs, sql`, `)})`;
  return sql`(SELECT substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-' || substr(hex, 13, 4) || '-' ||
    substr(hex, 17, 4) || '-' || substr(hex, 21, 12) FROM (SELECT ${hex} AS hex))`;
}
