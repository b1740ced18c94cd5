// What the documentation pages do beyond showing text: search, copy buttons, and this server's address in snippets.

const EXAMPLE_ORIGIN = "http://127.0.0.1:8080";
const MAX_RESULTS = 12;
const EXCERPT_LENGTH = 140;

function showOwnAddress(code) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    texts.currentNode.data = texts.currentNode.data.replaceAll(EXAMPLE_ORIGIN, location.origin);
  }
}

function addCopyButton(figure, code) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      // Without permission, or without TLS, there is no clipboard: select the text for the keyboard.
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  figure.append(button);
}

// The same in several languages: one is shown, the reader's choice on all pages. Without scripts all are.
const SHOWN_LANGUAGE = "south-seas-docs-language";
const groups = [...document.querySelectorAll(".tabs")];

function showLanguage(language) {
  for (const group of groups) {
    const figures = [...group.querySelectorAll("figure")];
    const shown = figures.find((figure) => figure.dataset.tab === language) ?? figures[0];
    for (const figure of figures) figure.hidden = figure !== shown;
    for (const tab of group.querySelectorAll("[role=tab]")) {
      tab.setAttribute("aria-selected", tab.textContent === shown.dataset.tab);
    }
  }
}

for (const group of groups) {
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  for (const figure of group.querySelectorAll("figure")) {
    const tab = Object.assign(document.createElement("button"), { type: "button", textContent: figure.dataset.tab });
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => {
      localStorage.setItem(SHOWN_LANGUAGE, tab.textContent);
      showLanguage(tab.textContent);
    });
    list.append(tab);
    figure.querySelector("figcaption").hidden = true;
  }
  group.prepend(list);
}
showLanguage(localStorage.getItem(SHOWN_LANGUAGE));

for (const code of document.querySelectorAll("figure > pre > code")) {
  showOwnAddress(code);
  addCopyButton(code.closest("figure"), code);
}

const box = document.querySelector("search");
const input = box.querySelector("input");
const results = box.querySelector(".results");
let loading;

async function loadIndex() {
  const [library, response] = await Promise.all([import(box.dataset.library), fetch(box.dataset.index)]);
  const sections = await response.json();
  const index = new library.default({
    fields: ["title", "page", "text"],
    storeFields: ["url", "page", "title", "text"],
    idField: "id",
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: (term) => (term.length > 5 ? 0.2 : false), combineWith: "AND" },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return index;
}

function excerptOf(text, terms) {
  const lower = text.toLowerCase();
  const hits = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const start = hits.length ? Math.max(0, Math.min(...hits) - 40) : 0;
  const part = text.slice(start, start + EXCERPT_LENGTH);
  return (start ? "… " : "") + part + (start + EXCERPT_LENGTH < text.length ? " …" : "");
}

function appendMarked(element, text, terms) {
  const pattern = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  text.split(new RegExp(`(${pattern})`, "i")).forEach((part, number) => {
    if (number % 2) {
      element.append(Object.assign(document.createElement("mark"), { textContent: part }));
    } else {
      element.append(part);
    }
  });
}

function resultLink({ url, page, title, text, terms }) {
  const link = Object.assign(document.createElement("a"), { href: url });
  const heading = document.createElement("b");
  heading.append(title === page ? page : `${page} › ${title}`);
  const excerpt = document.createElement("span");
  appendMarked(excerpt, excerptOf(text, terms), terms);
  link.append(heading, excerpt);
  return link;
}

async function showResults() {
  const query = input.value.trim();
  loading ??= loadIndex();
  results.hidden = !query;
  if (!query) return;
  if (!results.hasChildNodes()) results.textContent = "Loading…";
  let found;
  try {
    found = (await loading).search(query).slice(0, MAX_RESULTS);
  } catch {
    loading = undefined;
    results.textContent = "The search index cannot be loaded.";
    return;
  }
  if (input.value.trim() === query) {
    results.replaceChildren(...found.map(resultLink));
    if (!found.length) results.textContent = `Nothing found for “${query}”.`;
  }
}

function closeResults() {
  results.hidden = true;
}

function moveFocus(event, step) {
  const stops = [input, ...results.querySelectorAll("a")];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (next) {
    event.preventDefault();
    next.focus();
  }
}

input.addEventListener("input", showResults);
input.addEventListener("focus", showResults);

box.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") moveFocus(event, 1);
  if (event.key === "ArrowUp") moveFocus(event, -1);
  if (event.key === "Enter" && event.target === input) results.querySelector("a")?.click();
  if (event.key === "Escape") {
    input.focus();
    closeResults();
  }
});

results.addEventListener("click", closeResults);

document.addEventListener("pointerdown", (event) => {
  if (!box.contains(event.target)) closeResults();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea, select, [contenteditable]")) {
    event.preventDefault();
    input.focus();
  }
});

box.hidden = false;
