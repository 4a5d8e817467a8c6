import { z } from "zod";
import { loopsBraces } from "../languages/braces";
import type { Source } from "../source";
import { Cells, keyOf, yesOrNo } from "../table";
import { timeOf } from "../time";

const Lists = z.array(z.object({ id: z.string(), name: z.string(), description: z.string().nullish() }));

/** Loops lists its contacts only in a file. Its API returns the mailing lists, which are columns of that file. */
export const loops: Source = {
  name: "Loops",
  export: "the CSV file of Audience, Export",
  readRow(account, row) {
    const cells = new Cells(row);
    const email = cells.take("email") ?? "";
    const isOut = yesOrNo(cells.take("subscribed")) === false;
    const optIn = cells.take("optInStatus")?.toLowerCase();
    const createdAt = timeOf(cells.take("createdAt"));
    const own = { consentSource: cells.take("source") };
    cells.take("id");
    const lists = [...account.topics.keys()].map((name) => [name, yesOrNo(cells.take(name))] as const);
    const topics = lists.flatMap(([name, isIn]) => (isIn === true ? [name] : []));
    account.addPerson({
      ...{ email, createdAt },
      state: isOut || optIn === "rejected" ? "left" : optIn === "pending" ? "out" : "subscribed",
      ...(lists.some(([, isIn]) => isIn !== undefined) && { topics }),
      data: { ...cells.rest(keyOf), ...own },
    });
  },
  api: {
    keyName: "LOOPS_API_KEY",
    isPartial: true,
    connect: ({ key, url = "https://app.loops.so" }) => ({
      baseUrl: url,
      headers: { Authorization: `Bearer ${key}` },
    }),
    async read(account, api) {
      for (const { name, description } of await api.get(Lists, "/api/v1/lists"))
        account.addTopic({ name, description: description ?? undefined, defaultSubscribed: false });
      account.notes.push("Loops does not list suppressed addresses: give those that you know by --suppressed");
    },
  },
  language: loopsBraces,
};
