"use strict";
(() => {
  const table = document.getElementById("rows");
  const form = document.getElementById("filters");
  if (!table || !form) return;
  const rows = [...table.tBodies];
  const shown = document.getElementById("shown");

  const filter = () => {
    const text = form.elements.text.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const said = row.dataset;
      const hit = ["parser", "direction", "cause"].every(
        (name) => !form.elements[name].value || form.elements[name].value === said[name],
      ) && (!text || `${said.where}\n${said.url}\n${said.robot}`.toLowerCase().includes(text));
      row.hidden = !hit;
      count += hit;
    }
    shown.textContent = `${count} shown`;
  };

  const sort = (button) => {
    const head = button.closest("th");
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = button.dataset.key;
    const sign = down ? -1 : 1;
    rows.sort((a, b) => sign * a.dataset[key].localeCompare(b.dataset[key]));
    table.append(...rows);
  };

  const open = (button) => {
    const detail = document.getElementById(button.getAttribute("aria-controls"));
    detail.hidden = !detail.hidden;
    button.setAttribute("aria-expanded", String(!detail.hidden));
  };

  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  table.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) (button.dataset.key ? sort : open)(button);
  });
  filter();
})();
