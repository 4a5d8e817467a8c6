const objectClasses = ["PaceObject", "ProjectGateObject", "WorkflowShardObject", "SweepObject"];

/**
 * A Worker whose parts are of different versions, as during a deployment: requests, consumers with cron, and objects.
 * `roles` names the version of each, and may change at any time. Requests, consumers and cron follow with their next call.
 * An object follows with its next call, too: its memory is lost then, and what it has stored stays.
 */
export function mixedWorker(versions, roles) {
  const of = (part) => versions[roles[part]];
  return {
    default: {
      fetch: (...given) => of("door").default.fetch(...given),
      queue: (...given) => of("consumer").default.queue(...given),
      scheduled: (...given) => of("consumer").default.scheduled(...given),
    },
    ...Object.fromEntries(objectClasses.map((name) => [name, switchingClass(name, versions, roles)])),
  };
}

/** A class whose objects are, at each call, those of the version that objects have then. */
function switchingClass(name, versions, roles) {
  return class {
    constructor(ctx, env) {
      let [version, instance] = [null, null];
      // biome-ignore lint/correctness/noConstructorReturn: an object of the one version stands for that of the other.
      return new Proxy(this, {
        get(_, method) {
          if (version !== roles.object)
            [version, instance] = [roles.object, new versions[roles.object][name](ctx, env)];
          const value = instance[method];
          return typeof value === "function" ? value.bind(instance) : value;
        },
      });
    }
  };
}
