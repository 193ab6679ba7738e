"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  const PAGE_SIZE = 50;
  const PARSERS = Object.keys(data.parsers);
  const CHANGES = Object.fromEntries(Object.entries(data.change_words).map(([name, [title]]) => [name, title]));
  const DIRECTIONS = { stricter: "opened", laxer: "closed", raised: "raised" };
  const ACTS = "RobotsTxtMiddleware";
  const basisWord = Object.fromEntries(data.bases.map(([name, short]) => [name, short]));

  /* Strings of the data become text, never markup. */
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value) made.setAttribute(key, value === true ? "" : value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const fill = (parent, ...children) => parent.replaceChildren(...children.filter(Boolean));
  const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
  const shortName = (name) => (name === ACTS ? "Scrapy's middleware" : name.replace(/(.)RobotParser$/, "$1"));
  const code = (text) => element("code", {}, text);
  const sum = (numbers) => numbers.reduce((whole, it) => whole + it, 0);

  /* The address contains the state, so that each view has a link. */
  const EMPTY = { parser: PARSERS[0] || "", q: "", change: "", cause: "", basis: "", sort: "count", down: 1, page: 0, site: "" };
  let state = { ...EMPTY };
  const anchors = ["verdict", "next", "sites", "why", "how"];
  const readState = () => {
    const text = location.hash.slice(1);
    if (anchors.includes(text)) return;
    const given = new URLSearchParams(text);
    state = { ...EMPTY };
    for (const key of Object.keys(EMPTY)) {
      if (given.has(key)) state[key] = typeof EMPTY[key] === "number" ? Number(given.get(key)) || 0 : given.get(key);
    }
    if (!PARSERS.includes(state.parser)) state.parser = EMPTY.parser;
  };
  const hashOf = (changes) => `#${new URLSearchParams(Object.entries({ ...state, ...changes }).filter(([key, value]) => value !== EMPTY[key]))}`;
  const view = (changes) => hashOf({ ...EMPTY, parser: state.parser, ...changes });
  const go = (changes) => {
    state = { ...state, ...changes };
    history.replaceState(null, "", hashOf({}));
    render();
  };

  /* The verdict: how many sites change, in all and by what decides. */
  const asked = () => data.sites.filter(({ parsers }) => parsers[state.parser]);
  const impactOn = (site) => site.parsers[state.parser] || { agree: 0, stricter: 0, laxer: 0, raised: 0, change: "unchanged", cause: null };
  const tally = (sites, changeOf) => {
    const counts = Object.fromEntries(Object.keys(CHANGES).map((name) => [name, 0]));
    for (const site of sites) counts[changeOf(site)] += 1;
    return counts;
  };
  const now = (sites) => tally(sites, (site) => impactOn(site).change);
  const opens = (numbers) => numbers.opened + numbers.both;
  const closes = (numbers) => numbers.closed + numbers.both;
  const cells = (numbers) => Object.keys(CHANGES).map((name) => number(numbers[name]));
  const tag = (change) => element("span", { class: `tag ${change}` }, CHANGES[change]);
  const table = (parent, heads, rows, classes = []) => fill(parent,
    element("thead", {}, element("tr", {}, ...heads.map((it) => element("th", { scope: "col" }, it)))),
    element("tbody", {}, ...rows.map((texts, place) => element("tr", { class: classes[place] },
      ...texts.map((it, column) => element(column ? "td" : "th", column ? {} : { scope: "row" }, it))))));
  const showVerdict = () => {
    const changes = now(asked());
    const whole = asked().length;
    fill(byId("tiles"), element("p", { class: "of" }, `Of ${plural(whole, "site")}:`),
      ...Object.entries(CHANGES).map(([change, words]) => element("a", { class: `tile ${change}`, href: view({ change }) },
        element("b", {}, number(changes[change])), element("span", {}, words), element("small", {}, data.change_words[change][1]))));
    fill(byId("bar"), ...Object.keys(CHANGES).map((change) => {
      const part = element("span", { class: change });
      part.style.flexGrow = changes[change];
      return changes[change] ? part : null;
    }));
    byId("bar").setAttribute("aria-label", Object.entries(CHANGES).map(([change, words]) => `${number(changes[change])} ${words}`).join(", "));
    /* In a crawl, the middleware is replaced, not only its parser. */
    const name = data.source !== "files" && state.parser !== ACTS ? `the built-in middleware with ${shortName(state.parser)}` : shortName(state.parser);
    const known = data.parsers[state.parser]?.raised ? ", as far as is known," : "";
    let says = `With scrapy_robots1994 in place of ${name}, nothing${known} changes on any site.`;
    if (!whole) says = "Nothing was compared.";
    else if (whole > changes.unchanged) {
      says = `With scrapy_robots1994 in place of ${name}, ${/crawl|run/.test(data.source) ? "the crawl would" : "a crawl could"} request URLs on ` +
        `${plural(opens(changes), "site")} that are refused without it, and skip URLs on ${plural(closes(changes), "site")} that are allowed without it.`;
    }
    byId("sentence").textContent = says;
    const bases = data.bases.map(([basis, , words]) => [basis, words, asked().filter((it) => it.basis === basis)]).filter(([, , sites]) => sites.length);
    table(byId("bases"), ["what decides", ...Object.values(CHANGES)], bases.map(([basis, words, sites]) => [
      element("a", { href: view({ basis }) }, words), ...cells(now(sites))]));
    byId("bases-hint").textContent = data.source !== "files" ? "" :
      "Statuses (401, 403, 404, 5xx), failed fetches, and requests sent while robots.txt is on its way often change more. A dry run (ROBOTS1994_DRY_RUN) shows that; files alone do not.";
  };

  /* What to do next */
  const showAdvice = () => {
    const rows = data.dialects.map((dialect) => ({
      dialect, isNow: dialect === data.metadata.dialect, numbers: tally(asked(), (it) => it.parsers[state.parser].dialects[dialect]),
    }));
    const best = (worth) => rows.reduce((found, it) => (worth(it.numbers) > worth(found.numbers) ? it : found), rows[0]);
    const current = rows.find(({ isNow }) => isNow);
    const least = best((numbers) => -opens(numbers));
    const same = best((numbers) => numbers.unchanged);
    const notes = (row) => [row === current && "compared here", row === same && "fewest changes", row === least && "opens the fewest"].filter(Boolean);
    const setting = ({ dialect }) => code(`ROBOTS1994_DIALECT = "${dialect}"`);
    table(byId("dialects"), ["dialect", ...Object.values(CHANGES)], rows.map((row) => [
      element("span", {}, element("b", {}, row.dialect), " ", ...notes(row).map((it) => element("span", { class: "badge" }, it))),
      ...cells(row.numbers)]), rows.map((row) => row.isNow && "now"));
    const changes = now(asked());
    const item = (title, ...children) => element("li", {}, element("b", {}, title), ...children);
    if (changes.unchanged === asked().length) {
      fill(byId("advice"), changes.unchanged && !data.parsers[state.parser].raised ? item("Switch", ": no site changes.") : null);
      return;
    }
    const openings = (row) => `opens ${plural(opens(row.numbers), "site")} instead of ${number(opens(current.numbers))}`;
    const rest = (row) => `leaves ${number(row.numbers.unchanged)} unchanged instead of ${number(current.numbers.unchanged)}`;
    const byStatus = data.settings.flatMap(([line, statuses, bases]) => {
      const closed = closes(now(asked().filter(({ basis }) => bases.includes(basis))));
      return closed ? ["; ", code(line), ` for the ${number(closed)} closed by ${statuses}`] : [];
    });
    fill(byId("advice"),
      item("Keep it", " to follow the dialect as written, but first look at the ",
        element("a", { href: view({ sort: "opened" }) }, `${plural(opens(changes), "site")} that it opens`), "."),
      least === current ? null : item("Open less", ": ", setting(least), ` ${openings(least)}${least === same ? ` and ${rest(least)}` : ""}.`),
      same === current || least === same ? null : item("Change least", ": ", setting(same), ` ${rest(same)}, and ${openings(same)}.`),
      byStatus.length ? item("Close less", " in any dialect: ", ...byStatus.slice(1), ".") : null,
      data.source === "dry run" ? item("Switch", ": this was a dry run. Take ", code("ROBOTS1994_DRY_RUN"), " out of the settings.")
        : data.source === "crawl" ? null : item("Try it first", " without any effect: ", code("ROBOTS1994_DRY_RUN = True"), "."));
  };

  /* The sites */
  const rowsAbout = new Map(data.sites.map(({ site }) => [site, []]));
  for (const row of data.rows) rowsAbout.get(row.site)?.push(row);
  const searched = new Map(data.sites.map(({ site }) =>
    [site, [site, ...rowsAbout.get(site).flatMap(({ url, robot }) => [url, robot])].join("\n").toLowerCase()]));
  const titleOf = (cause) => data.cause_words[cause]?.[0] || "";
  /* `value` is the sort key, `show` the displayed value. With `down`, the largest comes first. */
  const COLUMNS = [
    { key: "site", head: "site", value: ({ site }) => site },
    { key: "change", head: "change", value: (site) => Object.keys(CHANGES).indexOf(impactOn(site).change), show: (site) => tag(impactOn(site).change), down: 1 },
    { key: "opened", head: "opened", value: (site) => impactOn(site).stricter, down: 1, style: "count" },
    { key: "closed", head: "closed", value: (site) => impactOn(site).laxer, down: 1, style: "count" },
    { key: "cause", head: "main cause", value: (site) => titleOf(impactOn(site).cause), show: (site) => titleOf(impactOn(site).cause) || "-" },
    { key: "basis", head: "decided by", value: ({ basis }) => basisWord[basis] },
  ];
  const byCount = { value: (site) => { const { stricter, laxer, raised } = impactOn(site); return stricter + laxer + raised; } };
  const chosen = () => {
    if (state.site) return [data.sites.filter(({ site }) => site === state.site), 0];
    const found = data.sites.filter(({ site }) => searched.get(site).includes(state.q.trim().toLowerCase()));
    const sites = found.filter((site) => {
      const { change, cause } = impactOn(site);
      return (!state.change || change === state.change || (state.change === "any" && change !== "unchanged"))
        && (!state.cause || cause === state.cause) && (!state.basis || site.basis === state.basis);
    });
    const { value } = COLUMNS.find(({ key }) => key === state.sort) || byCount;
    const sign = state.down ? -1 : 1;
    const keyed = sites.map((it) => [value(it), it]);
    keyed.sort(([a, one], [b, two]) => (a < b ? -sign : a > b ? sign : one.site < two.site ? -1 : 1));
    return [keyed.map(([, it]) => it), found.length - sites.length];
  };
  const showSites = () => {
    const [sites, others] = chosen();
    const pages = Math.max(Math.ceil(sites.length / PAGE_SIZE), 1);
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const first = state.page * PAGE_SIZE;
    const shown = sites.slice(first, first + PAGE_SIZE);
    fill(byId("rows").tBodies[0], ...shown.flatMap((site) => rowsOf(site, Boolean(state.site))));
    const of = sites.length === data.sites.length ? "" : ` of ${number(data.sites.length)}`;
    byId("shown").textContent = `${plural(sites.length, "site")}${of}` + (sites.length ? `, ${number(first + 1)} to ${number(first + shown.length)} shown` : "");
    const elsewhere = byId("elsewhere");
    elsewhere.hidden = !(state.change || state.cause || state.basis || state.q || state.site);
    let says = others ? `${plural(others, "more site")} without the filters.` : sites.length ? "" : "No listed site matches.";
    if (state.site) says = sites.length ? "One site is shown." : "This site is not listed.";
    const clear = element("button", { type: "button" }, others && state.q ? "Search in all sites" : "Show all sites");
    clear.addEventListener("click", () => go({ ...EMPTY, parser: state.parser, q: others ? state.q : "" }));
    fill(elsewhere, says, " ", clear);
    byId("page").textContent = `page ${number(state.page + 1)} of ${number(pages)}`;
    byId("previous").disabled = state.page === 0;
    byId("following").disabled = state.page >= pages - 1;
    for (const button of byId("rows").tHead.querySelectorAll("button")) {
      const head = button.parentElement;
      if (button.dataset.key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  };
  let nextId = 0;
  const rowsOf = (site, isOpen) => {
    const id = `detail-${nextId++}`;
    const opener = element("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": id }, site.site);
    const detail = element("tr", { id, class: "detail", hidden: true });
    const [first, ...others] = COLUMNS;
    const row = element("tr", { class: "site" }, element("th", { scope: "row", "data-head": first.head }, opener),
      ...others.map(({ head, style, value, show = value }) => element("td", { "data-head": head, class: style }, show(site))));
    const toggle = () => {
      if (!detail.firstChild) detail.append(element("td", { colspan: COLUMNS.length }, ...detailOf(site)));
      detail.hidden = !detail.hidden;
      opener.setAttribute("aria-expanded", String(!detail.hidden));
    };
    opener.addEventListener("click", toggle);
    if (isOpen) toggle();
    return [row, detail];
  };
  const detailOf = (site) => {
    const all = rowsAbout.get(site.site);
    const rows = all.filter(({ parser }) => parser === state.parser);
    const pairs = (row) => [
      ["scrapy_robots1994", row.ours], [row.parser === ACTS ? "its parser" : shortName(row.parser), `${row.says} it`], ["asked as", row.others_robot], ["Scrapy's middleware", row.did],
      ["cause", data.cause_words[row.cause].filter(Boolean).join(": ")],
      ["lines", row.lines.length ? `${row.lines.join(", ")} of ${number(site.lines)}, alone, make the same difference` : ""], ["also", row.also]];
    const parts = rows.map((row) => element("div", { class: "example" },
      element("p", {}, element("span", { class: `tag ${DIRECTIONS[row.way]}` }, DIRECTIONS[row.way]), " ", code(row.url), " as ", code(row.robot)),
      element("dl", { class: "verdicts" }, ...pairs(row).filter(([, text]) => text).flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]))));
    if (!rows.length) parts.push(element("p", { class: "hint" }, `${shortName(state.parser)} answers every question as scrapy_robots1994 does.`));
    if (all.length > rows.length) parts.push(element("p", { class: "hint" }, `${plural(all.length - rows.length, "more example")} for the other parsers.`));
    if (site.excerpt.length) parts.push(fileOf(site, new Set(rows.flatMap(({ lines }) => lines))));
    return [element("p", { class: "hint" }, element("a", { class: "permalink", href: view({ site: site.site }) }, "Link to this site")), ...parts];
  };
  const fileOf = (site, needed) => {
    const lines = [];
    let previous = 0;
    const gap = (count) => count > 0 && lines.push(element("span", { class: "gap" }, plural(count, "line")));
    for (const [place, text] of site.excerpt) {
      gap(place - previous - 1);
      lines.push(element(needed.has(place) ? "mark" : "span", { class: "line" }, element("span", { class: "at" }, String(place)), ` ${text}`));
      previous = place;
    }
    gap(site.lines - previous);
    return element("pre", { class: "file", tabindex: "0", role: "region", "aria-label": `robots.txt of ${site.site}` }, ...lines);
  };

  /* The causes of the examples */
  const showCauses = () => {
    const found = new Map();
    for (const { parser, cause, way } of data.rows) {
      if (parser !== state.parser) continue;
      if (!found.has(cause)) found.set(cause, { cause, opened: 0, closed: 0, raised: 0 });
      found.get(cause)[DIRECTIONS[way]] += 1;
    }
    const rows = [...found.values()].sort((a, b) => sum([b.opened, b.closed, b.raised]) - sum([a.opened, a.closed, a.raised]));
    byId("why-hint").textContent = rows.length ? "How often each cause occurs in the examples (a few for each site)." : "No answer differs.";
    table(byId("causes"), ["cause", "opened", "closed", "raised"], rows.map(({ cause, opened, closed, raised }) => [
      element("a", { class: "cause-name", href: view({ cause }) }, titleOf(cause)), ...[opened, closed, raised].map(number)]));
    table(byId("answers"), ["answers of", "agree", "stricter", "laxer", "raised", "agreement"], Object.entries(data.parsers).map(([name, { agree, stricter, laxer, raised }]) => {
      const numbers = [agree, stricter, laxer, raised];
      return [shortName(name), ...numbers.map(number), sum(numbers) ? `${((100 * agree) / sum(numbers)).toFixed(2)}%` : "-"];
    }));
  };

  const form = byId("filters");
  const render = () => {
    byId("parser").value = state.parser;
    for (const name of ["q", "change", "cause", "basis"]) {
      if (form.elements[name].value !== state[name]) form.elements[name].value = state[name];
    }
    showVerdict(); showAdvice(); showSites(); showCauses();
  };
  byId("subject").textContent = data.subject;
  byId("note").textContent = data.notes.join(" ");
  byId("note").hidden = !data.notes.length;
  fill(byId("parser"), ...PARSERS.map((name) => element("option", { value: name }, shortName(name))));
  byId("parser").addEventListener("change", (event) => go({ parser: event.target.value, page: 0 }));
  const options = (name, pairs) => fill(form.elements[name], ...[["", "all"], ...pairs].map(([value, text]) => element("option", { value: value || true }, text)));
  const causes = new Set(data.rows.map(({ cause }) => cause));
  options("change", [["any", "any change"], ...Object.entries(CHANGES)]);
  options("cause", Object.entries(data.cause_words).filter(([cause]) => causes.has(cause)).map(([cause, [title]]) => [cause, title]));
  options("basis", data.bases.filter(([name]) => data.sites.some(({ basis }) => basis === name)));
  for (const kind of ["input", "change"]) {
    form.addEventListener(kind, ({ target }) => {
      if (state[target.name] !== target.value) go({ [target.name]: target.value, page: 0, site: "" });
    });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  fill(byId("rows").tHead.rows[0], ...COLUMNS.map(({ key, head }) =>
    element("th", { scope: "col" }, element("button", { type: "button", "data-key": key }, head))));
  byId("rows").tHead.addEventListener("click", ({ target: { dataset: { key } } }) => {
    if (key) go({ sort: key, down: state.sort === key ? 1 - state.down : COLUMNS.find((it) => it.key === key).down || 0, page: 0 });
  });
  byId("previous").addEventListener("click", () => go({ page: state.page - 1 }));
  byId("following").addEventListener("click", () => go({ page: state.page + 1 }));
  fill(byId("metadata"), ...Object.entries(data.metadata).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  const arrive = () => {
    readState();
    render();
    if (!anchors.includes(location.hash.slice(1)) && location.hash.length > 1) byId("sites").scrollIntoView();
  };
  window.addEventListener("hashchange", arrive);
  arrive();
})();
