// One agent's games against each opponent, with the exact interval of each pair: the agent is chosen from a list.
(() => {
  const FIRST = 12;
  const make = (tag, kind, text) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const percent = (share) => `${Math.round(100 * share)}%`;
  for (const place of document.querySelectorAll(".opponents")) {
    const behind = [...place.closest(".part").querySelectorAll("script.details")].map((block) => JSON.parse(block.textContent));
    const known = behind.find((each) => each.pairs);
    if (!known || known.agents.length < 3) continue;
    const met = (k) => known.pairs.filter(([i, j]) => i === k || j === k).map(([i, j, wins, losses, ties, low, high]) => {
      const games = wins + losses + ties;
      const share = (wins + ties / 2) / games;
      return i === k ? { other: j, games, share, low, high } : { other: i, games, share: 1 - share, low: 1 - high, high: 1 - low };
    }).filter((pair) => pair.games > 0).sort((p, q) => p.other - q.other);

    const label = make("label", "", "Opponents of ");
    const list = make("select");
    known.agents.forEach((name, k) => { if (met(k).length) list.append(new Option(name, String(k))); });
    label.append(list);
    const sheet = make("div");
    const draw = (all) => {
      const rows = met(Number(list.value));
      const table = make("table");
      table.append(make("caption", "unseen", `Opponents of ${known.agents[Number(list.value)]}, in the order of the ranking`));
      const body = table.createTBody();
      const axis = body.insertRow();
      axis.className = "axis";
      const ticks = make("td", "p");
      const marks = make("span");
      for (const share of [0, 25, 50, 75, 100]) {
        const tick = make("i", "", `${share}%`);
        tick.style.left = `${share}%`;
        marks.append(tick);
      }
      ticks.append(marks);
      axis.append(make("td", "a"), ticks, make("td"), make("td"), make("td"));
      for (const { other, games, share, low, high } of all ? rows : rows.slice(0, FIRST)) {
        const row = body.insertRow();
        const sure = low === undefined ? share !== 0.5 : low > 0.5 || high < 0.5;
        if (sure) row.className = "sure";
        const bar = make("i");
        const [from, to] = low === undefined ? [share, share] : [low, high];
        bar.style.cssText = `--l:${100 * from}%;--w:${100 * (to - from)}%;--m:${100 * share}%`;
        const plot = make("td", "p");
        plot.append(bar);
        const counted = known.counted ? `${games.toLocaleString("en", { maximumFractionDigits: 1 })} games` : "";
        row.append(make("td", "a", known.agents[other]), plot, make("td", "n v", percent(share)),
          make("td", "i", low === undefined ? "" : `${percent(low)} to ${percent(high)}`), make("td", "n k", counted));
      }
      sheet.replaceChildren(table);
      if (all || rows.length <= FIRST) return;
      const more = make("p", "all");
      const button = make("button", "", `Show all ${rows.length} opponents`);
      button.type = "button";
      button.addEventListener("click", () => draw(true));
      more.append(button);
      sheet.append(more);
    };
    list.addEventListener("change", () => draw(false));
    place.append(label, sheet);
    place.hidden = false;
    draw(false);
  }
})();
