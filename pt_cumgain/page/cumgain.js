/* The arithmetic of the report, as in the package's engine: from ranks of judged documents to rankings, sums of discounted
   gains, values and means; a test compares them. Arrays over runs and topics have a cell for each pair, run * topics + topic. */
"use strict";

globalThis.cumgain = (() => {
  /** d(i) of rank i and base b: core.DISCOUNTS has the words, the sources and the bounds of b.
      Discounts without a base come with the data, as tables. */
  const discounts = {
    original: (i, b) => (i < b ? 1 : Math.log(i) / Math.log(b)),
    revised: (i, b) => 1 + Math.log(i) / Math.log(b),
    sigir2000: (i, b) => (i > 1 ? Math.log(i) / Math.log(b) : 1),
    shifted: (i, b) => Math.log(i + b - 1) / Math.log(b),
  };

  const ROUNDING = 1e-12; // of the largest value, as in comparing/_rounding.py
  const isDiscounted = ({measure}) => measure.endsWith("DCG");
  const isNormalised = ({measure}) => measure.startsWith("n");
  /** The levels that span the map, and its corners as mixtures of their thresholds. */
  const spanned = ({mapped}) => mapped.split("_").map(Number);
  const cornersOf = (state) => spanned(state).map((_, j, levels) => levels.map((_, i) => Number(i === j)));

  async function inflated(text) {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
  }

  /** Where each cell begins, from how many it has. */
  function starts(sizes) {
    const begin = new Uint32Array(sizes.length + 1);
    sizes.forEach((n, cell) => { begin[cell + 1] = begin[cell] + n; });
    return begin;
  }

  /** The data that Python wrote, with its arrays decoded. Hits are in the order of cells and ranks. */
  async function read(written) {
    const data = {...written, runs: written.names.length, count: written.topics.length};
    data.ranks = Array.from({length: data.depth}, (_, i) => i + 1);
    const decoded = async (text, kind) => new kind(await (await inflated(text)).arrayBuffer());
    data.begin = starts(await decoded(written.hits, Uint32Array)); // of the hits, by cell
    // lengths of the lists, by cell; documents of the recall base, topic by level
    for (const [name, kind] of Object.entries({rank: Uint16Array, level: Uint8Array, lengths: Uint16Array, base: Uint32Array}))
      data[name] = await decoded(written[name], kind);
    data.last = new Uint32Array(data.rank);
    data.above = data.last.map((rank) => rank - 1);
    const [at, above, last] = await Promise.all(written.tied.map((text) => decoded(text, Uint32Array)));
    at.forEach((hit, i) => { data.above[hit] = above[i]; data.last[hit] = last[i]; });
    if (written.documents) {
      const {ids, places} = written.documents;
      data.documents = {
        ids: await (await inflated(ids)).json(), // of each topic, each once
        places: await decoded(places, Uint32Array), // among them, in the order of cells and ranks
        begin: starts(data.lengths),
      };
    }
    return data;
  }

  /** Rankings by cell: the level at each rank, and the share of a document that it is. */
  function rankings(cells, depth, fill) {
    const begin = new Uint32Array(cells + 1), rank = [], level = [], share = [];
    for (let cell = 0; cell < cells; cell++) {
      fill(cell, (at, l, part) => {
        if (at > depth) return;
        rank.push(at);
        level.push(l);
        share.push(part);
      });
      begin[cell + 1] = rank.length;
    }
    return {begin, rank, level, share};
  }

  /** The rankings of all runs under a rule for ties. */
  function rankRuns(data, ties, gains) {
    if (ties === "doc_id") return {...data, share: new Float64Array(data.rank.length).fill(1)};
    return rankings(data.begin.length - 1, data.depth, (cell, put) => {
      const end = data.begin[cell + 1];
      let next;
      for (let hit = data.begin[cell]; hit < end; hit = next) {
        const above = data.above[hit], last = data.last[hit];
        next = hit + 1;
        while (next < end && data.above[next] === above) next++;
        const levels = [...data.level.subarray(hit, next)];
        if (ties === "average") average(above, last, levels, put);
        else byGain(above, last, levels, (level) => (ties === "best" ? 1 : -1) * gains[level], put);
      }
    });

    /** McSherry & Najork, ECIR 2008: every rank of a block of ties has the mean of the block. */
    function average(above, last, levels, put) {
      const counts = new Map();
      for (const level of levels) counts.set(level, (counts.get(level) || 0) + 1);
      for (let rank = above + 1; rank <= Math.min(last, data.depth); rank++)
        for (const [level, n] of counts) put(rank, level, n / (last - above));
    }

    /** In descending order; the documents that gain nothing are between gains and losses. */
    function byGain(above, last, levels, gain, put) {
      const descending = (a, b) => gain(b) - gain(a);
      const gaining = levels.filter((level) => gain(level) > 0).sort(descending);
      const losing = levels.filter((level) => gain(level) < 0).reverse().sort(descending);
      gaining.forEach((level, i) => put(above + 1 + i, level, 1));
      losing.forEach((level, i) => put(last - losing.length + 1 + i, level, 1));
    }
  }

  /** The ideal ranking of each topic: its recall base in descending order of gain. */
  function rankIdeals(data, gains) {
    const levels = [...gains.keys()].filter((l) => gains[l] > 0).sort((a, b) => gains[b] - gains[a]);
    return rankings(data.count, data.depth, (topic, put) => {
      let rank = 0;
      for (const l of levels)
        for (let n = data.base[topic * gains.length + l]; n && rank < data.depth; n--)
          put(++rank, l, 1);
    });
  }

  /** A share of the ideal: 0 where there is none, and 1 where rounding alone exceeds it. */
  function share(value, ideal) {
    const ratio = ideal > 0 ? value / ideal : 0;
    return ratio > 1 && ratio < 1 + 1e-12 ? 1 : ratio;
  }

  const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0); // without signs

  /** The values, made equal where neighbours in their order differ by rounding only. */
  function equate(values, scale) {
    const equated = [...values], order = [...values.keys()].sort((a, b) => values[b] - values[a]);
    order.forEach((at, i) => {
      if (values[order[i - 1]] - values[at] <= ROUNDING * scale) equated[at] = equated[order[i - 1]];
    });
    return equated;
  }

  const minus = (values, others) => values.map((value, i) => value - others[i]);
  const total = (values) => values.reduce((sum, value) => sum + value, 0);

  /** The mean, and the ends of its t interval: mean -+ t s / sqrt(n). One topic has no interval. */
  function interval(values, quantiles) {
    const n = values.length, first = values[0];
    const left = values.map((value) => value - first), sum = total(left); // equal values vary by exactly 0
    const squares = left.reduce((squares, one) => squares + one * one, 0);
    const mean = first + sum / n;
    const half = n > 1 ? quantiles[n - 2] * Math.sqrt(Math.max(squares - (sum * sum) / n, 0) / (n - 1) / n) : NaN;
    return [mean, mean - half, mean + half];
  }

  /** The lower end of a mean difference by a one-sided paired t-test, not above 0 for differences without variance. */
  function lowest(differences, quantiles, rounding) {
    const [mean, low] = interval(differences.map((one) => (Math.abs(one) > rounding ? one : 0)), quantiles);
    return mean - low > rounding ? low : Math.min(low, 0);
  }

  class Calculator {
    constructor(data) {
      this.data = data;
      this.hasTest = data.count > 1;
      this.cache = new Map(); // the least recently used first
    }

    /** The result of make(), or its recent result for this key. */
    remember(key, make) {
      const value = this.cache.has(key) ? this.cache.get(key) : make();
      this.cache.delete(key);
      this.cache.set(key, value);
      if (this.cache.size > 50) this.cache.delete(this.cache.keys().next().value);
      return value;
    }

    /** The rankings of the runs and the ideal ones; gains matter by their order alone. */
    rankings({ties, gains}) {
      const signed = [0, ...gains];
      const order = signed.map((gain) => signed.filter((other) => other < gain).length).join();
      const byGain = ties === "best" || ties === "worst";
      return {
        runs: this.remember(ties + (byGain ? order : ""), () => rankRuns(this.data, ties, gains)),
        ideals: this.remember(`ideal ${order}`, () => rankIdeals(this.data, gains)),
      };
    }

    /** Functions that sum (discounted) gains to some ranks, ascending, for each topic; of a run with other gains, too. */
    sums(state) {
      const {count} = this.data, {runs, ideals} = this.rankings(state);
      const kind = isDiscounted(state) ? state.discount : "none";
      const written = this.data.discounts.find(({name}) => name === kind).weights;
      const weights = [0, ...written ?? this.data.ranks.map((rank) => 1 / discounts[kind](rank, state.base))];
      const sum = ({begin, rank, level, share}, first, ranks, gains) => {
        const out = ranks.map(() => new Float64Array(count)), gainOf = Float64Array.from(gains);
        for (let topic = 0; topic < count; topic++) {
          const end = begin[first + topic + 1];
          let i = begin[first + topic], value = 0;
          for (let r = 0; r < ranks.length; r++) {
            for (; i < end && rank[i] <= ranks[r]; i++)
              value += gainOf[level[i]] * share[i] * weights[rank[i]];
            out[r][topic] = value;
          }
        }
        return out;
      };
      return {
        ofRun: (run, ranks, gains = state.gains) => sum(runs, run * count, ranks, gains),
        ofIdeals: (ranks, gains = state.gains) => sum(ideals, 0, ranks, gains),
      };
    }

    /** The values of topics from their sums and those of their ideal rankings. */
    normalise(state, sums, ideals) {
      return isNormalised(state) ? sums.map((sum, topic) => share(sum, ideals[topic])) : sums;
    }

    /** The mean of the values, and the ends of its interval. */
    average(state, sums, ideals) {
      return interval(this.normalise(state, sums, ideals), this.data.t);
    }

    /** Everything at rank k: of runs and topics the values; of runs the mean, the difference, the parts of the levels. */
    values(state) {
      return this.remember(keyOf(state, [], "values", state.baseline), () => this.compute(state));
    }

    compute(state) {
      const {data} = this, {k, baseline} = state, {ofRun, ofIdeals} = this.sums(state);
      const [ideal] = ofIdeals([k]);
      const sums = data.names.map((_, run) => ofRun(run, [k])[0]);
      const systems = sums.map((sum, run) => {
        const [mean, low, high] = this.average(state, sum, ideal);
        const [difference, least, most] = this.compare(state, {sums, ideal}, run, baseline);
        const parts = state.gains.map((gain, l) => {
          const ofLevel = state.gains.map((_, other) => (other === l ? gain : 0));
          return gain && this.average(state, ofRun(run, [k], ofLevel)[0], ideal)[0];
        });
        const shares = data.topics.map((_, topic) => this.judgedOf(run, topic, k)).filter((one) => !Number.isNaN(one));
        return {mean, low, high, difference, least, most, parts, judged: total(shares) / shares.length};
      });
      const topics = sums.map((sum) => this.normalise(state, sum, ideal));
      const recall = data.topics.map((_, topic) => total(state.gains.map((gain, l) =>
        (gain > 0 ? data.base[topic * data.levels.length + l] : 0))));
      const means = equate(systems.map(({mean}) => mean), largest(topics.map(largest)));
      return {systems, means, topics, sums, ideal, recall};
    }

    /** The difference of two runs' means, and the ends of its interval. */
    compare(state, {sums, ideal}, run, other) {
      return this.average(state, minus(sums[run], sums[other]), ideal);
    }

    /** The places of systems by descending mean, each with how far it is excluded from those that may be the best, by the
        rule of may_be_best in Python: if that is above 0, it is. A function returns the values by topic of a place. */
    * exclusions(means, scale, valuesOf) {
      const quantiles = this.data.best[means.length - 2], rounding = ROUNDING * scale, known = [];
      const of = (place) => (known[place] ??= valuesOf(place));
      const order = [...means.keys()].sort((a, b) => means[b] - means[a]);
      for (const one of order) {
        let by = -Infinity;
        for (const other of order) {
          if (by > 0 || means[other] - means[one] <= rounding) break;
          by = Math.max(by, lowest(minus(of(other), of(one)), quantiles, rounding));
        }
        yield [one, by];
      }
    }

    /** The runs that may be the best; none where there is no test. */
    candidates({means, topics}, runs) {
      if (!this.hasTest) return [];
      const found = this.exclusions(runs.map((run) => means[run]), largest(topics.map(largest)), (place) => topics[runs[place]]);
      return [...found].filter(([, by]) => by <= 0).map(([place]) => runs[place]);
    }

    /** The share of a topic's first k documents that is judged; NaN if there is no document. */
    judgedOf(run, topic, k) {
      const {begin, rank, lengths, count} = this.data, cell = run * count + topic;
      let hit = begin[cell];
      while (hit < begin[cell + 1] && rank[hit] <= k) hit++;
      return (hit - begin[cell]) / Math.min(lengths[cell], k);
    }

    /** The means of each run at the ranks 1 to depth, or their differences from a baseline's; and the means of the ideal. */
    curves(state, baseline = null, runs = [...this.data.names.keys()]) {
      return this.remember(keyOf(state, ["k"], "curves", baseline, runs), () => {
        const {ranks} = this.data;
        const {ofRun, ofIdeals} = this.sums(state), ideals = ofIdeals(ranks);
        const curve = (sums) => {
          const rows = sums.map((sum, i) => this.average(state, sum, ideals[i]));
          const [mean, low, high] = [0, 1, 2].map((column) => rows.map((row) => row[column]));
          return {mean, low, high};
        };
        const zero = baseline === null ? null : ofRun(baseline, ranks);
        const systems = runs.map((run) => curve(ofRun(run, ranks).map((sum, i) => (zero ? minus(sum, zero[i]) : sum))));
        return {systems, ideal: curve(ideals).mean};
      });
    }

    /** The runs' numerators and divisors at thresholds (gain 1 from a level on). The map has their mixtures, all with one ideal ranking. */
    thresholds(state) {
      return this.remember(keyOf(state, ["gains"], "thresholds", state.mapped), () => {
        const order = this.data.levels.map((level, l) => (level > 0 ? l + 1 : 0));
        const {ofRun, ofIdeals} = this.sums({...state, gains: order});
        const corners = spanned(state).map((first) => this.data.levels.map((_, l) => Number(l >= first)));
        return {
          runs: this.data.names.map((_, run) => corners.map((gains) => ofRun(run, [state.k], gains)[0])),
          ideals: corners.map((gains) => ofIdeals([state.k], gains)[0]),
        };
      });
    }

    /** For each mixture of thresholds, what make() returns of the means of runs and of a function, which returns topics' values. */
    mixtures(state, points, runs, make) {
      const {runs: parts, ideals} = this.thresholds(state);
      const inverse = (divisor) => (divisor > 0 ? 1 / divisor : 0);
      const mixed = (arrays, point, topic) => {
        let sum = 0;
        for (let j = 0; j < point.length; j++) sum += point[j] * arrays[j][topic];
        return sum;
      };
      return points.map((point) => {
        const scales = ideals[0].map((_, topic) => (isNormalised(state) ? inverse(mixed(ideals, point, topic)) : 1));
        const valuesOf = (place) => scales.map((scale, topic) => mixed(parts[runs[place]], point, topic) * scale);
        return make(runs.map((_, place) => total(valuesOf(place)) / scales.length), valuesOf);
      });
    }

    /** The place of the highest mean (of equal ones, the first), how far the others at least are excluded from the best, and whether all are. */
    lead(means, scale, valuesOf) {
      const most = Math.max(...means), best = means.findIndex((mean) => mean >= most - ROUNDING * scale);
      if (!this.hasTest || means.length < 2) return {means, best, isAlone: false};
      let margin = Infinity;
      for (const [place, by] of this.exclusions(means, scale, valuesOf)) {
        if (place !== best) margin = Math.min(margin, by);
        if (margin <= 0) break;
      }
      return {means, best, margin, isAlone: margin > 0};
    }

    leadsAt(state, points, runs) {
      const scale = largest(this.mixtures(state, cornersOf(state), runs, (means) => means).flat());
      return this.mixtures(state, points, runs, (means, valuesOf) => this.lead(means, scale, valuesOf));
    }

    /** The leads at each of some ranks or bases, and the means. */
    leadsAlong(state, control, xs, runs) {
      const [states, ranks] = control === "k" ? [[state], xs] : [xs.map((base) => ({...state, base})), [state.k]];
      const parts = states.map((one) => this.sums(one)), ideals = parts.flatMap(({ofIdeals}) => ofIdeals(ranks));
      const sums = runs.map((run) => parts.flatMap(({ofRun}) => ofRun(run, ranks)));
      const rows = ideals.map((ideal, i) => sums.map((ofRun) => this.average(state, ofRun[i], ideal)[0])), scale = largest(rows.flat());
      return rows.map((means, i) => this.lead(means, scale, (place) =>
        this.normalise(state, sums[place][i], ideals[i])));
    }

    /** The documents of a run at its ranks for a topic: the level if judged, whether tied with a judged one, the id's place. */
    ranked(run, topic) {
      const {begin, rank, level, above, last, lengths, documents, count} = this.data, cell = run * count + topic;
      const found = Array.from({length: lengths[cell]}, (_, i) => ({place: documents?.places[documents.begin[cell] + i]}));
      for (let hit = begin[cell]; hit < begin[cell + 1]; hit++) {
        if (rank[hit] <= found.length) found[rank[hit] - 1].level = level[hit];
        if (last[hit] - above[hit] > 1) for (const one of found.slice(above[hit], last[hit])) one.isTied = true;
      }
      return found;
    }
  }

  const SETTINGS = ["measure", "gains", "discount", "base", "k", "ties"]; // that values follow from

  /** A key for results that follow from the state's settings, all but some, and from more. */
  const keyOf = (state, but, ...more) =>
    JSON.stringify([SETTINGS.filter((name) => !but.includes(name)).map((name) => state[name]), but, more]);

  return {read, Calculator, keyOf, isDiscounted, isNormalised, spanned, cornersOf, minus};
})();
