"use strict";
// Buttons are added here and not in the markup: without scripts there is none that does nothing.
const made = (tag, text = "", className = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
};

// Sorting.
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

// Examples: read when the first of them is asked for, drawn a few at a time, always as text.
const A_TIME = 3;
let shelves = null;
const examplesOf = (shelf, rows) => {
  shelves ??= JSON.parse(document.getElementById("examples").textContent);
  return rows.split(" ").map((place) => shelves[shelf][Number(place)]);
};
const scoresTable = (scores) => {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const [label, isNumber] of scores.columns) {
    const heading = made("th", label, isNumber ? "number" : "");
    heading.scope = "col";
    head.append(heading);
  }
  const body = table.createTBody();
  for (const row of scores.rows) {
    body.insertRow().append(
      ...row.map((text, i) => made("td", text, scores.columns[i][1] ? "number" : "")),
    );
  }
  const box = made("div", "", "scroll");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Scores");
  box.append(table);
  return box;
};
const drawn = (example) => {
  const box = made("article", "", "example");
  box.append(made("p", example.title, "title"));
  if (example.lines) {
    const list = document.createElement("dl");
    for (const [name, text] of example.lines) {
      const pair = document.createElement("div");
      pair.append(made("dt", name), made("dd", text));
      list.append(pair);
    }
    box.append(list);
  }
  if (example.choices) {
    const list = made("ul", "", "choices");
    for (const [answer, tags, isChosen] of example.choices) {
      const item = made("li", answer, isChosen ? "chosen" : "");
      if (isChosen) item.append(made("span", "model’s answer", "tag"));
      item.append(...tags.map((tag) => made("span", tag, "tag")));
      list.append(item);
    }
    box.append(list);
  }
  if (example.scores) box.append(scoresTable(example.scores));
  return box;
};
const fill = (box, { shelf, rows, behind }) => {
  const examples = examplesOf(shelf, rows);
  const said = made("p", "", "footnote");
  said.setAttribute("role", "status");
  const more = made("button", "Show more", "more");
  more.type = "button";
  let shown = 0;
  const next = () => {
    const added = examples.slice(shown, shown + A_TIME).map(drawn);
    more.before(...added);
    shown += added.length;
    const held = Number(behind) > examples.length ? `; the page holds ${examples.length} of them` : "";
    said.textContent = `${shown} of ${behind} ${behind === "1" ? "example" : "examples"} shown${held}.`;
    more.hidden = shown === examples.length;
    return added;
  };
  more.addEventListener("click", () => {
    const [first] = next();
    first.tabIndex = -1;
    first.focus();
  });
  box.replaceChildren(said, more);
  next();
};
for (const details of document.querySelectorAll("details.examples")) {
  const fillOnce = () => {
    if (details.open && !details.dataset.filled) {
      details.dataset.filled = "yes";
      fill(details.querySelector(".folded"), details.dataset);
    }
  };
  details.fill = fillOnce;
  details.addEventListener("toggle", fillOnce);
}
const dialog = document.getElementById("drill");
const title = document.getElementById("drill-title");
for (const place of document.querySelectorAll("span.drill")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...place.childNodes);
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-label", `${button.textContent}, examples behind it`);
  button.addEventListener("click", () => {
    title.textContent = place.dataset.of;
    fill(dialog.querySelector(".drilled"), place.dataset);
    dialog.showModal();
    dialog.scrollTop = 0;
    title.focus();
  });
  place.append(button);
}
dialog.querySelector(".close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

// On paper nothing can be unfolded.
let folded = [];
addEventListener("beforeprint", () => {
  folded = Array.from(document.querySelectorAll("details:not([open])"));
  for (const one of folded) {
    one.open = true;
    one.fill?.();
  }
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});
