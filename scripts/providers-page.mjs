// Writes docs/providers/catalogue.md from the data of libs/providers, so that providers can be compared. After `npm run build`:
//   node scripts/providers-page.mjs
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export const PAGE = 'docs/providers/catalogue.md';

/** @param catalogue profiles; @param contractOf makes the contract of a profile, with the defaults. */
export function providersPage(catalogue, contractOf) {
  const listed = catalogue.map((profile) => [profile, contractOf(profile)]);
  const text = [
    '# Catalogue of providers',
    '',
    'Made from the data of `nestjs-sluice/providers`; `node scripts/providers-page.mjs` writes it anew. What an answer says is truer than any number here, and every number can be overridden.',
    '',
    '- `?` = could not be confirmed at the provider’s own page. `a day` and `a month` are calendar periods; `/ d` is any 24 hours.',
    '- `checked` is the day on which what is told here was last compared with the pages at the end of each section (of several pages the earliest). What the provider changed since then is not in it.',
    '- Quotas of a day or a month start without a store too: a restart counts them anew, and then goes by what is left as answers tell it, where they do. With a [store](../guides/store.md) they are kept.',
    '- Values of a partition are texts of your own; those printed here are samples. Where you have one of each: `dimensions: []` ([how](../guides/providers.md)).',
    '',
    '| provider | function | limits | keys | checked |',
    '| --- | --- | --- | --- | --- |',
    ...listed.map(([profile, contract]) => overview(profile, contract)),
    '',
    ...listed.flatMap(([profile, contract]) => section(profile, contract)),
  ].join('\n');
  return `${text.trimEnd()}\n`;
}

/** What `nestjs-sluice/providers` calls the function of a profile. */
export const camelCase = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
const cell = (text) => text.replaceAll('|', '\\|');
const oldest = ({ sources }) => sources.map(({ checked }) => checked).sort()[0];

function overview(profile, contract) {
  const limits = shortened(contract.resolved.limits.map((limit) => limitText(limit))) || 'as its answers tell';
  const keys = keyText(contract.resolved.idempotency) ?? '—';
  const link = `[${profile.title}](#${profile.title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')})`;
  return `| ${[link, `\`${camelCase(profile.name)}()\``, limits, keys, oldest(profile)].map(cell).join(' | ')} |`;
}

/** Beyond so many limits the overview says how many more there are. */
const SHOWN = 3;

function shortened(limits) {
  const more = limits.length > SHOWN + 1 ? limits.length - SHOWN : 0;
  return [...limits.slice(0, more > 0 ? SHOWN : undefined), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

function section(profile, contract) {
  const { notes, numbers, choices, webhooks = [], sources } = profile;
  const { limits, routes, idempotency } = contract.resolved;
  return [
    `## ${profile.title}`,
    '',
    `\`${camelCase(profile.name)}()\``,
    '',
    `- ${baseText(contract.resolved.options.http)}`,
    `- ${partitionText(contract.resolved.dimensions)}`,
    '',
    ...table(['limit', 'kind', 'at most', 'counted by', 'routes'], merged(limits.map(limitRow))),
    ...table(
      ['route', 'template'],
      routes.map(({ name, method, template }) => [name, `\`${method} ${template}\``]),
    ),
    ...table(
      ['option', 'default', 'what it is'],
      [
        ...Object.entries(choices).map(([name, { value, values, what }]) => [
          `\`${name}\``,
          `\`${value}\``,
          values === undefined ? what : `${what}: ${values.map((one) => `\`${one}\``).join(', ')}`,
        ]),
        ...Object.entries(numbers).map(([name, fact]) => [
          `\`${name}\``,
          numberText(fact.value),
          `${fact.what}${onlyText(fact)}${fact.unconfirmed ? ' ?' : ''}`,
        ]),
      ],
    ),
    ...list('Refused', notes.refused),
    ...list('Told', notes.told),
    ...list('Cost', notes.cost),
    ...list(`Keys: ${keyText(idempotency) ?? 'none are honoured'}`, notes.idempotency ?? []),
    ...list('Sent again', notes.resend),
    ...list('Beware', notes.traps),
    ...list('Webhooks', webhooks.map(webhookText)),
    ...list('Could not be confirmed', notes.unconfirmed),
    ...list(
      'Pages',
      sources.map(({ url, checked }) => `<${url}>, ${checked}`),
    ),
  ];
}

