"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  const PAGE_SIZE = 50;
  const OPENED = 0, CLOSED = 1, RAISED = 2;
  const CHANGE_WORDS = ["unchanged", "only opened", "only closed", "both"];
  const WAY_WORDS = ["opened", "closed", "raised"];
  const BASIS_WORDS = {
    text: "file", 401: "HTTP 401", 403: "HTTP 403", 404: "HTTP 404",
    "4xx": "other 4xx", "5xx": "HTTP 5xx", failure: "no answer",
  };
  const BASIS_LONG = {
    text: "by the file's text", 401: "by status 401", 403: "by status 403",
    404: "by status 404", "4xx": "by another 4xx", "5xx": "by a status 5xx",
    failure: "by a failed fetch",
  };

  /* Text alone is ever put into the page: no string of the data becomes markup. */
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (key === "class") made.className = value;
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const fill = (parent, ...children) => parent.replaceChildren(...children.filter(Boolean));
  const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
  const parserName = (place) => data.parsers[place]?.replace(/(.)RobotParser$/, "$1") || "another parser";

  /* The state is what the address says after its #, so that each view is a link. */
  const EMPTY = { parser: 0, q: "", change: "", cause: "", basis: "", sort: "count", down: 1, page: 0, site: "" };
  let state = { ...EMPTY };
  const anchors = ["verdict", "next", "sites", "why", "how"];
  const readState = () => {
    const text = location.hash.slice(1);
    if (anchors.includes(text)) return;
    const given = new URLSearchParams(text);
    state = { ...EMPTY };
    for (const key of Object.keys(EMPTY)) {
      if (!given.has(key)) continue;
      state[key] = typeof EMPTY[key] === "number" ? Number(given.get(key)) || 0 : given.get(key);
    }
    state.parser = Math.max(data.parsers.indexOf(given.get("parser")), 0);
  };
  const hashOf = (changes) => {
    const next = { ...state, ...changes };
    const said = new URLSearchParams();
    for (const [key, value] of Object.entries(next)) {
      if (value === EMPTY[key]) continue;
      said.set(key, key === "parser" ? data.parsers[value] : value);
    }
    return `#${said}`;
  };
  const go = (changes) => {
    state = { ...state, ...changes };
    history.replaceState(null, "", hashOf({}));
    render();
  };

  /* The verdict */
  const tag = (change) => element("span", { class: `tag ${data.changes[change]}` }, CHANGE_WORDS[change]);
  const showVerdict = () => {
    const impact = data.impact[state.parser] || [0, 0, 0, 0];
    const whole = impact.reduce((sum, it) => sum + it, 0);
    const [, opened, closed, both] = impact;
    const help = ["no URL changes", "URLs become allowed", "URLs become refused", "some URLs of each"];
    fill(byId("tiles"), element("p", { class: "of" }, `Of ${plural(whole, "site")}:`),
      ...impact.map((count, place) => element("a", {
        class: `tile ${data.changes[place]}`, href: hashOf({ ...EMPTY, parser: state.parser, change: data.changes[place] }),
      }, element("b", {}, number(count)), element("span", {}, CHANGE_WORDS[place]), element("small", {}, help[place]))));
    fill(byId("bar"), ...impact.map((count, place) => {
      const part = element("span", { class: data.changes[place] });
      part.style.flexGrow = count;
      return count ? part : null;
    }));
    byId("bar").setAttribute("aria-label", impact.map((it, place) => `${number(it)} ${CHANGE_WORDS[place]}`).join(", "));
    const name = parserName(state.parser);
    const sites = (count) => plural(count, "site");
    let says = `With scrapy_robots1994 in place of ${name}, nothing changes on any site.`;
    if (!whole) says = "Nothing was compared.";
    else if (opened + closed + both) {
      says = `With scrapy_robots1994 in place of ${name}, the crawl would request URLs on ${sites(opened + both)} ` +
        `that ${name} refuses, and would skip URLs on ${sites(closed + both)} that ${name} allows.`;
    }
    byId("sentence").textContent = says;
    const said = Object.fromEntries(data.metadata);
    byId("setup").textContent = [`${said.dialect}, ${said.reading} reading`, `robot: ${said.robot}`, said.versions, said.made].filter(Boolean).join(" \u00b7 ");
    byId("questions").textContent = data.kind;
    const rows = data.bases.map((basis, place) => [basis, data.impactBy[state.parser]?.[place] || []])
      .filter(([, counts]) => counts.some(Boolean));
    const isTextAlone = rows.every(([basis]) => basis === "text");
    byId("bases").hidden = isTextAlone;
    if (!isTextAlone) {
      table(byId("bases"), ["decided", ...CHANGE_WORDS], rows.map(([basis, counts]) => [BASIS_LONG[basis], ...counts.map(number)]));
    }
    byId("bases-hint").textContent = data.hasAnswers ? "" :
      "Files alone were compared: what statuses (401, 403, 404, 5xx) and failed fetches change is not known here, and often it is more. " +
      "A comparison in a crawl (ROBOTS1994_COMPARE) or of WARC files shows it.";
  };
  const table = (parent, heads, rows, classes = []) => fill(parent,
    element("thead", {}, element("tr", {}, ...heads.map((it) => element("th", { scope: "col" }, it)))),
    element("tbody", {}, ...rows.map((cells, place) => element("tr", { class: classes[place] || false },
      ...cells.map((it, column) => element(column ? "td" : "th", column ? {} : { scope: "row" }, it))))));

  const settingsOf = ([dialect, reading]) =>
    [`ROBOTS1994_DIALECT = "${dialect}"`, reading === "literal" ? "" : `ROBOTS1994_READING = "${reading}"`].filter(Boolean).join(", ");
  const showAdvice = () => {
    const all = data.impactIn[state.parser] || [];
    const seen = new Set();
    const rows = all.map((counts, place) => ({ counts, place, name: data.variants[place].join(", ") }))
      .filter(({ counts, place }) => {
        /* A reading that makes no difference in its dialect has no row of its own. */
        const key = `${data.variants[place][0]} ${counts}`;
        const isNew = !seen.has(key) || place === data.variant;
        seen.add(key);
        return isNew;
      });
    const opens = ({ counts }) => counts[1] + counts[3];
    const least = rows.reduce((best, it) => (opens(it) < opens(best) ? it : best), rows[0]);
    const same = rows.reduce((best, it) => (it.counts[0] > best.counts[0] ? it : best), rows[0]);
    const now = rows.find(({ place }) => place === data.variant);
    const notes = (row) => [row === now && "compared here", row === same && "fewest changes", row === least && "opens the fewest sites"].filter(Boolean);
    table(byId("variants"), ["dialect and reading", ...CHANGE_WORDS, "settings.py"],
      rows.map((row) => [
        element("span", {}, element("b", {}, row.name), " ", ...notes(row).map((it) => element("span", { class: "badge" }, it))),
        ...row.counts.map(number), element("code", {}, settingsOf(data.variants[row.place])),
      ]), rows.map((row) => (row === now ? "now" : "")));
    const changed = data.impact[state.parser]?.slice(1).reduce((sum, it) => sum + it, 0);
    const advice = byId("advice");
    if (!changed) { fill(advice, element("li", {}, "Switch: no site changes.")); return; }
    const code = (row) => element("code", {}, settingsOf(data.variants[row.place]));
    const item = (...children) => element("li", {}, ...children);
    const openings = (row) => `opens ${plural(opens(row), "site")} instead of ${number(opens(now))}`;
    const rest = (row) => `leaves ${number(row.counts[0])} unchanged instead of ${number(now.counts[0])}`;
    const isBoth = least === same;
    fill(advice,
      item(element("b", {}, "Keep it"), " to follow the dialect as written: see first the ", element("a", {
        href: hashOf({ ...EMPTY, parser: state.parser, sort: "opened" }) }, `${plural(opens(now), "site")} that it opens`), "."),
      least === now ? null : item(element("b", {}, "Open less"), ": ", code(least), ` ${openings(least)}${isBoth ? ` and ${rest(least)}` : ""}.`),
      same === now || isBoth ? null : item(element("b", {}, "Change least"), ": ", code(same), ` ${rest(same)}, and ${openings(same)}.`),
      item(element("b", {}, "Try it first"), " without any effect: ", element("code", {}, "ROBOTS1994_DRY_RUN = True"), "."));
  };

  /* The sites */
  const COUNT = (site) => site[3][state.parser] || [0, 0, 0, 0, 0, -1];
  const searched = data.sites.map((site) =>
    [site[0], ...site[4].flatMap((it) => [it[2], it[3]])].join("\n").toLowerCase());
  const KEYS = {
    count: (site) => { const [, opened, closed, raised] = COUNT(site); return opened + closed + raised; },
    site: (site) => site[0],
    change: (site) => COUNT(site)[0],
    opened: (site) => COUNT(site)[1],
    closed: (site) => COUNT(site)[2],
    cause: (site) => data.causes[COUNT(site)[5]]?.[1] || "",
    basis: (site) => data.bases[site[1]],
  };
  const chosen = () => {
    const text = state.q.trim().toLowerCase();
    const isFound = (site, place) => !text || searched[place].includes(text);
    if (state.site) return { sites: data.sites.filter((it) => it[0] === state.site), others: 0 };
    let others = 0;
    const sites = data.sites.filter((site, place) => {
      if (!isFound(site, place)) return false;
      const [change, , , , , cause] = COUNT(site);
      const fits = (!state.change || data.changes[change] === state.change || (state.change === "any" && change > 0))
        && (!state.cause || data.causes[cause]?.[0] === state.cause)
        && (!state.basis || data.bases[site[1]] === state.basis);
      others += !fits;
      return fits;
    });
    const key = KEYS[state.sort] || KEYS.count;
    const sign = state.down ? -1 : 1;
    const keyed = sites.map((site) => [key(site), site]);
    keyed.sort(([a, one], [b, two]) => (a < b ? -sign : a > b ? sign : one[0] < two[0] ? -1 : 1));
    return { sites: keyed.map(([, site]) => site), others };
  };
  const showSites = () => {
    const { sites, others } = chosen();
    const pages = Math.max(Math.ceil(sites.length / PAGE_SIZE), 1);
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const first = state.page * PAGE_SIZE;
    const shown = sites.slice(first, first + PAGE_SIZE);
    fill(byId("rows").tBodies[0], ...shown.flatMap((site) => rowsOf(site, Boolean(state.site))));
    const of = sites.length === data.sites.length ? "" : ` of ${number(data.sites.length)}`;
    fill(byId("shown"), `${plural(sites.length, "site")}${of}` + (sites.length ? `, ${number(first + 1)} to ${number(first + shown.length)} shown` : ""));
    const elsewhere = byId("elsewhere");
    const isFiltered = state.change || state.cause || state.basis || state.q || state.site;
    elsewhere.hidden = !isFiltered;
    const more = data.unlisted ? ` ${number(data.unlisted)} further sites are counted but not listed.` : "";
    let says = "";
    if (state.site) says = sites.length ? "One site is shown." : "This site is not listed.";
    else if (!sites.length && others) says = `No site of this selection; ${plural(others, "site")} match the search without the filters.`;
    else if (!sites.length) says = "No listed site matches.";
    else if (others) says = `${plural(others, "more site")} match the search without the filters.`;
    const clear = element("button", { type: "button" }, state.q && !state.site ? "Search in all sites" : "Show all sites");
    clear.addEventListener("click", () => go({ ...EMPTY, parser: state.parser, q: state.site ? "" : (others ? state.q : "") }));
    fill(elsewhere, says + more, " ", clear);
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
    const [change, opened, closed, raised, , cause] = COUNT(site);
    const id = `detail-${nextId++}`;
    const opener = element("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": id }, site[0]);
    const detail = element("tr", { id, class: "detail", hidden: true });
    const row = element("tr", { class: "site" },
      element("th", { scope: "row", "data-head": "site" }, opener),
      element("td", { "data-head": "change" }, tag(change)),
      element("td", { "data-head": "opened", class: "count" }, number(opened)),
      element("td", { "data-head": "closed", class: "count" }, number(closed) + (raised ? ` (+${number(raised)} raised)` : "")),
      element("td", { "data-head": "main cause" }, data.causes[cause]?.[1] || "-"),
      element("td", { "data-head": "decided by" }, BASIS_WORDS[data.bases[site[1]]]));
    const toggle = () => {
      if (!detail.firstChild) detail.append(element("td", { colspan: 6 }, ...detailOf(site)));
      detail.hidden = !detail.hidden;
      opener.setAttribute("aria-expanded", String(!detail.hidden));
    };
    opener.addEventListener("click", toggle);
    if (isOpen) toggle();
    return [row, detail];
  };
  const documented = (page, id, text) => data.documentation
    ? element("a", { href: `${data.documentation}/${page}#${id.toLowerCase()}` }, text) : text;
  const clauseOf = (clause) => (clause.startsWith("1994") && !data.documentation
    ? element("a", { href: "https://www.robotstxt.org/orig.html" }, clause) : documented("clauses.html", clause.split(",")[0].split(" ").pop(), clause));
  const detailOf = (site) => {
    const link = element("p", { class: "hint" }, element("a", { class: "permalink", href: hashOf({ ...EMPTY, parser: state.parser, site: site[0] }) }, "Link to this site"));
    const examples = site[4].filter(([parser]) => parser === state.parser);
    const others = site[4].length - examples.length;
    const parts = examples.map(([parser, way, url, robot, cause, ours, theirs, needed]) => element("div", { class: "example" },
      element("p", {}, element("span", { class: `tag ${WAY_WORDS[way]}` }, WAY_WORDS[way]), " ", element("code", {}, url), " as ", element("code", {}, robot)),
      element("dl", { class: "verdicts" },
        element("dt", {}, "scrapy_robots1994"), element("dd", {}, ours || "not explained: time ran out"),
        element("dt", {}, data.parsers[parser]), element("dd", {}, `${theirs} it`),
        element("dt", {}, "cause"), element("dd", {}, `${data.causes[cause][1]}. ${data.causes[cause][2]} `,
          data.causes[cause][3] ? clauseOf(data.causes[cause][3]) : null,
          needed.length ? ` Lines ${needed.join(", ")} of ${number(site[6])} are needed for it.` : ""))));
    if (!examples.length) parts.push(element("p", { class: "hint" }, `${parserName(state.parser)} answers every question as we do.`));
    if (others) parts.push(element("p", { class: "hint" }, `${plural(others, "more example")} for the other parsers.`));
    for (const [code, line, text] of site[7]) {
      parts.push(element("p", { class: "hint" }, documented("problems.html", code, code), ` line ${line}: ${text}`));
    }
    if (site[5].length) parts.push(fileOf(site, new Set(examples.flatMap((it) => it[7]))));
    return [link, ...parts];
  };
  const fileOf = (site, needed) => {
    const lines = [];
    let previous = 0;
    const gap = (count) => count > 0 && lines.push(element("span", { class: "gap" }, plural(count, "line")));
    for (const [place, text] of site[5]) {
      gap(place - previous - 1);
      lines.push(element(needed.has(place) ? "mark" : "span", { class: "line" }, element("span", { class: "at" }, String(place)), ` ${text}`));
      previous = place;
    }
    gap(site[6] - previous);
    return element("pre", { class: "file", tabindex: "0", role: "region", "aria-label": `robots.txt of ${site[0]}` }, ...lines);
  };

  /* The causes */
  const showCauses = () => {
    const counts = data.causeCounts[state.parser] || [];
    const rows = data.causes.map((cause, place) => [cause, counts[place] || [0, 0, 0], place])
      .filter(([, [opened, closed, raised]]) => opened + closed + raised)
      .sort(([, a], [, b]) => b[0] + b[1] + b[2] - a[0] - a[1] - a[2]);
    const most = Math.max(1, ...rows.map(([, [opened, closed]]) => Math.max(opened, closed)));
    byId("why-hint").textContent = rows.length
      ? `How many ${data.sampled ? "examples" : "answers"} each cause changes: to the left what it opens, to the right what it closes; a full bar is ${number(most)}.`
      : "No answer differs.";
    const bar = (count, name) => {
      const inner = element("span", { class: `fill ${name}` });
      inner.style.width = `${(100 * count) / most}%`;
      return element("span", { class: `half ${name}-half` }, element("span", { class: "amount" }, count ? `${number(count)} ${name}` : ""), inner);
    };
    fill(byId("causes"), ...rows.map(([[id, title], [opened, closed, raised]]) => element("div", { class: "cause" },
      element("a", { class: "cause-name", href: hashOf({ ...EMPTY, parser: state.parser, cause: id }) }, title + (raised ? ` (+${number(raised)} raised)` : "")),
      bar(opened, "opened"), bar(closed, "closed"))));
    table(byId("answers"), ["answers of", "agree", "stricter", "laxer", "raised", "agreement"], data.parsers.map((name, place) => {
      const [agree, stricter, laxer, raised] = data.answers[place];
      const whole = agree + stricter + laxer + raised;
      return [name, ...[agree, stricter, laxer, raised].map(number), whole ? `${((100 * agree) / whole).toFixed(2)} %` : "-"];
    }));
  };

  const render = () => {
    byId("parser").value = String(state.parser);
    const form = byId("filters");
    for (const name of ["q", "change", "cause", "basis"]) {
      if (form.elements[name].value !== state[name]) form.elements[name].value = state[name];
    }
    showVerdict(); showAdvice(); showSites(); showCauses();
  };
  const start = () => {
    byId("subject").textContent = data.subject;
    byId("note").textContent = data.notes.join(" ");
    byId("note").hidden = !data.notes.length;
    fill(byId("parser"), ...data.parsers.map((name, place) => element("option", { value: place }, name)));
    byId("parser").addEventListener("change", (event) => go({ parser: Number(event.target.value), page: 0 }));
    const form = byId("filters");
    const options = (name, pairs) => fill(form.elements[name], element("option", { value: "" }, "all"), ...pairs.map(([value, text]) => element("option", { value }, text)));
    options("change", [["any", "any change"], ...data.changes.map((it, place) => [it, CHANGE_WORDS[place]])]);
    options("cause", data.causes.filter((_, place) => data.causeCounts.some((counts) => counts[place].some(Boolean))).map(([id, title]) => [id, title]));
    options("basis", data.bases.filter((_, place) => data.sites.some((site) => site[1] === place)).map((it) => [it, BASIS_WORDS[it]]));
    for (const kind of ["input", "change"]) {
      form.addEventListener(kind, ({ target }) => {
        if (state[target.name] !== target.value) go({ [target.name]: target.value, page: 0, site: "" });
      });
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    byId("rows").tHead.addEventListener("click", (event) => {
      const { key } = event.target.dataset;
      if (!key) return;
      const isNumber = ["opened", "closed", "change"].includes(key);
      go({ sort: key, down: state.sort === key ? 1 - state.down : Number(isNumber), page: 0 });
    });
    byId("previous").addEventListener("click", () => go({ page: state.page - 1 }));
    byId("following").addEventListener("click", () => go({ page: state.page + 1 }));
    fill(byId("metadata"), ...data.metadata.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
    document.addEventListener("keydown", (event) => {
      const active = document.activeElement;
      if (event.key === "/" && !["INPUT", "SELECT"].includes(active.tagName)) {
        event.preventDefault();
        form.elements.q.focus();
      }
      if (["ArrowDown", "ArrowUp"].includes(event.key) && active.classList.contains("opener")) {
        event.preventDefault();
        const openers = [...document.querySelectorAll(".opener")];
        openers[openers.indexOf(active) + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
      }
    });
    const arrive = () => {
      readState();
      render();
      if (!anchors.includes(location.hash.slice(1)) && location.hash.length > 1) byId("sites").scrollIntoView();
    };
    window.addEventListener("hashchange", arrive);
    arrive();
  };
  start();
})();
