"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const block = document.getElementById("details");
  const data = block ? JSON.parse(block.textContent) : {};

  // The details of the steps of a group are packed together: JSON, compressed, in Base64.
  const unpacked = new Map();
  const indexOf = (list, of) => Array.prototype.indexOf.call(list.children, of);
  const unpack = async (id, part) => {
    const bytes = Uint8Array.from(atob(data[id][part]), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };

  // fill puts the details of a step in place. They were made by the template that made the
  // page, which has escaped every text in them.
  const fill = async (li) => {
    const body = li.querySelector(".body"), id = li.closest(".steps").dataset.case;
    if (!data[id] || body.dataset.filled) return;
    body.dataset.filled = "yes";
    const group = li.parentElement, at = indexOf(group, li), part = indexOf(group.parentElement, group), key = id + " " + part;
    if (!unpacked.has(key)) unpacked.set(key, unpack(id, part));
    const details = (await unpacked.get(key))[at];
    if (details) body.innerHTML = details;
    else body.textContent = "The details of this step are left out: the file would be too large.";
  };
  document.addEventListener("toggle", (e) => {
    const li = e.target.open && e.target.parentElement;
    if (li && li.matches(".step")) fill(li);
  }, true);

  let current = null;
  const select = (li, open) => {
    if (current) {
      current.classList.remove("current");
      current.removeAttribute("aria-current");
    }
    current = li;
    li.classList.add("current");
    li.setAttribute("aria-current", "step");
    for (let e = li.parentElement; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (open) {
      fill(li);
      li.firstElementChild.open = true;
    }
    const cursor = li.closest(".case").querySelector(".lanes .cursor");
    if (cursor) {
      cursor.setAttribute("x1", li.dataset.x);
      cursor.setAttribute("x2", li.dataset.x);
      cursor.setAttribute("visibility", "visible");
    }
  };
  const go = (li) => {
    const opened = current && current.firstElementChild.open;
    if (opened && current !== li) current.firstElementChild.open = false;
    select(li, opened);
    li.querySelector("summary").focus({ preventScroll: true });
    li.scrollIntoView({ block: "nearest" });
    history.replaceState(null, "", "#" + li.id);
  };
  const shown = (li, by) => {
    do {
      const group = li.parentElement;
      if (by > 0) li = li.nextElementSibling || group.nextElementSibling?.firstElementChild;
      else li = li.previousElementSibling || group.previousElementSibling?.lastElementChild;
    } while (li && li.hidden);
    return li;
  };
  const first = () => Array.prototype.find.call(document.querySelectorAll(".case[data-status] .whole[open] .step"), (li) => !li.hidden);
  const step = (by, wanted) => {
    let li = current ? shown(current, by) : first();
    while (li && wanted && !wanted(li)) li = shown(li, by);
    if (li) go(li);
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.target.matches("input, textarea, select")) return;
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[e.key];
    if (by && (e.key.length === 1 || current)) step(by);
    else if (e.key === "f") step(1, (li) => li.matches(".bad, .good"));
    else return;
    e.preventDefault();
  });
  document.addEventListener("click", (e) => {
    const li = e.target.closest(".step");
    if (li) select(li, false);
    const button = e.target.closest(".step-prev, .step-next");
    if (!button) return;
    const list = button.closest(".case").querySelector(".steps");
    if (!current || !list.contains(current)) go(list.querySelector(".step"));
    else step(button.matches(".step-next") ? 1 : -1);
  });

  const arrive = () => {
    const at = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    if (at.matches(".step")) {
      if (at.hidden) at.hidden = false;
      select(at, true);
    } else if (at.matches(".case")) at.querySelector(".whole").open = true;
    at.scrollIntoView();
  };
  addEventListener("hashchange", arrive);

  const later = (fn) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(fn, 120);
    };
  };
  for (const article of document.querySelectorAll(".case")) {
    const text = article.querySelector(".step-filter"), marked = article.querySelector(".step-marked"), out = article.querySelector(".step-count");
    if (!text) continue;
    const filter = () => {
      const wanted = text.value.toLowerCase();
      let n = 0;
      for (const li of article.querySelectorAll(".step")) {
        li.hidden = marked.checked && !li.matches(".bad, .good") || wanted !== "" && !li.textContent.toLowerCase().includes(wanted);
        if (!li.hidden) n++;
      }
      out.textContent = wanted || marked.checked ? n + " shown" : "";
    };
    text.addEventListener("input", later(filter));
    marked.addEventListener("change", filter);
    text.form.addEventListener("submit", (e) => e.preventDefault());
  }
  const names = document.getElementById("case-filter");
  if (names) {
    const boxes = document.querySelectorAll(".case-status"), out = document.getElementById("case-count");
    const filter = () => {
      const wanted = names.value.toLowerCase(), statuses = new Set();
      for (const box of boxes) if (box.checked) statuses.add(box.value);
      let n = 0;
      for (const row of document.querySelectorAll(".index tbody tr")) {
        const hide = !statuses.has(row.dataset.status) || !row.textContent.toLowerCase().includes(wanted);
        row.hidden = hide;
        document.getElementById(row.dataset.case).hidden = hide;
        if (!hide) n++;
      }
      out.textContent = n + " shown";
    };
    names.addEventListener("input", later(filter));
    for (const box of boxes) box.addEventListener("change", filter);
    names.form.addEventListener("submit", (e) => e.preventDefault());
  }
  arrive();
})();
