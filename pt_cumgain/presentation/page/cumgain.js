/* The arithmetic of the report, and nothing else: from the ranks at which judged documents stand to
   the values of CG, DCG, nCG and nDCG. For fixed ranks a value is a sum over relevance levels,

       value(k) = sum over levels of gain(level) * sum over ranks i <= k of n(i, level) / d(i),

   where n(i, level) is how many documents of the level stand at rank i: 0 or 1, or under
   ties='average' the expected number. A test compares all of this with the package's engine.

   Arrays over runs and topics have a cell for each pair, run * topics + topic. */
"use strict";

globalThis.cumgain = (() => {
  /** d(i) of rank i and base b: core.DISCOUNTS has the words, the sources and the bounds of b. */
  const discounts = {
    log2: (i) => Math.log2(i + 1),
    original: (i, b) => (i < b ? 1 : Math.log(i) / Math.log(b)),
    revised: (i, b) => 1 + Math.log(i) / Math.log(b),
    sigir2000: (i, b) => (i > 1 ? Math.log(i) / Math.log(b) : 1),
    shifted: (i, b) => Math.log(i + b - 1) / Math.log(b),
    rank: (i) => i,
    none: () => 1,
  };

  /** 1 / d(i) of the ranks 1 to n, from element 0 on. */
  function inverseDiscounts(discount, base, n) {
    const d = discounts[discount];
    if (!d) throw new Error(`the page does not know the discount ${discount}`);
    return Float64Array.from({length: n}, (_, i) => 1 / d(i + 1, base));
  }

  function decoded(text, kind) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new kind(bytes.buffer);
  }

  /** What Python wrote, with the arrays read. Hits stand cell by cell, in the order of ranks. */
  function read(written) {
    const data = {...written, runs: written.names.length, count: written.topics.length};
    data.hits = decoded(written.hits, Uint32Array); // how many, by cell
    data.rank = decoded(written.rank, Uint16Array);
    data.level = decoded(written.level, Uint8Array);
    data.lengths = decoded(written.lengths, Uint16Array); // of the lists, by cell; depth at most
    data.base = decoded(written.base, Uint32Array); // documents of the recall base, topic by level
    data.begin = new Uint32Array(data.hits.length + 1);
    data.hits.forEach((n, cell) => { data.begin[cell + 1] = data.begin[cell] + n; });
    data.above = Uint32Array.from(data.rank, (rank) => rank - 1);
    data.last = Uint32Array.from(data.rank);
    const [at, above, last] = written.tied.map((text) => decoded(text, Uint32Array));
    at.forEach((hit, i) => { data.above[hit] = above[i]; data.last[hit] = last[i]; });
    return data;
  }

  /** What stands where under a rule for ties: entries of rank, level and share, by cell. */
  function placed(data, ties, gains) {
    const begin = new Uint32Array(data.begin.length);
    const rank = [], level = [], share = [];
    for (let cell = 0; cell + 1 < begin.length; cell++) {
      let hit = data.begin[cell];
      const end = data.begin[cell + 1], first = rank.length;
      while (hit < end) {
        const above = data.above[hit], last = data.last[hit];
        let next = hit + 1;
        while (next < end && data.above[next] === above) next++;
        if (ties === "doc_id" || last - above === 1) {
          for (; hit < next; hit++) put(data.rank[hit], data.level[hit], 1);
        } else if (ties === "average") {
          average(above, last, data.level.subarray(hit, next));
        } else {
          byGain(above, last, data.level.subarray(hit, next), ties === "best" ? 1 : -1);
        }
        hit = next;
      }
      if (ties === "best" || ties === "worst") sortByRank(first);
      begin[cell + 1] = rank.length;
    }
    return {begin, rank: Uint16Array.from(rank), level: Uint8Array.from(level),
            share: Float64Array.from(share)};

    function put(at, of, n) {
      if (at <= data.depth) { rank.push(at); level.push(of); share.push(n); }
    }

    /** McSherry & Najork, ECIR 2008: every rank of the block has the mean of the block. */
    function average(above, last, levels) {
      const counts = new Map();
      for (const of of levels) counts.set(of, (counts.get(of) || 0) + 1);
      for (let at = above + 1; at <= Math.min(last, data.depth); at++)
        for (const [of, n] of counts) put(at, of, n / (last - above));
    }

    /** The largest gains first (sign 1) or last (-1); what gains nothing is between. */
    function byGain(above, last, levels, sign) {
      const gain = (of) => sign * gains[of];
      const up = [...levels].filter((of) => gain(of) > 0).sort((a, b) => gain(b) - gain(a));
      const down = [...levels].filter((of) => gain(of) < 0).sort((a, b) => gain(a) - gain(b));
      up.forEach((of, i) => put(above + 1 + i, of, 1));
      down.forEach((of, i) => put(last - i, of, 1));
    }

    function sortByRank(from) {
      const order = Array.from({length: rank.length - from}, (_, i) => from + i);
      if (order.every((e, i) => !i || rank[e - 1] <= rank[e])) return;
      order.sort((a, b) => rank[a] - rank[b]);
      for (const column of [rank, level, share])
        order.map((e) => column[e]).forEach((value, i) => { column[from + i] = value; });
    }
  }

  /** Sums of n(i, level) / d(i) over the ranks i <= k of one run, by topic and level. */
  function sumsOf(data, entries, run, inverse, k, out) {
    const levels = data.levels.length;
    for (let topic = 0; topic < data.count; topic++) {
      const cell = run * data.count + topic;
      for (let e = entries.begin[cell]; e < entries.begin[cell + 1]; e++) {
        if (entries.rank[e] > k) break;
        out[topic * levels + entries.level[e]] += entries.share[e] * inverse[entries.rank[e] - 1];
      }
    }
    return out;
  }

  /** The levels that gain something, the largest gain first. */
  function descending(gains) {
    return gains.map((_, l) => l).filter((l) => gains[l] > 0).sort((a, b) => gains[b] - gains[a]);
  }

  /** (D)CG at rank k of every topic's ideal ranking: its recall base in descending gain. */
  function ideals(data, gains, inverse, k) {
    const before = new Float64Array(k + 1); // the sum of 1 / d(i) over the ranks i <= j
    for (let j = 0; j < k; j++) before[j + 1] = before[j] + inverse[j];
    const order = descending(gains), out = new Float64Array(data.count);
    for (let topic = 0; topic < data.count; topic++) {
      let from = 0;
      for (const l of order) {
        const to = Math.min(from + data.base[topic * gains.length + l], k);
        out[topic] += gains[l] * (before[to] - before[from]);
        from = to;
      }
    }
    return out;
  }

  /** A share of the ideal: 0 where there is none, and 1 where rounding alone exceeds it. */
  function share(value, ideal) {
    const ratio = ideal > 0 ? value / ideal : 0;
    return ratio > 1 && ratio < 1 + 1e-12 ? 1 : ratio;
  }

  function total(values) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[i];
    return sum;
  }

  /** The mean, and the ends of its t interval: mean -+ t s / sqrt(n). None of one topic. */
  function interval(values, t) {
    const n = values.length, first = values[0];
    let sum = 0, squares = 0;
    for (const value of values) {
      const left = value - first; // so that what is the same for all topics varies by exactly 0
      sum += left;
      squares += left * left;
    }
    return ends(first, sum, squares, n, t);
  }

  function ends(first, sum, squares, n, t) {
    const mean = first + sum / n;
    const half = n > 1 ? t * Math.sqrt(Math.max(squares - (sum * sum) / n, 0) / (n - 1) / n) : NaN;
    return [mean, mean - half, mean + half];
  }

  /** Computes what the views show; what did not change since the last call is kept. */
  class Calculator {
    constructor(data) {
      this.data = data;
      this.kept = new Map();
    }

    keep(name, key, make) {
      const kept = this.kept.get(name);
      if (kept && kept.key === key) return kept.value;
      const value = make();
      this.kept.set(name, {key, value});
      return value;
    }

    entries({ties, gains}) {
      if (ties === "doc_id" || ties === "average")
        return this.keep(ties, "", () => placed(this.data, ties, gains));
      const order = [...new Set([0, ...gains])].sort((a, b) => a - b);
      const key = ties + gains.map((gain) => order.indexOf(gain)) + "," + order.indexOf(0);
      const known = this.keep("by gain", "", () => new Map()); // a sweep comes by several orders
      if (known.size > 50) known.clear();
      if (!known.has(key)) known.set(key, placed(this.data, ties, gains));
      return known.get(key);
    }

    inverse({discounted, discount, base}) {
      const used = discounted ? discount : "none";
      const make = () => inverseDiscounts(used, base, this.data.depth);
      return this.keep("inverse", `${used} ${base}`, make);
    }

    /** Sums by run, topic and level at rank k. */
    sums(state) {
      const {data} = this, size = data.count * data.levels.length;
      const entries = this.entries(state), inverse = this.inverse(state);
      return Array.from({length: data.runs}, (_, run) =>
        sumsOf(data, entries, run, inverse, state.k, new Float64Array(size)));
    }

    ideals(state) {
      return ideals(this.data, state.gains, this.inverse(state), state.k);
    }

    /** The (D)CG of a run's topics from its sums. */
    cumulated(sums, gains) {
      const levels = gains.length, out = new Float64Array(this.data.count);
      for (let topic = 0; topic < out.length; topic++)
        for (let l = 0; l < levels; l++) out[topic] += gains[l] * sums[topic * levels + l];
      return out;
    }

    /** One run's mean, from its sums and the ideals. */
    mean(state, sums, ideal) {
      const value = this.cumulated(sums, state.gains), n = value.length;
      if (!state.normalised) return total(value) / n;
      if (state.average === "vectors") return share(total(value), total(ideal));
      for (let topic = 0; topic < n; topic++) value[topic] = share(value[topic], ideal[topic]);
      return total(value) / n;
    }

    /** Everything at rank k: of each run by topic, its mean, its difference, its parts. */
    values(state) {
      const {data} = this, levels = data.levels.length, t = data.t;
      const ideal = this.ideals(state), sums = this.sums(state);
      const vectors = state.normalised && state.average === "vectors";
      const topics = sums.map((of) => {
        const value = this.cumulated(of, state.gains);
        return state.normalised ? value.map((v, topic) => share(v, ideal[topic])) : value;
      });
      const base = topics[state.baseline];
      const means = vectors ? sums.map((of) => this.mean(state, of, ideal)) : null;
      const systems = topics.map((values, run) => {
        const part = new Float64Array(levels);
        const scale = vectors ? total(ideal) : data.count;
        for (let topic = 0; topic < data.count; topic++) {
          const by = state.normalised && !vectors ? ideal[topic] : 1;
          for (let l = 0; l < levels && by > 0; l++)
            part[l] += (state.gains[l] * sums[run][topic * levels + l]) / by;
        }
        const [mean, low, high] = vectors ? [means[run], NaN, NaN] : interval(values, t);
        const [difference, least, most] = vectors
          ? [mean - means[state.baseline], NaN, NaN]
          : interval(values.map((value, topic) => value - base[topic]), t);
        return {mean, low, high, difference, least, most, judged: this.judged(run, state.k),
                parts: Array.from(part, (sum) => (scale > 0 ? sum / scale : 0))};
      });
      const recall = Array.from({length: data.count}, (_, topic) =>
        total(state.gains.map((gain, l) => (gain > 0 ? data.base[topic * levels + l] : 0))));
      return {systems, topics, ideal, recall};
    }

    /** The share of a topic's first k documents that is judged; NaN if there is no document. */
    judgedOf(run, topic, k) {
      const {data} = this, cell = run * data.count + topic;
      let judged = 0;
      for (let hit = data.begin[cell]; hit < data.begin[cell + 1]; hit++)
        if (data.rank[hit] <= k) judged++;
      return judged / Math.min(data.lengths[cell], k);
    }

    /** Its mean over the topics for which something was returned. */
    judged(run, k) {
      const shares = this.data.topics.map((_, topic) => this.judgedOf(run, topic, k));
      const known = shares.filter((one) => !Number.isNaN(one));
      return total(known) / known.length;
    }

    /** The gain by rank: of each run the means at the ranks 1 to depth, with intervals; the ideal. */
    curves(state) {
      const {data} = this, {depth, count, runs, t} = data;
      const {gains, normalised} = state, vectors = normalised && state.average === "vectors";
      const inverse = this.inverse(state), entries = this.entries(state);
      const ideal = new Float64Array(count * depth), ofIdeal = new Float64Array(depth);
      const order = descending(gains);
      for (let topic = 0; topic < count; topic++) {
        let at = topic * depth, sum = 0;
        const end = at + depth;
        for (const l of order)
          for (let n = data.base[topic * gains.length + l]; n && at < end; n--, at++)
            ideal[at] = sum += gains[l] * inverse[at - topic * depth];
        ideal.fill(sum, at, end);
      }
      const divided = normalised && !vectors;
      for (let i = 0; i < ideal.length; i++)
        ofIdeal[i % depth] += (divided ? (ideal[i] > 0 ? 1 : 0) : ideal[i]) / count;
      const gained = new Float64Array(depth), first = new Float64Array(depth);
      const systems = Array.from({length: runs}, (_, run) => {
        const sum = new Float64Array(depth), squares = new Float64Array(depth);
        for (let topic = 0; topic < count; topic++) {
          const cell = run * count + topic, offset = topic * depth;
          gained.fill(0);
          for (let e = entries.begin[cell]; e < entries.begin[cell + 1]; e++) {
            const i = entries.rank[e] - 1;
            gained[i] += gains[entries.level[e]] * entries.share[e] * inverse[i];
          }
          let value = 0;
          for (let i = 0; i < depth; i++) {
            value += gained[i];
            const now = divided ? share(value, ideal[offset + i]) : value;
            if (!topic) first[i] = now;
            const left = now - first[i];
            sum[i] += left;
            squares[i] += left * left;
          }
        }
        const mean = new Float64Array(depth), low = new Float64Array(depth);
        const high = new Float64Array(depth);
        for (let i = 0; i < depth; i++) {
          [mean[i], low[i], high[i]] = ends(first[i], sum[i], squares[i], count, t);
          if (vectors) [mean[i], low[i], high[i]] = [share(mean[i], ofIdeal[i]), NaN, NaN];
        }
        return {mean, low, high};
      });
      return {systems, ideal: vectors ? ofIdeal.map((value) => (value > 0 ? 1 : 0)) : ofIdeal};
    }

    /** The means of runs with one control at each of the values xs, an array for each run. */
    sweep(state, control, xs, runs) {
      if (control === "k") {
        const {systems} = this.curves(state);
        return runs.map((run) => Float64Array.from(xs, (k) => systems[run].mean[k - 1]));
      }
      const out = runs.map(() => new Float64Array(xs.length));
      xs.forEach((x, i) => {
        const mean = this.at(state, control, x);
        runs.forEach((run, row) => { out[row][i] = mean(run); });
      });
      return out;
    }

    /** The function from a run to its mean with a control at x. */
    at(state, control, x) {
      const {data} = this, size = data.count * data.levels.length;
      const now = set(state, control, x);
      const inverse = control === "base"
        ? inverseDiscounts(now.discount, x, data.depth) : this.inverse(now);
      const entries = this.entries(now), ideal = ideals(data, now.gains, inverse, now.k);
      const make = (run) =>
        sumsOf(data, entries, run, inverse, now.k, new Float64Array(size));
      if (control === "base") return (run) => this.mean(now, make(run), ideal);
      const {discounted, discount, base, k} = now; // the sums do not depend on a weight
      const key = [discounted, discount, base, k];
      const sums = this.keep("swept", key.join(), () => new WeakMap());
      if (!sums.has(entries)) sums.set(entries, []);
      const of = sums.get(entries);
      return (run) => this.mean(now, (of[run] = of[run] || make(run)), ideal);
    }
  }

  /** The state with a control at x: "k", "base", or the place of a level. */
  function set(state, control, x) {
    if (control === "k" || control === "base") return {...state, [control]: x};
    return {...state, gains: state.gains.map((gain, l) => (l === Number(control) ? x : gain))};
  }

  return {discounts, read, Calculator, set};
})();
