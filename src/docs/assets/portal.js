// What pages can do more where scripts run: copy a sample, put a key into the samples, keep the language of samples and the theme, search.
// Without it everything can be read.
"use strict";
(() => {
  const { search: library, index, root, console: consoleAddress, operations } = document.currentScript.dataset;
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

  // A key for the samples of this page, made for a reader who is signed in to the console. Only the page has it: no storage of the browser and no
  // address holds it, so another page asks again and gets another key. What was copied works for its hour, and never again: a key that has expired
  // is used anew with a new secret, after the old one has ended.
  const keyName = "Documentation";
  const hourMs = 3_600_000;
  const call = async (method, path, token, body) => {
    const headers = { ...(body && { "content-type": "application/json" }), ...(token && { "x-svc-csrf": token }) };
    const reply = await window.fetch(`${root}v1/auth/${path}`, { method, headers, body: body && JSON.stringify(body) });
    const answer = await reply.json();
    return reply.ok ? answer : Promise.reject(Object.assign(new Error(answer.error?.message), { status: reply.status }));
  };
  const makeKey = async () => {
    const { csrf_token: token } = await call("GET", "session");
    const allowed = { allowed_operations: operations.split(" "), expires_at: new Date(Date.now() + hourMs).toISOString() };
    const { data } = await call("GET", "keys");
    const expired = data.find(
      ({ name, enabled, expires_at: until, allowed_operations: may }) =>
        name === keyName && enabled && Date.parse(until) < Date.now() && may?.every((one) => allowed.allowed_operations.includes(one)),
    );
    if (!expired) return (await call("POST", "keys", token, { name: keyName, ...allowed })).api_key;
    const { api_key: key } = await call("POST", `keys/${expired.id}/roll`, token, { grace_seconds: 0 });
    await call("PATCH", `keys/${expired.id}`, token, allowed);
    return key;
  };
  // As the samples of each language name a key.
  const keyForms = /\$SVC_KEY\b|(?<=\bSVC_KEY=)svc_…|process\.env\.SVC_KEY\b|os\.environ\["SVC_KEY"\]|\{os\.environ\['SVC_KEY'\]\}/g;
  const isText = (form) => /^[po]/.test(form);
  // A form may stand in several elements, since code is coloured.
  const putInto = (pre, key) => {
    const found = [...pre.textContent.matchAll(keyForms)];
    for (const { 0: form, index: from } of found.reverse()) {
      const walker = document.createTreeWalker(pre, window.NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      for (let at = 0; walker.nextNode();) {
        const { currentNode: node } = walker;
        const end = at + node.length;
        if (from >= at && from < end) range.setStart(node, from - at);
        if (from + form.length > at && from + form.length <= end) range.setEnd(node, from + form.length - at);
        at = end;
      }
      range.deleteContents();
      range.insertNode(element("mark", { textContent: isText(form) ? JSON.stringify(key) : key }));
    }
  };
  const samples = [...document.querySelectorAll(".code pre")].filter((pre) => pre.textContent.search(keyForms) >= 0);
  if (consoleAddress && samples.length > 0) {
    const said = element("span", {}, "Signed in to the console?");
    said.setAttribute("role", "status");
    const button = element("button", { type: "button", textContent: "Make a key for these samples" });
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const key = await makeKey();
        for (const pre of samples) putInto(pre, key);
        said.textContent = `The samples on this page now have a key that expires in an hour. Only this page has it; the console lists it as ${keyName}.`;
        button.remove();
      } catch (error) {
        button.disabled = false;
        const signIn = element("a", { href: consoleAddress, textContent: "sign in to the console" });
        if (error.status === 401) said.replaceChildren("For a key, first ", signIn, ".");
        else said.textContent = error.message || "The key could not be made. Try again.";
      }
    });
    const first = samples[0].closest(".tabs") ?? samples[0].closest(".code");
    first.before(element("p", { className: "sample-key" }, said, " ", button));
  }

  const storage = (() => {
    try {
      return window.localStorage;
    } catch {
      return null;
    }
  })();

  // The language chosen once holds for all samples, on later pages too. "Python · openai" is Python for a page that has one sample of it.
  const tabs = [...document.querySelectorAll(".tabs > input")];
  const languageOf = (name) => name.split(" · ")[0];
  const choose = (language) => {
    for (const group of new Set(tabs.map(({ name }) => name))) {
      const own = tabs.filter(({ name }) => name === group);
      const alike = own.filter((tab) => languageOf(tab.dataset.language) === languageOf(language));
      // Among two samples of the language the one that is shown stays.
      const tab = own.find(({ dataset }) => dataset.language === language) ?? alike.find(({ checked }) => checked) ?? alike[0];
      if (tab) tab.checked = true;
    }
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

  // The theme: the system's, light, dark. The console of this gateway keeps its choice under the same name.
  const themes = {
    system: "M3 4h18v12H3zM8 20h8M12 16v4",
    light: "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
    dark: "M20 14.5A8.5 8.5 0 0 1 9.5 4A8.5 8.5 0 1 0 20 14.5z",
  };
  const html = document.documentElement;
  const themeButton = element("button", { type: "button", className: "theme-button" });
  const drawn = (path) => {
    const made = (tag, attributes) => {
      const one = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
      return one;
    };
    const svg = made("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
    svg.append(made("path", { d: path }));
    return svg;
  };
  const nameTheme = () => {
    const theme = html.dataset.theme ?? "system";
    themeButton.title = `Theme: ${theme}`;
    themeButton.setAttribute("aria-label", themeButton.title);
    themeButton.replaceChildren(drawn(themes[theme]));
  };
  themeButton.addEventListener("click", () => {
    const names = Object.keys(themes);
    const next = names[(names.indexOf(html.dataset.theme ?? "system") + 1) % names.length];
    if (next === "system") delete html.dataset.theme;
    else html.dataset.theme = next;
    storage?.setItem("console-theme", next);
    nameTheme();
    document.dispatchEvent(new window.Event("theme"));
  });
  nameTheme();
  document.querySelector(".menu-button").before(themeButton);

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
    const words = input.value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const telling = words.filter((word) => !empty.has(word));
    return (telling.length > 0 ? telling : words).slice(0, 12).join(" ");
  };
  // A guide explains what the pages of codes and operations only mention.
  const weights = { guide: 2, operation: 1, error: 1, page: 1.5 };
  const options = {
    prefix: true,
    fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    weights: { prefix: 0.5, fuzzy: 0.1 },
    bm25: { k: 1.2, b: 0.2, d: 0.5 },
    boost: { title: 4, headings: 2, summary: 2 },
    boostDocument: (_id, _word, { kind }) => weights[kind],
  };
  const find = (words) => {
    const all = pages.search(words, { ...options, combineWith: "AND" });
    const found = all.length > 0 ? all : pages.search(words, options);
    // Of one guide the best two sections: others answer as well.
    const counts = {};
    return found.filter(({ place }) => {
      const [path] = place.split("#");
      counts[path] = (counts[path] ?? 0) + 1;
      return counts[path] <= 2;
    });
  };
  const kinds = { guide: "Guide", operation: "Operation", error: "Error", page: "Reference" };
  const show = () => {
    const words = asked();
    const found = words === "" || pages === null ? [] : find(words);
    const shown = found.slice(0, 8).map(({ title, summary, place, kind }, number) => {
      const option = element(
        "a",
        { href: root + place, tabIndex: -1, id: `found-${number}` },
        element("b", { textContent: title }),
        element("i", { textContent: kinds[kind] }),
        element("span", { textContent: summary }),
      );
      option.setAttribute("role", "option");
      return option;
    });
    list.replaceChildren(...shown);
    list.hidden = shown.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    const isVain = words !== "" && shown.length === 0 && pages !== null;
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
  // MiniSearch and its index come when a reader begins to search. A load that failed is tried again with the next key.
  let loading = null;
  const load = () => {
    loading ??= (async () => {
      const [text] = await Promise.all([
        window.fetch(index).then((reply) => (reply.ok ? reply.text() : Promise.reject(reply))),
        run(library),
      ]);
      pages = window.MiniSearch.loadJSON(text, {
        fields: ["title", "headings", "summary", "text"],
        storeFields: ["title", "summary", "place", "kind"],
      });
      show();
    })().catch(() => void (loading = null));
  };
  const run = (src) => new Promise((resolve, reject) => document.head.append(element("script", { src, onload: resolve, onerror: reject })));
  input.addEventListener("focus", load);
  input.addEventListener("input", () => {
    load();
    show();
  });
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
    if (event.target.closest(".search")) return;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
  });
  document.addEventListener("keydown", (event) => {
    const { activeElement: at } = document;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || at?.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at?.tagName))
      return;
    event.preventDefault();
    input.focus();
  });
})();
