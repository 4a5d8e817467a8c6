import { meteredFilters } from "../../core/templating/filters";

/** Explains how mail is written: templates, types of mail and topics. */
export const templates = `## Templates

Subjects and bodies are [Liquid](https://shopify.github.io/liquid/). These names have values:

- every key of the contact's data and of the call's \`data\`: \`{{ plan }}\`, \`{{ data.plan }}\`, \`{{ first name }}\`
- \`id\`, \`email\`, \`subscribed\`, \`locale\` of the contact
- \`name\`: the recipient's name in \`to\`, unless the data has a \`name\`
- \`unsubscribeUrl\`, \`subscribeUrl\`, \`manageUrl\`: signed links to the recipient's own pages
- \`confirmUrl\`: the link of a confirmation mail, and only there

\`{{ name ?? "there" }}\` is the first value that is not missing, null or an empty string. \`false\` and \`0\` are values. Filters come
after it, and it can be repeated: \`{{ nick ?? name ?? "you" | upcase }}\`.

Values are escaped in the body: \`{{ bio | raw }}\` is not. There are \`if\`, \`unless\`, \`case\`, \`for\`, \`tablerow\`, \`assign\`, \`capture\`,
\`increment\`, \`decrement\`, \`cycle\`, \`comment\`, \`raw\` and \`liquid\`; nothing reads files. A template that does not parse is a 422
with its line and column. So is syntax of Handlebars or Go, such as \`{{#if plan}}\`: the message has the equivalent Liquid.
Merge tags of Mailchimp, such as \`*|FNAME|*\`, are sent unchanged, and \`warnings\` has the equivalent Liquid. \`POST /templates/{id}/preview\` shows an email without sending it, and names the values that are missing.

The filters:

${[...meteredFilters().keys()]
  .toSorted()
  .map((name) => `\`${name}\``)
  .join(", ")}

### Types of mail

| Type | Recipients | Footer and headers |
| --- | --- | --- |
| \`TRANSACTIONAL\` | everyone | none |
| \`MARKETING\` | nobody who opted out | a footer with an unsubscribe link, unless the body has one; the mailbox's unsubscribe button |
| \`HEADLESS\` | everyone | no footer; the button, if the body links to \`unsubscribeUrl\` or \`manageUrl\` |

Content that you send inline, without a template, is \`TRANSACTIONAL\`.

The footer ends with the \`company\` and \`postalAddress\` of the project, which the operator sets. A body with an unsubscribe
link of its own gets no footer, so put the address there yourself. While a project has no \`postalAddress\`, or
no \`company\`, \`warnings\` of \`/v1/send\` and \`POST /campaigns/{id}/send\` say so for \`MARKETING\` mail, and a pre-flight counts
\`missing_postal_address\` or \`missing_company\`. The United States require a postal address in every commercial email (15 U.S.C. 7704(a)(5), 16 CFR
316.2), Canada for a mailing address (section 2 of the Electronic Commerce Protection Regulations). In the EU, Articles 5 and 6 of
Directive 2000/31/EC require that the sender and the sender's address can be found; in Germany, that is § 5 and § 6 DDG. UK companies must
name their registered office on business letters, electronic ones too (SI 2015/17, regulation 25). Ask a lawyer what applies to you.

### The document around a body

A body without \`<html\` is sent in a document of its own: with a viewport, the recipient's language, and one column of 600 pixels in
which tables and pictures are no wider than a phone. It is dark where the recipient's mail program is, unless the body sets a text
colour without a background colour, or the other way round: then it stays light, so that it can be read. A body that is a whole
document is sent as it is.
Campaigns and workflows mail \`MARKETING\` to subscribed contacts alone. \`/v1/send\` is a deliberate call of yours: it leaves out
only contacts who opted out, and mails contacts that were never subscribed. \`warnings\` in its answer names those.

### Topics

A topic is a group of marketing mail that a person can leave without leaving everything. Create one with \`POST /topics\`, and set its
id as the \`topicId\` of a template. Contacts who left the topic get none of the template's mail: the email is \`SUPPRESSED\`. The unsubscribe
button of such an email leaves the topic; the page behind \`manageUrl\` lists all topics. \`GET\` and \`PUT /contacts/{id}/topics\`
show and change what a contact chose. With \`defaultSubscribed: false\`, campaigns and workflows mail only contacts who joined.
\`subscribed: false\` on a contact overrules all topics.`;

/** Explains the records of sent mail, and how to try mail without sending any. */
export const sentMail = `## Opens and clicks

Links in an email lead through this installation, and a pixel at its end reports that it was opened. \`GET /emails/{id}\` counts
both, and the events are \`email.opened\` and \`email.clicked\`, which has the \`link\`.

- \`"tracking": false\` on \`/v1/send\` leaves an email as it is. The operator may have turned tracking off for the project, or for all but \`MARKETING\` mail.
- \`<a data-no-track href="…">\` leaves one link as it is. \`mailto:\`, \`tel:\`, anchors and the recipient's own pages always stay.
- \`automated: true\` in the data of an event means that a known scanner or image proxy caused the event. Such a click moves neither
  the status nor \`clicks\`. An open through the proxy of a mailbox counts.
- Neither IP addresses nor user agents are stored.
- Opens and clicks are recorded a second or two after the recipient has got the page or the image. After a crash, some of the
  last second may be missing.

## Testing

These addresses at \`simulator.test\`, and at any domain below it, behave as their names say while the installation keeps its
mail in the outbox: \`bounce@\`, \`softbounce@\`, \`complaint@\`, \`throttle@\` (429, tried again), \`reject@\` (4xx, fails),
\`timeout@\` (no answer: \`UNKNOWN\`). A tag works too: \`bounce+checkout@simulator.test\`. All other mail is delivered.

\`/outbox\` shows the mail, and \`GET /outbox/messages\` gives it to your tests.`;
