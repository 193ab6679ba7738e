"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString("en");
  const PAGE_SIZE = 50;
  const PARSERS = Object.keys(data.parsers);
  const CHANGES = Object.fromEntries(Object.entries(data.change_words).map(([name, [title]]) => [name, title]));
  const DIRECTIONS = { stricter: "opened", laxer: "closed", raised: "raised" };
  const BASES = data.bases;
  const IS_CRAWL = data.causes_of === "examples";
  const NONE = Object.fromEntries(Object.keys(CHANGES).map((name) => [name, 0]));
  const basisWord = Object.fromEntries(BASES.map(([name, short]) => [name, short]));

  /* Add strings of the data to the page only as text, so that no string becomes markup. */
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
  const shortName = (name) => name.replace(/(.)RobotParser$/, "$1");
  /* In a crawl, the built-in middleware decides, even if its parser does not read the answer because of the status. */
  const inUse = (name) => (data.has_answers ? `the built-in middleware with ${shortName(name)}` : shortName(name));
  const sum = (numbers) => numbers.reduce((whole, it) => whole + it, 0);

  /* The address of the page contains the state after the #, so that each view has a link. */
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
  const hashOf = (changes) => {
    const next = { ...state, ...changes };
    const said = new URLSearchParams();
    for (const [key, value] of Object.entries(next)) if (value !== EMPTY[key]) said.set(key, value);
    return `#${said}`;
  };
  const view = (changes) => hashOf({ ...EMPTY, parser: state.parser, ...changes });
  const go = (changes) => {
    state = { ...state, ...changes };
    history.replaceState(null, "", hashOf({}));
    render();
  };

  /* The verdict */
  const counts = () => data.parsers[state.parser] || { changes: NONE, changes_by: {}, causes_by_direction: {} };
  const changing = (numbers, ...names) => sum(names.map((name) => numbers?.[name] || 0));
  const opens = (numbers) => changing(numbers, "opened", "both");
  const closes = (numbers) => changing(numbers, "closed", "both");
  const cells = (numbers) => Object.keys(CHANGES).map((name) => number(numbers[name]));
  const tag = (change) => element("span", { class: `tag ${change}` }, CHANGES[change]);
  const table = (parent, heads, rows, classes = []) => fill(parent,
    element("thead", {}, element("tr", {}, ...heads.map((it) => element("th", { scope: "col" }, it)))),
    element("tbody", {}, ...rows.map((texts, place) => element("tr", { class: classes[place] || false },
      ...texts.map((it, column) => element(column ? "td" : "th", column ? {} : { scope: "row" }, it))))));
  const showVerdict = () => {
    const { changes, changes_by: changesBy } = counts();
    const whole = sum(Object.values(changes));
    fill(byId("tiles"), element("p", { class: "of" }, `Of ${plural(whole, "site")}:`),
      ...Object.entries(CHANGES).map(([change, words]) => element("a", { class: `tile ${change}`, href: view({ change }) },
        element("b", {}, number(changes[change])), element("span", {}, words), element("small", {}, data.change_words[change][1]))));
    fill(byId("bar"), ...Object.keys(CHANGES).map((change) => {
      const part = element("span", { class: change });
      part.style.flexGrow = changes[change];
      return changes[change] ? part : null;
    }));
    byId("bar").setAttribute("aria-label", Object.entries(CHANGES).map(([change, words]) => `${number(changes[change])} ${words}`).join(", "));
    const name = inUse(state.parser);
    const known = counts().raised ? " that is known" : "";
    let says = `With scrapy_robots1994 in place of ${name}, nothing${known} changes on any site.`;
    if (!whole) says = "Nothing was compared.";
    else if (whole > changes.unchanged) {
      /* A crawl does not necessarily request the URLs in questions that were made from files. */
      const would = IS_CRAWL ? "the crawl would" : "a crawl could";
      says = `With scrapy_robots1994 in place of ${name}, ${would} request URLs on ${plural(opens(changes), "site")} ` +
        `that are refused without it, and skip URLs on ${plural(closes(changes), "site")} that are allowed without it.`;
    }
    byId("sentence").textContent = says;
    const said = data.metadata;
    byId("setup").textContent = [`questions: ${said.questions}`, `dialect ${said.dialect}`, `robot: ${said.robot}`, said.versions, said.made].filter(Boolean).join(" \u00b7 ");
    const rows = BASES.filter(([basis]) => sum(Object.values(changesBy[basis] || NONE)));
    table(byId("bases"), ["what decides", ...Object.values(CHANGES)], rows.map(([basis, , words]) => [
      element("a", { href: view({ basis }) }, words), ...cells(changesBy[basis])]));
    byId("bases-hint").textContent = data.has_answers ? "" :
      "Only files were compared. The changes caused by statuses (401, 403, 404, 5xx) and failed fetches are not known, and are often more numerous. " +
      "A comparison in a crawl (ROBOTS1994_COMPARE) or of WARC files shows these changes.";
  };

  /* What to do next */
  const settingsOf = ({ dialect }) => `ROBOTS1994_DIALECT = "${dialect}"`;
  const showAdvice = () => {
    const { changes, changes_by: changesBy } = counts();
    const rows = data.variants.map(({ dialect, changes: all }) => ({
      dialect, numbers: all[state.parser] || NONE, isNow: dialect === data.metadata.dialect,
    }));
    const best = (worth) => rows.reduce((found, it) => (worth(it.numbers) > worth(found.numbers) ? it : found), rows[0]);
    const now = rows.find(({ isNow }) => isNow);
    const least = best((numbers) => -opens(numbers));
    const same = best((numbers) => numbers.unchanged);
    const notes = (row) => [row === now && "compared here", row === same && "fewest changes", row === least && "opens the fewest"].filter(Boolean);
    table(byId("variants"), ["dialect", ...Object.values(CHANGES)],
      rows.map((row) => [
        element("span", { title: settingsOf(row) }, element("b", {}, row.dialect), " ", ...notes(row).map((it) => element("span", { class: "badge" }, it))),
        ...cells(row.numbers),
      ]), rows.map((row) => (row === now ? "now" : "")));
    const code = (text) => element("code", {}, text);
    const item = (title, ...children) => element("li", {}, element("b", {}, title), ...children);
    const advice = byId("advice");
    if (!sum([changes.opened, changes.closed, changes.both])) {
      fill(advice, changes.unchanged && !counts().raised ? item("Switch", ": no site changes.") : null);
      return;
    }
    const openings = (row) => `opens ${plural(opens(row.numbers), "site")} instead of ${number(opens(now.numbers))}`;
    const rest = (row) => `leaves ${number(row.numbers.unchanged)} unchanged instead of ${number(now.numbers.unchanged)}`;
    const isBoth = least === same;
    const byStatus = data.settings.map(({ setting, bases, statuses }) => {
      const closed = sum(bases.map((it) => closes(changesBy[it])));
      return closed && [code(setting), ` for the ${number(closed)} closed by ${statuses}`];
    }).filter(Boolean);
    fill(advice,
      item("Keep it", " to follow the dialect as written: see first the ", element("a", {
        href: view({ sort: "opened" }) }, `${plural(opens(now.numbers), "site")} that it opens`), "."),
      least === now ? null : item("Open less", ": ", code(settingsOf(least)), ` ${openings(least)}${isBoth ? ` and ${rest(least)}` : ""}.`),
      same === now || isBoth ? null : item("Change least", ": ", code(settingsOf(same)), ` ${rest(same)}, and ${openings(same)}.`),
      byStatus.length ? item("Close less", " in any dialect: ", ...byStatus.flatMap((it, place) => (place ? ["; ", ...it] : it)), ".") : null,
      data.metadata["dry run"] ? item("Switch", ": this was a dry run. Take ", code("ROBOTS1994_DRY_RUN"), " out of the settings.")
        /* In a crawl without a dry run, our parser already decided, so no trial is suggested. */
        : IS_CRAWL ? null : item("Try it first", " without any effect: ", code("ROBOTS1994_DRY_RUN = True"), "."));
  };

  /* The sites */
  const examplesOf = new Map(data.sites.map(({ site }) => [site, []]));
  for (const example of data.disagreements) examplesOf.get(example.where)?.push(example);
  const ABSENT = { agree: 0, stricter: 0, laxer: 0, raised: 0, change: "unchanged", cause: null };
  const impactOn = (site) => site.parsers[state.parser] || ABSENT;
  const searched = new Map(data.sites.map(({ site }) =>
    [site, [site, ...examplesOf.get(site).flatMap(({ url, robot }) => [url, robot])].join("\n").toLowerCase()]));
  const titleOf = (cause) => data.cause_words[cause]?.[0] || "";
  /* Describe a column. `show` returns the text of a value, and `by` returns the key to sort the value by.
     If `down` is 1, the largest value comes first. */
  const column = (key, head, value, { show, by = (it) => it, down = 0, style }) =>
    ({ key, head, down, style, by: (site) => by(value(site)), show: (site) => show(value(site)) });
  const COUNT = { show: number, down: 1, style: "count" };
  const COLUMNS = [
    { key: "site", head: "site", by: ({ site }) => site },
    column("change", "change", (site) => impactOn(site).change, { show: tag, by: (change) => Object.keys(CHANGES).indexOf(change), down: 1 }),
    column("opened", "opened", (site) => impactOn(site).stricter, COUNT),
    column("closed", "closed", (site) => impactOn(site).laxer, COUNT),
    column("cause", "main cause", (site) => impactOn(site).cause, { show: (cause) => titleOf(cause) || "-", by: titleOf }),
    column("basis", "decided by", (site) => basisWord[site.basis], { show: String }),
  ];
  const KEYS = {
    count: (site) => { const { stricter, laxer, raised } = impactOn(site); return stricter + laxer + raised; },
    ...Object.fromEntries(COLUMNS.map(({ key, by }) => [key, by])),
  };
  const chosen = () => {
    if (state.site) return { sites: data.sites.filter(({ site }) => site === state.site), others: 0 };
    const text = state.q.trim().toLowerCase();
    let others = 0;
    const sites = data.sites.filter((it) => {
      if (text && !searched.get(it.site).includes(text)) return false;
      const { change, cause } = impactOn(it);
      const fits = (!state.change || change === state.change || (state.change === "any" && change !== "unchanged"))
        && (!state.cause || cause === state.cause)
        && (!state.basis || it.basis === state.basis);
      others += !fits;
      return fits;
    });
    const key = Object.hasOwn(KEYS, state.sort) ? KEYS[state.sort] : KEYS.count;
    const sign = state.down ? -1 : 1;
    const keyed = sites.map((it) => [key(it), it]);
    keyed.sort(([a, one], [b, two]) => (a < b ? -sign : a > b ? sign : one.site < two.site ? -1 : 1));
    return { sites: keyed.map(([, it]) => it), others };
  };
  const showSites = () => {
    const { sites, others } = chosen();
    const pages = Math.max(Math.ceil(sites.length / PAGE_SIZE), 1);
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const first = state.page * PAGE_SIZE;
    const shown = sites.slice(first, first + PAGE_SIZE);
    fill(byId("rows").tBodies[0], ...shown.flatMap((site) => rowsOf(site, Boolean(state.site))));
    const of = sites.length === data.sites.length ? "" : ` of ${number(data.sites.length)}`;
    byId("shown").textContent = `${plural(sites.length, "site")}${of}` + (sites.length ? `, ${number(first + 1)} to ${number(first + shown.length)} shown` : "");
    const elsewhere = byId("elsewhere");
    const missing = data.sites_not_listed;
    elsewhere.hidden = !(state.change || state.cause || state.basis || state.q || state.site);
    const more = missing ? ` ${plural(missing, "further site")} ${missing === 1 ? "is" : "are"} counted but not listed.` : "";
    const matches = (count, word) => `${plural(count, word)} ${count === 1 ? "matches" : "match"} the search without the filters.`;
    let says = "";
    if (state.site) says = sites.length ? "One site is shown." : "This site is not listed.";
    else if (!sites.length && others) says = `No site matches the filters; ${matches(others, "site")}`;
    else if (!sites.length) says = "No listed site matches.";
    else if (others) says = matches(others, "more site");
    const clear = element("button", { type: "button" }, state.q && !state.site ? "Search in all sites" : "Show all sites");
    clear.addEventListener("click", () => go({ ...EMPTY, parser: state.parser, q: others && !state.site ? state.q : "" }));
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
    const id = `detail-${nextId++}`;
    const opener = element("button", { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": id }, site.site);
    const detail = element("tr", { id, class: "detail", hidden: true });
    const [first, ...others] = COLUMNS;
    const row = element("tr", { class: "site" },
      element("th", { scope: "row", "data-head": first.head }, opener),
      ...others.map(({ head, by, style, show }) => element("td", { "data-head": head, class: style }, show(site))));
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
    const link = element("p", { class: "hint" }, element("a", { class: "permalink", href: view({ site: site.site }) }, "Link to this site"));
    const all = examplesOf.get(site.site);
    const examples = all.filter(({ parser }) => parser === state.parser);
    const others = all.length - examples.length;
    const parts = examples.map(({ direction, url, robot, cause, other_causes: others, ours, theirs, lines }) => {
      const words = [cause, ...others].map((it) => data.cause_words[it]);
      const title = words.map(([it]) => it).join(" and ");
      const clause = words.map(([, it]) => it).filter(Boolean).join(", ");
      let evidence = "The parsers agree if this cause is removed.";
      if (others.length) evidence = "The parsers agree only if each of these causes is removed.";
      else if (!clause) evidence = "No known difference between the parsers explains this answer, or the time ran out.";
      const way = DIRECTIONS[direction];
      return element("div", { class: "example" },
        element("p", {}, element("span", { class: `tag ${way}` }, way), " ", element("code", {}, url), " as ", element("code", {}, robot)),
        element("dl", { class: "verdicts" },
          element("dt", {}, "scrapy_robots1994"), element("dd", {}, ours || "not explained: time ran out"),
          element("dt", {}, site.basis === BASES[0][0] ? state.parser : "built-in middleware"), element("dd", {}, `${theirs} it`),
          element("dt", {}, "cause"), element("dd", {}, `${title}. ${evidence} `, clause && `${clause}.`,
            lines.length ? ` Lines ${lines.join(", ")} of ${number(site.lines)} are needed for the difference.` : "")));
    });
    if (!examples.length) parts.push(element("p", { class: "hint" }, `${shortName(state.parser)} answers every question as we do.`));
    if (others) parts.push(element("p", { class: "hint" }, `${plural(others, "more example")} for the other parsers.`));
    for (const { code, line, message } of site.problems) {
      parts.push(element("p", { class: "hint" }, `${code} line ${line}: ${message}`));
    }
    if (site.excerpt.length) parts.push(fileOf(site, new Set(examples.flatMap(({ lines }) => lines))));
    return [link, ...parts];
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

  /* The causes */
  const showCauses = () => {
    const rows = Object.entries(counts().causes_by_direction)
      .map(([cause, { stricter, laxer, raised }]) => ({ cause, opened: stricter, closed: laxer, raised, whole: stricter + laxer + raised }))
      .sort((a, b) => b.whole - a.whole);
    const differing = sum(["stricter", "laxer", "raised"].map((name) => counts()[name] || 0));
    const most = Math.max(1, ...rows.map(({ opened, closed }) => Math.max(opened, closed)));
    byId("why-hint").textContent = rows.length
      ? `How many ${IS_CRAWL ? "examples" : "answers"} each cause changes: opened URLs on the left, closed URLs on the right; a full bar is ${number(most)}.` +
        (IS_CRAWL ? ` Of ${plural(differing, "answer")} that differ, ${number(sum(rows.map(({ whole }) => whole)))} are examples, a few for each site.` : "")
      : "No answer differs.";
    const bar = (count, name) => {
      const inner = element("span", { class: `fill ${name}` });
      inner.style.width = `${(100 * count) / most}%`;
      return element("span", { class: `half ${name}-half` }, element("span", { class: "amount" }, count ? `${number(count)} ${name}` : ""), inner);
    };
    fill(byId("causes"), ...rows.map(({ cause, opened, closed, raised }) => element("div", { class: "cause" },
      element("a", { class: "cause-name", href: view({ cause }) }, titleOf(cause) + (raised ? ` (+${number(raised)} raised)` : "")),
      bar(opened, "opened"), bar(closed, "closed"))));
    table(byId("answers"), ["answers of", "agree", "stricter", "laxer", "raised", "agreement"], Object.entries(data.parsers).map(([name, found]) => {
      const numbers = [found.agree, found.stricter, found.laxer, found.raised];
      return [name, ...numbers.map(number), sum(numbers) ? `${((100 * found.agree) / sum(numbers)).toFixed(2)}%` : "-"];
    }));
  };

  const render = () => {
    byId("parser").value = state.parser;
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
    fill(byId("parser"), ...PARSERS.map((name) => element("option", { value: name }, shortName(name))));
    byId("parser").addEventListener("change", (event) => go({ parser: event.target.value, page: 0 }));
    const form = byId("filters");
    const options = (name, pairs) => fill(form.elements[name], element("option", { value: "" }, "all"), ...pairs.map(([value, text]) => element("option", { value }, text)));
    const causes = new Set(Object.values(data.parsers).flatMap(({ causes: found }) => Object.keys(found)));
    options("change", [["any", "any change"], ...Object.entries(CHANGES)]);
    options("cause", Object.entries(data.cause_words).filter(([cause]) => causes.has(cause)).map(([cause, [title]]) => [cause, title]));
    options("basis", BASES.filter(([name]) => data.sites.some(({ basis }) => basis === name)));
    for (const kind of ["input", "change"]) {
      form.addEventListener(kind, ({ target }) => {
        if (state[target.name] !== target.value) go({ [target.name]: target.value, page: 0, site: "" });
      });
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    fill(byId("rows").tHead.rows[0], ...COLUMNS.map(({ key, head }) =>
      element("th", { scope: "col" }, element("button", { type: "button", "data-key": key }, head))));
    byId("rows").tHead.addEventListener("click", (event) => {
      const { key } = event.target.dataset;
      if (!key) return;
      const down = COLUMNS.find((it) => it.key === key).down || 0;
      go({ sort: key, down: state.sort === key ? 1 - state.down : down, page: 0 });
    });
    byId("previous").addEventListener("click", () => go({ page: state.page - 1 }));
    byId("following").addEventListener("click", () => go({ page: state.page + 1 }));
    fill(byId("metadata"), ...Object.entries(data.metadata).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
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
