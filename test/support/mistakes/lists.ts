import type { Mistake } from "./mistake";

function get(path: string, names: string, saw: string, says: string): Mistake {
  return { call: `GET ${path}`, names, saw, says };
}

/** Mistakes in the parameters of lists. */
export const mistakesInLists: Mistake[] = [
  get("/contacts?page=2", '"page"', '"received":"2"', "?cursor="),
  get("/contacts?per_page=5", '"per_page"', '"received":"5"', "?limit="),
  get("/contacts?offset=5", '"offset"', '"received":"5"', "?cursor="),
  get("/contacts?starting_after=x", '"starting_after"', '"received":"x"', "?cursor="),
  get("/contacts?q=ada", '"q"', '"received":"ada"', "?search="),
  get("/contacts?limit=0", '"limit"', '"received":"0"', "at least 1"),
  get("/contacts?limit=all", '"limit"', '"received":"all"', "whole number"),
  get("/contacts?cursor=nope", "cursor", "cannot be read", "first page"),
  get("/contacts?subscribed=yes", '"subscribed"', '"received":"yes"', '"true"'),
  get("/contacts?sort_by=email", '"sort_by"', '"received":"email"', "?sort="),
  get("/emails?state=SENT", '"state"', '"received":"SENT"', "?status="),
  get("/emails?status=sent", '"status"', '"received":"sent"', '"SENT"'),
  get("/templates?per_page=5", '"per_page"', '"received":"5"', "?pageSize="),
  get("/templates?cursor=x", '"cursor"', '"received":"x"', "?page=2"),
  get("/campaigns?status=DONE", "status", "DONE", "DRAFT"),
  get("/events?event=signup", '"event"', '"received":"signup"', "?name="),
  get("/activity?startDate=yesterday", '"startDate"', '"received":"yesterday"', "2026-01-31"),
  get("/jobs/nope", "job", "nope", "in this project"),
];
