// Runs on the Node of the lockfile, as older ones have no SQLite. Its arguments are migrations; it prints what they build.
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(":memory:");
for (const file of process.argv.slice(2)) database.exec(readFileSync(file, "utf8"));
console.log(JSON.stringify(database.prepare("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").all()));
