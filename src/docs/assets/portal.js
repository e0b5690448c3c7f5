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

  // Search over titles, headings and texts.
  const input = element("input", { type: "search", placeholder: "Search  /", autocomplete: "off", spellcheck: false });
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-label", "Search the documentation");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", "found");
  const list = element("div", { id: "found", className: "found", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Pages found");
  const told = element("p", { className: "told" });
  told.setAttribute("role", "status");
  document.querySelector(".top > nav").before(element("div", { className: "search" }, input, list, told));
  let pages = null;
  let at = -1;

  // Words that a question is made of say nothing of what it is about.
  const empty = new Set(
    "a an and are can do does for from get how i in is it me my of on or the to use what when where which why with you".split(" "),
  );
  const asked = () => {
    const words = input.value.toLowerCase().match(/\w+/g) ?? [];
    const telling = words.filter((word) => !empty.has(word));
    return telling.length > 0 ? telling : words;
  };
  const weigh = ({ title, summary, headings, words: text, isGuide }, words) => {
    const [name, head, first] = [title, headings, summary].map((one) => one.toLowerCase());
    const weigh = (word) =>
      name.startsWith(word)
        ? 8
        : name.includes(word)
          ? 6
          : head.includes(word)
            ? 3
            : first.includes(word)
              ? 3
              : text.includes(` ${word}`)
                ? 1
                : 0;
    const weights = words.map(weigh);
    // A guide explains what the pages of codes and operations only mention.
    return weights.includes(0) ? 0 : weights.reduce((sum, one) => sum + one, isGuide ? 5 : 0);
  };
  const show = () => {
    const words = asked();
    const found =
      words.length === 0 || pages === null
        ? []
        : pages.map((page) => ({ page, weight: weigh(page, words) })).filter(({ weight }) => weight > 0);
    found.sort((a, b) => b.weight - a.weight || b.page.isGuide - a.page.isGuide || a.page.title.length - b.page.title.length);
    const options = found.slice(0, 8).map(({ page }, number) => {
      const option = element(
        "a",
        { href: root + page.place, tabIndex: -1, id: `found-${number}` },
        element("b", { textContent: page.title }),
        element("span", { textContent: page.summary }),
      );
      option.setAttribute("role", "option");
      return option;
    });
    list.replaceChildren(...options);
    list.hidden = options.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    const isVain = words.length > 0 && options.length === 0 && pages !== null;
    told.textContent = isVain ? "Nothing found" : "";
    move(0);
  };
  const move = (to) => {
    const links = [...list.querySelectorAll("a")];
    at = Math.max(0, Math.min(links.length - 1, to));
    links.forEach((link, number) => link.setAttribute("aria-selected", String(number === at)));
    if (at in links) input.setAttribute("aria-activedescendant", links[at].id);
    else input.removeAttribute("aria-activedescendant");
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
    const { activeElement: at } = document;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || at?.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at?.tagName))
      return;
    event.preventDefault();
    input.focus();
  });
})();
