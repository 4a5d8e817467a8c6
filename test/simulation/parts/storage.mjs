import { DatabaseSync } from "node:sqlite";
import { limitSqlite } from "./limits.mjs";

/** https://developers.cloudflare.com/durable-objects/api/alarms/ */
const alarmRetries = 6;
const firstRetryMs = 2_000;
const ringMs = 5;

/**
 * The storage of one object. Writes are one transaction until the object does something that others could see, and are
 * lost when it dies before.
 */
export class ObjectStorage {
  #sqlite = null;
  #prepared = new Map();
  #values = new Map();
  #alarm = null;
  /** What to go back to; null while nothing has been written. */
  #before = null;

  constructor({ time, trip, faults, ring, limits }) {
    Object.assign(this, { time, trip, faults, ring, limits });
    this.sql = { exec: (query, ...values) => this.#exec(query, values) };
    this.kv = {
      get: (key) => structuredClone(this.#values.get(key)),
      put: (key, value) => {
        limits.checkValue(key, value);
        this.#begin();
        this.#values.set(key, structuredClone(value));
      },
      delete: (key) => {
        this.#begin();
        return this.#values.delete(key);
      },
    };
  }

  /** All values, seen from outside of the world. */
  get contents() {
    const tables = this.#prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const rows = tables.flatMap(({ name }) => this.#prepare(`SELECT * FROM "${name}"`).all());
    return [...rows, ...this.#values.values()].map((value) => JSON.stringify(value));
  }

  /** The rows of a table, if this object has it. */
  rows(table) {
    const isThere = this.#prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").all(table);
    return isThere.length > 0 ? this.#prepare(`SELECT * FROM "${table}"`).all() : [];
  }

  get #tables() {
    if (this.#sqlite === null) {
      this.#sqlite = new DatabaseSync(":memory:");
      limitSqlite(this.#sqlite);
    }
    return this.#sqlite;
  }

  #prepare(sql) {
    const prepared = this.#prepared.get(sql) ?? this.#tables.prepare(sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #begin() {
    if (this.#before !== null) return;
    this.#before = { values: new Map(this.#values), alarmAt: this.#alarm?.at ?? null };
    this.#prepare("BEGIN").run();
  }

  /** Makes what was written durable. */
  async sync() {
    if (this.#before === null) return;
    await this.trip();
    this.commit();
  }

  commit() {
    if (this.#before === null) return;
    this.#before = null;
    this.#prepare("COMMIT").run();
  }

  /** Goes back to what was durable. */
  rollBack() {
    if (this.#before === null) return;
    const { values, alarmAt } = this.#before;
    this.#before = null;
    this.#tables.exec("ROLLBACK");
    this.#values = values;
    this.#clearAlarm();
    if (alarmAt !== null) this.#arm(alarmAt, 0);
  }

  #exec(query, values) {
    if (!/^\s*SELECT\b/i.test(query)) this.#begin();
    const rows = this.#prepare(query).all(
      ...values.map((value) => (typeof value === "boolean" ? Number(value) : value)),
    );
    return { toArray: () => rows.map((row) => ({ ...row })) };
  }

  transactionSync(work) {
    this.#begin();
    const before = new Map(this.#values);
    this.#tables.exec("SAVEPOINT whole");
    try {
      const result = work();
      this.#tables.exec("RELEASE whole");
      return result;
    } catch (error) {
      this.#tables.exec("ROLLBACK TO whole; RELEASE whole");
      this.#values = before;
      throw error;
    }
  }

  async getAlarm() {
    return this.#alarm?.at ?? null;
  }

  async setAlarm(at) {
    this.#begin();
    this.#clearAlarm();
    this.#arm(Number(at), 0);
  }

  async deleteAlarm() {
    this.#begin();
    this.#clearAlarm();
  }

  #clearAlarm() {
    if (this.#alarm) this.time.clear(this.#alarm.id);
    this.#alarm = null;
  }

  #arm(at, attempt) {
    const lateMs = this.faults.lateMs("alarmIsLate");
    const id = this.time.set(() => this.#ringNow(attempt), Math.max(0, at - this.time.now) + lateMs + ringMs);
    this.#alarm = { at, id };
  }

  /** Rings at least once, and again when the handler fails, unless it has set another alarm. Then the alarm is gone. */
  async #ringNow(attempt) {
    this.#alarm = null;
    // As one whose handler failed each time.
    if (this.faults.happens("alarmIsLost")) return;
    try {
      await this.ring();
      if (this.faults.happens("alarmComesTwice")) await this.ring();
    } catch {
      if (this.#alarm === null && attempt < alarmRetries)
        this.#arm(this.time.now + firstRetryMs * 2 ** attempt, attempt + 1);
    }
  }

  async deleteAll() {
    this.#begin();
    this.#values.clear();
    this.#clearAlarm();
    for (const { name } of this.#tables
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()) {
      this.#tables.exec(`DROP TABLE "${name}"`);
    }
  }
}
