import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/db/tables",
  out: "./migrations",
  casing: "snake_case",
});
