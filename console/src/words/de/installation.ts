import type { installation as en } from "../en/installation";

export const installation: typeof en = {
  pages: { projects: "Projekte", people: "Inhaber und Personen", audit: "Protokoll" },
  projects: {
    name: "Name des Projekts",
    testClock: "Mit einer Uhr, die Tests stellen",
    make: "Projekt anlegen",
    made: "Es ist da.",
    none: "Es gibt noch kein Projekt",
  },
  people: {
    asOwner: "Inhaber der Installation",
    ownerLead: "Ein Inhaber darf alles, in allen Projekten. Andere werden Projekten einzeln hinzugefügt.",
    member: "Mitglied",
    noProjects: "In keinem Projekt Mitglied",
    allProjects: "Alle, als Inhaber",
    removeAdvice: "Die Person ist binnen 30 Sekunden überall abgemeldet und in keinem Projekt mehr.",
  },
  audit: { noneAdvice: "Neue und gelöschte Projekte, Inhaber und Schlüssel der Installation erscheinen hier." },
};
