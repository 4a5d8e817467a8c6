import { counting } from "../counting";

const counted = counting("en");

export const people = {
  search: "A part of an address",
  count: counted({
    one: (count) => `${count} person`,
    other: (count) => `${count} people`,
  }),
  add: "Add a person",
  email: "Address",
  subscribed: "Subscribed",
  notSubscribed: "Not subscribed",
  snoozed: "Snoozed",
  since: "Since",
  none: "Nobody is here yet",
  noneAdvice: "People come by an import, by a form on your site, or with the first mail to them.",
  noMatch: "Nobody matches these conditions",
  saveSegment: "Save as a segment",
  segmentName: "Name of the segment",
  saved: (name: string) => `The segment ${name} was saved.`,
  columns: "Columns",
  bulk: {
    all: counted({
      one: () => "Select the only person",
      other: (total) => `Select all ${total}`,
    }),
    selected: (who: string) => `${who} selected`,
    clear: "Clear",
    subscribe: "Subscribe",
    unsubscribe: "Unsubscribe",
    delete: "Erase",
    title: {
      subscribe: (who: string) => `Subscribe ${who}?`,
      unsubscribe: (who: string) => `Unsubscribe ${who}?`,
      delete: (who: string) => `Erase ${who}?`,
    },
    advice: {
      subscribe: "Only if they asked for it. Suppressed addresses still get no mail.",
      unsubscribe: "They get no more campaigns. Mail that they need, such as receipts, goes on.",
      delete: "Their data, their events and their mail are deleted for good.",
    },
    running: "Under way",
    done: (changed: string, unchanged: string) => `Done. ${changed}, ${unchanged}.`,
    changed: counted({
      one: (count) => `${count} changed`,
      other: (count) => `${count} changed`,
    }),
    unchanged: counted({
      one: (count) => `${count} needed no change`,
      other: (count) => `${count} needed no change`,
    }),
  },
};
