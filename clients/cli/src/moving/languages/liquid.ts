import { type Language, Untold } from "./language";

interface Dialect {
  /** The variables under which the service has the contact's data. */
  contact: RegExp;
  /** Variables that the service has under names of its own, with ours. */
  own: Record<string, string>;
  /** Variables and tags of the service without an equivalent here. */
  unknown: RegExp;
}

/** The Liquid tags that are offered here. */
const tags =
  /^(if|elsif|else|endif|unless|endunless|case|when|endcase|for|break|continue|endfor|cycle|tablerow|endtablerow|assign|capture|endcapture|comment|endcomment|raw|endraw|increment|decrement|echo|#)$/;

function liquid({ contact, own, unknown }: Dialect): Language {
  return {
    tag: /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g,
    open: () => ({
      turn(tag) {
        const said = tag.slice(2, -2).replace(/^-|-$/g, "").trim();
        const known = own[said];
        if (known !== undefined) return known;
        if (unknown.test(said)) throw new Untold("has no like here");
        const [word = ""] = /^(#|\w+)/.exec(said) ?? [];
        if (tag.startsWith("{%") && !tags.test(word)) throw new Untold(`${word} is no tag here`);
        return outsideQuotes(tag, (text) => text.replace(contact, ""));
      },
    }),
  };
}

/** Changes a text except for its quoted parts. */
function outsideQuotes(text: string, change: (part: string) => string): string {
  return text.replace(/("[^"]*"|'[^']*')|[^"']+/g, (part, quoted) => (quoted === undefined ? change(part) : part));
}

const never = /(?!)/;

/** Plunk's Liquid, which is the same as ours. */
export const plunkLiquid = liquid({ contact: never, own: {}, unknown: never });

/** Customer.io's Liquid: `{{ customer.first_name }}`, `{% unsubscribe_url %}`. */
export const customerLiquid = liquid({
  contact: /\bcustomer\./g,
  own: {
    unsubscribe_url: "{{ unsubscribeUrl }}",
    manage_subscription_preferences_url: "{{ manageUrl }}",
  },
  unknown:
    /\b(snippets|trigger|campaign|delivery|message|layout|objects?|relationships?)\.|^content$|\|\s*(add_\w+|subtract_\w+|format_\w+|timezone|md5|sha\w+|hmac\w*|base64|to_json|parse_json)\b/,
});
