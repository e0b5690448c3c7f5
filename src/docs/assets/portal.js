// What pages can do more where scripts run: copy a sample, keep the language of samples, search. Without it everything can be read.
"use strict";
(() => {
  const { index, root } = document.currentScript.dataset;
  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // Copy: browsers offer the clipboard over https and on this machine only.
  if (navigator.clipboard) {
    for (const pre of document.querySelectorAll(".code pre")) {
      const button = element("button", { className: "copy", type: "button", textContent: "Copy" });
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(pre.innerText.trimEnd());
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 1500);
      });
      pre.parentElement.append(button);
    }
  }

  // The language chosen once holds for all samples, on later pages too.
  const storage = (() => {
    try {
      return window.localStorage;
    } catch {
      return null;
    }
  })();
  const tabs = [...document.querySelectorAll(".tabs > input")];
  const choose = (language) => {
    for (const tab of tabs) if (tab.dataset.language === language) tab.checked = true;
  };
  const kept = storage?.getItem("docs-language");
  if (kept) choose(kept);
  for (const tab of tabs)
    tab.addEventListener("change", () => {
      const { top } = tab.parentElement.getBoundingClientRect();
      choose(tab.dataset.language);
      window.scrollBy(0, tab.parentElement.getBoundingClientRect().top - top);
      storage?.setItem("docs-language", tab.dataset.language);
    });

  // Search over titles and first sentences.
  const input = element("input", { type: "search", placeholder: "Search  /", autocomplete: "off", spellcheck: false });
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-label", "Search the documentation");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", "found");
  const list = element("ul", { id: "found", hidden: true });
  list.setAttribute("role", "listbox");
  document.querySelector(".top nav").before(element("div", { className: "search" }, input, list));
  let pages = null;
  let at = -1;

  const weigh = ({ title, summary }, words) => {
    const [name, text] = [title.toLowerCase(), summary.toLowerCase()];
    const weights = words.map((word) => (name.startsWith(word) ? 4 : name.includes(word) ? 3 : text.includes(word) ? 1 : 0));
    return weights.includes(0) ? 0 : weights.reduce((sum, one) => sum + one, 0);
  };
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found =
      words.length === 0 || pages === null
        ? []
        : pages.map((page) => ({ page, weight: weigh(page, words) })).filter(({ weight }) => weight > 0);
    found.sort((a, b) => b.weight - a.weight || a.page.title.length - b.page.title.length);
    const items = found.slice(0, 8).map(({ page }) => {
      const link = element(
        "a",
        { href: root + page.place, tabIndex: -1 },
        element("b", { textContent: page.title }),
        element("span", { textContent: page.summary }),
      );
      const item = element("li", {}, link);
      item.setAttribute("role", "option");
      return item;
    });
    if (words.length > 0 && items.length === 0 && pages !== null)
      items.push(element("li", { className: "none", textContent: "Nothing found" }));
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    move(0);
  };
  const move = (to) => {
    const links = [...list.querySelectorAll("a")];
    at = Math.max(0, Math.min(links.length - 1, to));
    links.forEach((link, number) => link.parentElement.setAttribute("aria-selected", String(number === at)));
  };
  const load = async () => {
    if (pages !== null) return;
    pages = [];
    try {
      pages = await (await window.fetch(index)).json();
    } catch {
      pages = null;
    }
    show();
  };
  input.addEventListener("focus", load);
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") list.querySelectorAll("a")[at]?.click();
    else if (event.key === "Escape") {
      input.value = "";
      show();
      input.blur();
    }
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) return;
    event.preventDefault();
    input.focus();
  });
})();
