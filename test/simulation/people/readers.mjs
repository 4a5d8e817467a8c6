const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** What people do with the mail that they got: they see its pictures, and follow its links, some of them again and again. */
export const readerDeeds = {
  openMail: (caller, entry) => visit(caller, entry, "open", /src="(https:[^"]+\/o\/[^"]+)"/),
  clickLink: (caller, entry) => visit(caller, entry, "click", /href="(https:[^"]+\/c\/[^"]+)"/),
};

/** The newest mails are read most often. */
async function visit(caller, { draws: [draw, times] }, kind, pattern) {
  const { provider } = caller.world.outside;
  const mails = provider.mails.filter(({ mail }) => pattern.test(mail.html ?? ""));
  const found = mails.at(-1 - Math.floor(draw * draw * mails.length));
  if (found === undefined) return;
  const path = new URL(pattern.exec(found.mail.html)[1]).pathname;
  for (let time = 0; time < (times < 0.3 ? 2 : 1); time++) {
    const answer = await caller.ask("GET", path, { key: null, headers: { "User-Agent": agent }, allowed: [302] });
    caller.note({ is: "hit", kind, ...found, answer });
  }
}
