// Whether a cron line is due in the minute of `time`. Supports *, */n and n for minute and hour; wrangler.toml uses no
// more.
export function isDue(cron, time) {
  const [minute, hour, ...days] = cron.split(" ");
  return matches(minute, time.getUTCMinutes()) && matches(hour, time.getUTCHours()) && days.every((day) => day === "*");
}

function matches(field, value) {
  if (field === "*") return true;
  const [, every] = field.match(/^\*\/(\d+)$/) ?? [];
  return every ? value % Number(every) === 0 : value === Number(field);
}

/** Calls `fire` with every due line, just after each full minute, as Cloudflare does. */
export function everyMinute(crons, fire) {
  let timer;
  const wait = () => {
    // A timer may end slightly early. The delay keeps it from firing twice for the same minute.
    const lateMs = 200;
    timer = setTimeout(
      () => {
        const now = new Date();
        for (const cron of crons) if (isDue(cron, now)) fire(cron);
        wait();
      },
      60_000 + lateMs - (Date.now() % 60_000),
    );
  };
  wait();
  return () => clearTimeout(timer);
}
