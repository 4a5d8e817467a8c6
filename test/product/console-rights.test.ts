import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { sample } from "../support/sample";
import { describeInChromium } from "./chromium";
import { asMember, makeWorld, sendMails, type World } from "./console-world";
import { pressAll } from "./press-all";

const product = inject("product");
const { base } = product;

type Role = "viewer" | "editor" | "admin";
interface Rights {
  role: Role;
  maySend: boolean;
}

/** A call that changes something, by the document. */
interface Write {
  id: string;
  method: string;
  path: RegExp;
  roles: string[];
  needsMaySend: boolean;
}

describeInChromium(
  "what the console offers to a role",
  () => base,
  (open) => {
    let world: World;
    let writes: Write[];
    let paths: string[];

    beforeAll(async () => {
      world = await makeWorld(product);
      writes = writesOf(await (await fetch(`${base}/openapi.json`)).json());
      const delivered = await sendMails(world, ["One"], "ada@example.com");
      const later = { scheduledAt: new Date(Date.now() + 86_400_000).toISOString() };
      const mail = { to: "ada@example.com", from: `hello@${world.domain}`, subject: "Later", body: "<p>Hi</p>" };
      const waiting = await send({ ...mail, ...later });
      const cancelled = await send({ ...mail, ...later });
      await world.call("DELETE", `/emails/${cancelled}`);
      await world.call("POST", "/topics", { name: "News" });
      const content = { name: "Offer", subject: "Offer", body: "<p>Hi</p>", from: mail.from, audienceType: "ALL" };
      const draft = await world.call<{ data: { id: string } }>("POST", "/campaigns", content);
      const planned = await world.call<{ data: { id: string } }>("POST", "/campaigns", content);
      await world.call("POST", `/campaigns/${planned.data.id}/send`, { scheduledFor: later.scheduledAt });
      const { data } = await world.call<{ data: { id: string }[] }>("GET", "/contacts");
      const where = JSON.stringify([{ field: "email", operator: "contains", value: "a" }]);
      paths = [
        ...["", "/emails", `/emails/${delivered}`, `/emails/${waiting}`, `/emails/${cancelled}`],
        ...["/people", "/people/import", `/people?where=${encodeURIComponent(where)}`, `/people/${data[0]?.id}`],
        ...["/campaigns", "/campaigns/new", `/campaigns/${draft.data.id}`, `/campaigns/${draft.data.id}/edit`],
        ...[`/campaigns/${planned.data.id}`, "/domains", "/settings", "/settings/project", "/settings/members"],
        ...["/settings/keys", "/settings/topics", "/settings/jobs", "/settings/trash", "/settings/audit", "/more"],
      ];
    });

    async function send(body: unknown): Promise<string> {
      const sent = await world.call<{ data: { emails: { email: string }[] } }>("POST", "/v1/send", body);
      return sent.data.emails[0]?.email ?? "";
    }

    /** Presses everything on all pages. No call gets through that changes something, so nothing is used up. */
    async function pressEverything(rights: Rights, pages = paths): Promise<{ called: Set<string>; refused: string[] }> {
      const { page } = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      await asMember(page, product, world, rights);
      const called = new Set<string>();
      const refused: string[] = [];
      let at = "";
      await stopWrites(page, (write) => {
        called.add(write.id);
        const isAllowed = write.roles.includes(rights.role) && (rights.maySend || !write.needsMaySend);
        if (!isAllowed) refused.push(`${write.id} at ${at}`);
      });
      for (at of pages) {
        await page.goto(`${base}/console/p/${world.project}${at}`, { waitUntil: "domcontentloaded" });
        await page.evaluate(pressAll);
      }
      return { called, refused };
    }

    async function stopWrites(page: Page, tell: (write: Write) => void): Promise<void> {
      await page.route(
        () => true,
        async (route) => {
          const request = route.request();
          const { pathname } = new URL(request.url());
          const write = writes.find(({ method, path }) => method === request.method() && path.test(pathname));
          if (write === undefined) return route.continue();
          tell(write);
          const error = { code: "CONFLICT", message: "Not now.", statusCode: 409 };
          return route.fulfill({ status: 409, json: { success: false, error } });
        },
      );
    }

    it("offers each of these calls to an admin, and nothing that is refused", async () => {
      const { called, refused } = await pressEverything({ role: "admin", maySend: true });
      expect(refused).toEqual([]);
      expect([...called].toSorted()).toMatchInlineSnapshot(`
        [
          "addDomain",
          "addKey",
          "beginImport",
          "bulkDelete",
          "bulkSubscribe",
          "bulkUnsubscribe",
          "cancelEmail",
          "createCampaign",
          "createSegment",
          "createTopic",
          "deleteCampaign",
          "deleteContact",
          "deleteTopic",
          "duplicateCampaign",
          "inviteMember",
          "removeDomain",
          "removeMember",
          "retryEmail",
          "revokeKey",
          "testCampaign",
          "unscheduleCampaign",
          "updateContact",
          "updateMember",
          "updateProject",
          "updateTopic",
          "upsertContact",
        ]
      `);
    });

    for (const rights of [
      { role: "viewer", maySend: true },
      { role: "editor", maySend: false },
      { role: "editor", maySend: true },
    ] as const) {
      it(`offers nothing that is refused to a role: ${rights.role}${rights.maySend ? "" : " who may not send"}`, async () => {
        const { called, refused } = await pressEverything(
          rights,
          sample(paths, { of: 6, name: rights.role + rights.maySend }),
        );
        expect(refused).toEqual([]);
        if (rights.role === "viewer") expect([...called]).toEqual([]);
      });
    }
  },
);

type Document = {
  paths: Record<string, Record<string, { operationId: string; "x-roles"?: string[]; "x-may-send"?: string }>>;
};

/** The calls of the document that a viewer is refused, or that change something. */
function writesOf({ paths }: Document): Write[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, "x-roles": roles, "x-may-send": maySend }]) => {
      if (roles === undefined || method === "get" || roles.includes("viewer")) return [];
      return [
        {
          ...{ id: operationId, method: method.toUpperCase(), roles, needsMaySend: maySend === "needed" },
          path: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
        },
      ];
    }),
  );
}
