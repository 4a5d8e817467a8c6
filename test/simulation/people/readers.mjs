const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** What people do with the mail that they got: they see its pictures, and follow its links, some of them again and again. */
export const readerDeeds = {
  openMail: (caller, entry) => visit(caller, entry, "open", /src="(https:[^"]+\/o\/[^"]+)"/),
  clickLink: (caller, entry) => visit(caller, entry, "click", /href="(https:[^"]+\/c\/[^"]+)"/),

  /** Writes to a tenant, whose provider tells of it. */
  async writeMail(caller, { number }) {
    const [from, to] = [caller.address(), `reply${number}@${caller.tenant.domain}`];
    const written = caller.note({ is: "written", from, to, isTaken: false });
    caller.world.outside.provider.receive(`Somebody <${from}>`, to, () => {
      Object.assign(written, { isTaken: true, takenAt: caller.world.time.now });
    });
  },
};

/** News are read most often. */
async function visit(caller, { draws: [draw, times, choice] }, kind, pattern) {
  const { provider } = caller.world.outside;
  const mails = provider.mails.filter(({ mail }) => pattern.test(mail.html ?? ""));
  const news = mails.filter(({ mail }) => /^(News|Curious) /.test(mail.subject));
  const among = choice < 0.7 && news.length > 0 ? news : mails;
  const found = among[Math.floor(draw * among.length)];
  if (found === undefined) return;
  const path = new URL(pattern.exec(found.mail.html)[1]).pathname;
  for (let time = 0; time < (times < 0.3 ? 2 : 1); time++) {
    const answer = await caller.ask("GET", path, { key: null, headers: { "User-Agent": agent }, allowed: [302] });
    caller.note({ is: "hit", kind, ...found, answer });
  }
}
