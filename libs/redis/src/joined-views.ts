import type { GateView } from '../../core/src/index.js';

const BREAKERS: readonly GateView['breaker'][] = ['off', 'closed', 'half-open', 'open'];

/** What an operator sees of a provider in pieces. A breaker is each piece's own: the worst of them is shown. */
export function joinedViews(views: readonly GateView[]): GateView {
  const [first] = views as [GateView];
  const sum = (of: (view: GateView) => number): number => views.reduce((total, view) => total + of(view), 0);
  const breakers = views.map(({ breaker }) => BREAKERS.indexOf(breaker));
  return {
    ...first,
    partitions: sum(({ partitions }) => partitions),
    leases: sum(({ leases }) => leases),
    tickets: sum(({ tickets }) => tickets),
    pauses: views.flatMap(({ pauses }) => pauses),
    breaker: BREAKERS[Math.max(...breakers)] as GateView['breaker'],
    budget: first.budget && {
      firstsLastMinute: sum(({ budget }) => budget?.firstsLastMinute ?? 0),
      retriesLastMinute: sum(({ budget }) => budget?.retriesLastMinute ?? 0),
      places: sum(({ budget }) => budget?.places ?? 0),
    },
    fleet: first.fleet && {
      processes: Math.max(...views.map(({ fleet }) => fleet?.processes ?? 0)),
      lines: joinedLines(views),
    },
  };
}

type Lines = NonNullable<GateView['fleet']>['lines'];

function joinedLines(views: readonly GateView[]): Lines {
  const byName = new Map<string, Lines[number]>();
  for (const line of views.flatMap(({ fleet }) => fleet?.lines ?? [])) {
    const name = JSON.stringify([line.lane, line.tenant]);
    const { waiting = 0, active = 0 } = byName.get(name) ?? {};
    byName.set(name, { ...line, waiting: waiting + line.waiting, active: active + line.active });
  }
  return [...byName.values()];
}
