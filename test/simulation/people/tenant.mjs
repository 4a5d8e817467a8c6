import { clockTenant } from "./clock-plan.mjs";
import { drawDocument, firstDocument, shortDocument } from "./documents.mjs";
import { persons } from "./plan.mjs";

/** Makes a project as its first people would: domain, templates, webhook, segment and workflow, before any fault. */
export async function settle(world, name) {
  const isOnClock = name === clockTenant;
  const project = await world.newProject(name, isOnClock ? { testClock: true } : {});
  const { domain, keys } = project;
  const host = `hooks.${name}.example`;
  const make = async (path, body) => {
    const { status, body: made } = await world.call("POST", path, { key: keys.secret, body });
    if (status !== 201) throw new Error(`${path} was answered ${status}: ${JSON.stringify(made)}`);
    return made;
  };
  const from = `hello@${domain}`;
  const template = (type) =>
    make("/templates", {
      name: type,
      subject: `${type} of ${name}`,
      body: `<p>Hello {{ email }}, <a href="https://${name}.example/news">read</a></p>`,
      from,
      type,
    });
  const [marketing, transactional] = [await template("MARKETING"), await template("TRANSACTIONAL")];
  const webhook = await make("/webhooks", { url: `https://${host}/events`, events: ["*"] });
  world.outside.receivers.expect(host, webhook.secret);
  const condition = { logic: "AND", groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }] };
  const segment = await make("/segments", { name: "Pro", condition, trackMembership: true });
  const templates = { marketing, transactional };
  const given = workflowsOf({ host, templates });
  const workflows = [
    await settleWorkflow(make, given[0], firstDocument(given[0])),
    await settleWorkflow(make, given[1], drawDocument(name, given[1])),
    await settleWorkflow(make, given[2], shortDocument(given[2])),
  ];
  // A person whom only public keys have named would get one email a day.
  const address = (person) => `p${person}@${name}.example`;
  for (let person = 0; person < persons; person++) await make("/contacts", { email: address(person) });
  return {
    ...{ ...project, isOnClock, host, from, marketing, transactional, webhook, workflows },
    ...{
      segments: [segment],
      campaigns: [],
      isDeleted: false,
      keysUsed: 0,
      timesDisabled: 0,
      accessRenewed: 0,
      key: keys.secret,
      keyIds: [],
    },
    address,
  };
}

/**
 * The workflows of a tenant: one that people enter again and again, one that they enter once, and one that is soon
 * over.
 */
function workflowsOf(given) {
  return [
    { ...given, title: "Journey", eventName: "signup", allowReentry: true },
    { ...given, title: "Once", eventName: "purchase", allowReentry: false },
    { ...given, title: "Short", eventName: "visit", allowReentry: true },
  ];
}

/** A workflow remembers the documents that it had: each was put by a call that began and ended at some time. */
async function settleWorkflow(make, given, document) {
  const { id } = await make("/workflows", document);
  return { id, given, documents: [{ document, from: 0, until: 0 }] };
}