function table(head, rows) {
  if (rows.length === 0) return [];
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

function list(title, lines) {
  if (lines === undefined || (lines.length === 0 && !title.startsWith('Keys'))) return [];
  return [`${title}${lines.length > 0 ? ':' : '.'}`, '', ...lines.map((line) => `- ${line}`), ''];
}

function numberText(value) {
  if (typeof value === 'number') return number(value);
  return `by \`${value.by}\`: ${Object.entries(value.of)
    .map(([name, one]) => `${name} ${number(one)}`)
    .join(', ')}`;
}

const onlyText = ({ only }) =>
  only === undefined ? '' : `; only with ${only.in.map((value) => `\`${only.by}: '${value}'\``).join(', ')}`;

const number = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 6 });

function baseText(http) {
  const baseURL = http?.baseURL;
  return baseURL === undefined ? 'base URL: none, give `http.baseURL`' : `base URL: \`${baseURL}\``;
}

function partitionText(dimensions) {
  if (dimensions.length === 0) return 'partition: none, every limit is of the whole provider';
  const samples = dimensions.map((dimension) => `${dimension}: '${dimension}-1'`).join(', ');
  return `partition: \`{ ${samples} }\``;
}

/** Endpoints that have the same limit, each for itself, are one row. */
function merged(rows) {
  const same = new Map();
  for (const [name, kind, most, by, routes] of rows) {
    const alike = routes === name ? [kind, most, by].join('\n') : [name, kind, most, by, routes].join('\n');
    same.set(alike, [...(same.get(alike) ?? []), [name, kind, most, by, routes]]);
  }
  return [...same.values()].map((group) => {
    const [first] = group;
    if (group.length === 1) return first;
    const [, kind, most, by] = first;
    return [group.map(([name]) => name).join(', '), kind, `${most}, each`, by, 'of the same names'];
  });
}

function limitRow(limit) {
  const { name, kind, countedBy, routes } = limit;
  return [name, kind, amountText(limit), countedBy.join(', ') || 'all', routes === null ? 'all' : routes.join(', ')];
}

function limitText(limit) {
  const whose = limit.countedBy.join(' + ');
  const of = whose === '' ? '' : ` ${/^[aeio]/.test(whose) ? 'an' : 'a'} ${whose}`;
  return `${amountText(limit)}${of}${limit.routes === null ? '' : ` (${limit.name})`}`;
}

function amountText({ kind, limit, unit, burst, per, perMs }) {
  const what = unit === 'requests' ? '' : ` ${unit}`;
  switch (kind) {
    case 'concurrency':
      return `${number(limit)} at once`;
    case 'quota':
      return `${number(limit)}${what} a ${per}`;
    case 'token-bucket':
      return `${number(limit)}${what} / ${duration(perMs)}, burst ${number(burst)}`;
    default:
      return `${number(limit)}${what} / ${duration(perMs)}`;
  }
}

function duration(ms) {
  for (const [size, name] of [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ]) {
    if (ms % size === 0) return ms === size ? name : `${ms / size} ${name}`;
  }
  return `${ms} ms`;
}

function keyText(idempotency) {
  if (idempotency === null) return null;
  const { header, bodyField, retentionMs } = idempotency;
  const where = header === null ? `\`${bodyField}\` in the body` : `\`${header}\``;
  return `${where}, ${duration(retentionMs).replace(/^(d|h|min|s)$/, '1 $1')}`;
}

function webhookText({ signatureHeader, timestampHeader, signed, algorithm, encoding, tolerance, unconfirmed }) {
  const time = timestampHeader === undefined ? '' : `, time in \`${timestampHeader}\``;
  const age = tolerance === null ? '' : `, at most ${tolerance} old`;
  return `\`${signatureHeader}\`${time}: ${algorithm} of ${signed}, ${encoding}${age}${unconfirmed ? ' ?' : ''}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { CATALOGUE } = await import('../dist/esm/providers/src/catalogue.js');
  const { providerFrom } = await import('../dist/esm/providers/src/provider-from.js');
  writeFileSync(
    PAGE,
    providersPage(CATALOGUE, (profile) => providerFrom(profile)()),
  );
}
