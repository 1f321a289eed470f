"use strict";
// Sorting is added here and not in the markup: without scripts there is no button that does nothing.
const collator = new Intl.Collator("en", { numeric: true });
const keyOf = (row, column) => {
  const cell = row.cells[column];
  const isNumber = cell.classList.contains("number");
  if (!isNumber) return cell.textContent;
  return cell.dataset.sort === undefined ? null : Number(cell.dataset.sort);
};
const compare = (left, right) =>
  typeof left === "string" ? collator.compare(left, right) : left - right;
const sortBy = (table, column, heading) => {
  const isNumber = heading.classList.contains("number");
  const before = heading.getAttribute("aria-sort");
  const first = isNumber ? "descending" : "ascending";
  const second = isNumber ? "ascending" : "descending";
  const now = before === first ? second : first;
  const sign = now === "ascending" ? 1 : -1;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => [keyOf(row, column), row]);
  rows.sort(([left], [right]) => {
    if (left === null || right === null) return (left === null) - (right === null);
    return sign * compare(left, right);
  });
  body.append(...rows.map(([, row]) => row));
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", now);
};
for (const table of document.querySelectorAll("table.sortable")) {
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, column, heading));
    heading.append(button);
  });
}
// On paper nothing can be unfolded.
let folded = [];
addEventListener("beforeprint", () => {
  folded = Array.from(document.querySelectorAll("details:not([open])"));
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});
