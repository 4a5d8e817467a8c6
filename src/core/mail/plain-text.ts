import { compile, type FormatCallback } from "html-to-text";

const block = { leadingLineBreaks: 1, trailingLineBreaks: 1 };
const paragraph = { leadingLineBreaks: 2, trailingLineBreaks: 2 };

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: 100, ellipsis: "" },
  formatters: { row: formatRow, numberedList: formatNumberedList, picture: formatPicture },
  selectors: [
    { selector: "a", options: { linkBrackets: ["(", ")"], hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: "img", format: "picture" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { ...paragraph, uppercase: false } })),
    { selector: "ol", format: "numberedList" },
    { selector: "ul", options: { itemPrefix: "* " } },
    { selector: "blockquote", format: "block", options: paragraph },
    { selector: "table", format: "block", options: paragraph },
    { selector: "tr", format: "row", options: block },
  ],
});
