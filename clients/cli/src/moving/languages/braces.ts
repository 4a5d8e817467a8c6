import { type Language, output, Untold } from "./language";

/** Variables without logic, as in Resend and Loops. */
interface Braces {
  tag: RegExp;
  /** Returns the variable in a tag, and the text for a missing value. */
  read(tag: string): { variable: string; fallback?: string | undefined };
  /** The variables that the service fills in itself. */
  own: Record<string, string>;
}

function braces({ tag, read, own }: Braces): Language {
  return {
    tag,
    open: ({ fallbacks = {} }) => ({
      turn(written) {
        const { variable, fallback = fallbacks[variable] } = read(written);
        const known = own[variable];
        if (known !== undefined) return output(known, fallback);
        if (!/^[A-Za-z_]\w*(\.\w+)*$/.test(variable)) throw new Untold("is no variable");
        return output(variable, fallback);
      },
    }),
  };
}

/** Resend's variables: `{{{FIRST_NAME|there}}}`, `{{{contact.first_name}}}`, `{{{RESEND_UNSUBSCRIBE_URL}}}`. */
export const resendBraces = braces({
  tag: /\{\{\{?[\s\S]*?\}\}\}?/g,
  read(tag) {
    const said = /^\{\{\{([^{}]*)\}\}\}$/.exec(tag)?.[1]?.trim();
    if (said === undefined) throw new Untold("is logic, or has two braces: variables have three");
    const [variable = "", ...rest] = said.split("|");
    return { variable: variable.trim(), fallback: rest.length > 0 ? rest.join("|").trim() : undefined };
  },
  own: {
    FIRST_NAME: "firstName",
    LAST_NAME: "lastName",
    EMAIL: "email",
    "contact.first_name": "firstName",
    "contact.last_name": "lastName",
    "contact.email": "email",
    UNSUBSCRIBE_URL: "unsubscribeUrl",
    RESEND_UNSUBSCRIBE_URL: "unsubscribeUrl",
  },
});

/**
 * Loops' variables: `{firstName}`, `{contact.plan}`, `{event.total}`, `{DATA_VARIABLE:code}`. Styles have such braces
 * too.
 */
export const loopsBraces = braces({
  tag: /(?<![{$\w])\{(?:(?:contact|event|data)\.\w+|(?:DATA_VARIABLE|EVENT_PROPERTY):\w+|[A-Za-z_]\w*)(?:\|[^{}]*)?\}(?!\})/g,
  read(tag) {
    const [written = "", fallback] = tag.slice(1, -1).split("|");
    const variable = written
      .replace(/^(contact|data)\./, "")
      .replace(/^DATA_VARIABLE:/, "")
      .replace(/^EVENT_PROPERTY:/, "event.");
    return { variable, fallback };
  },
  own: { unsubscribe_link: "unsubscribeUrl", preferences_link: "manageUrl" },
});
