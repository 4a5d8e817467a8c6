import { operatorToken } from "../settings.mjs";
import { isGood } from "./contacts.mjs";

const onTheWayMs = 10_000;

/** What operators do with whole projects. A key that dies or a project that is disabled is known everywhere in 30 s. */
export const projectDeeds = {
  async renewKey(caller) {
    const { tenant } = caller;
    const { accessRenewed } = tenant;
    const { status, body } = await ask(caller, "POST", "/keys", { kind: "secret" });
    if (!isGood(status) || tenant.accessRenewed > accessRenewed) return;
    const [oldKeyId] = tenant.keyIds;
    Object.assign(tenant, { key: body.key, keyIds: [body.id, ...tenant.keyIds] });
    // Calls with the old key may still be on their way.
    await caller.world.time.wait(onTheWayMs);
    if (oldKeyId !== undefined) await ask(caller, "DELETE", `/keys/${oldKeyId}`, undefined, [404]);
  },

  async disableForAWhile(caller, { draws: [draw] }) {
    const { tenant, world } = caller;
    tenant.timesDisabled += 1;
    caller.note({ is: "disabling", begun: caller.now() });
    await ask(caller, "PATCH", "", { disabled: true });
    await world.time.wait(draw * 60_000);
    await ask(caller, "PATCH", "", { disabled: false });
    await world.time.wait(60_000);
    tenant.timesDisabled -= 1;
  },

  /** Each answer that is lost leaves a secret behind that nobody knows. */
  async rotateSecret(caller) {
    const { host, webhook } = caller.tenant;
    const { receivers } = caller.world.outside;
    receivers.beginRotation(host);
    const { status, body } = await caller.insist("POST", `/webhooks/${webhook.id}/rotate-secret`);
    receivers.endRotation(host, isGood(status) ? body.secret : null);
  },

  /** A project moves to another database, and back, while all else goes on. */
  moveProject: (caller, { draws: [draw] }) =>
    ask(caller, "POST", "/move", { database: draw < 0.6 ? "DB_01" : "DB" }, [409, 422]),
  takeMoveBack: (caller) => ask(caller, "DELETE", "/move", undefined, [404, 409]),

  /** A machine goes away, in the middle of what it does for others. */
  async loseMachine({ world }, { draws: [draw] }) {
    world.isolates.kill(draw);
  },

  async deleteProject(caller) {
    const { tenant } = caller;
    tenant.isDeleted = true;
    const { status } = await ask(caller, "DELETE", "", undefined, [404]);
    if (isGood(status) || status === 404) caller.note({ is: "deleted" });
  },
};

function ask(caller, method, path, body, allowed = []) {
  return caller.insist(method, `/admin/projects/${caller.tenant.id}${path}`, { key: operatorToken, body, allowed });
}
