// (f) Reading an answer alone: usual answers by the generic reading and by GitHub's contract, then the worst that providers
// could send, by every contract of the catalogue, and what stands at the end of large ones. CPU time of this process, so that
// a busy machine counts less.
import { defineProvider, readAnswer } from '../dist/esm/core/src/index.js';
import { CATALOGUE } from '../dist/esm/providers/src/catalogue.js';
import { providerFrom } from '../dist/esm/providers/src/provider-from.js';
import { genericProvider } from '../dist/esm/providers/src/index.js';
import { median, printTable } from './rounds.mjs';

/** What the module promises. */
const USUAL_US = 20;
const WORST_US = 2_000;

const ROUNDS = 15;
const receivedAt = new Date('2026-03-10T12:00:00Z');

const GITHUB = {
  server: 'github.com',
  date: 'Tue, 10 Mar 2026 12:00:00 GMT',
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, max-age=60, s-maxage=60',
  vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
  etag: 'W/"9f0e6a1c2d1b7e0f4a3c5d6e7f8091a2"',
  'last-modified': 'Mon, 09 Mar 2026 08:00:00 GMT',
  'x-oauth-scopes': 'repo, user',
  'x-accepted-oauth-scopes': 'repo',
  'x-github-media-type': 'github.v3; format=json',
  'x-github-api-version-selected': '2022-11-28',
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': '4987',
  'x-ratelimit-reset': '1773147600',
  'x-ratelimit-used': '13',
  'x-ratelimit-resource': 'core',
  'access-control-expose-headers': 'ETag, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining',
  'access-control-allow-origin': '*',
  'strict-transport-security': 'max-age=31536000; includeSubdomains; preload',
  'x-frame-options': 'deny',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'origin-when-cross-origin, strict-origin-when-cross-origin',
  'content-security-policy': "default-src 'none'",
  'x-github-request-id': 'C0DE:1234:ABCDEF:123456:65EEA1B2',
};
const REPOSITORY = JSON.stringify({
  id: 1296269,
  name: 'Hello-World',
  full_name: 'octocat/Hello-World',
  owner: { login: 'octocat', id: 1, url: 'https://api.github.com/users/octocat' },
  description: 'This your first repo!',
  ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`link_${i}_url`, `https://api.github.com/repos/o/${i}`])),
});
const PLAIN = { ...GITHUB };
for (const name of Object.keys(PLAIN)) if (name.startsWith('x-ratelimit')) delete PLAIN[name];

/** What a hostile or broken provider could send. */
function worstAnswers() {
  const items = (make, length) => {
    const parts = [];
    for (let size = 0, i = 0; size < length; i += 1) {
      const part = make(i);
      parts.push(part);
      size += part.length + 1;
    }
    return parts.join(',');
  };
  const mega = 1_048_576;
  const longest = 65_536;
  const keys = 'message errors error code data extensions cost rateLimit type reason status details responses id';
  const all = keys.split(' ').map((key) => `"${key}":[]`).join(','); // prettier-ignore
  const names = [
    ...new Set(CATALOGUE.flatMap((profile) => namesIn(JSON.stringify(contractOf(profile).resolved.reading)))),
  ];
  const filled = (text) => Object.fromEntries([...names, 'retry-after', 'ratelimit', 'ratelimit-policy'].map((name) => [name, text])); // prettier-ignore
  const name = (i) => keys.split(' ')[i % 14];
  /** Of members or elements: JSON that holds all names that rules ask for, and of these small parts as many as fit. */
  const hostile = {
    'distinct names': (i) => `"k${i}":1`,
    'names that are asked for': (i) => `"${name(i)}":"a text of some words"`,
    'names that are asked for, with escapes': (i) => `"${name(i).replace('e', '\\u0065')}":"\\n"`,
    'one name': () => '"code":1',
    'names without letters': () => '"":1',
    'names of one escape': () => '"\\n":1',
    'lists in place of texts': (i) => `"${name(i)}":[[1],{"code":"a"}]`,
    brackets: () => `"x":${'['.repeat(500)}${']'.repeat(500)}`,
    'numbers of a digit': () => `"x":[${Array(500).fill(1).join(',')}]`,
    'objects of no members': () => `"x":[${Array(500).fill('{}').join(',')}]`,
    'answers in a batch': (i) => `"responses":[{"status":429,"id":${i},"headers":{"Retry-After":"1","retry-after":1},"body":{"error":{"code":"x"}}}]`,
    'headers in a batch': () => `"responses":[{"headers":{${items((i) => `"${spelt('retry-after', i)}":1`, 5000)}}}]`,
  }; // prettier-ignore
  const bodies = {
    '1 MB of HTML': `<html>${'rate limit exceeded '.repeat(mega / 20)}`,
    '1 MB that never ends': '['.repeat(mega),
    '1 MB of white space': `{${' '.repeat(mega)}}`,
    '64 KB of JSON, all keys that rules ask for': `{${all},"list":[${items((i) => `{"id":${i},"name":"Hello-World","url":"https://api.example/${i}"}`, longest - 400)}]}`,
    '64 KB of brackets': `{${all},"x":${'['.repeat(longest / 2 - 200)}${']'.repeat(longest / 2 - 200)}}`,
    ...Object.fromEntries(
      [longest, 2 * longest, mega].flatMap((size) =>
        Object.entries(hostile).map(([what, part]) => [
          `${Math.floor(size / 1000)},000 characters, ${what}`,
          `{${all},${items(part, size - 2 * all.length - 20 - part(0).length)},${all}}`,
        ]),
      ),
    ),
    '1 MB that is wrong at its end': `{${all},${items((i) => `"k${i}":1`, mega)},}`,
    'a parsed body with lists of 10,000': parsedBody(10_000, 'Too many requests '.repeat(100)),
  }; // prettier-ignore
  const texts = {
    '4 KB of digits': '1'.repeat(4096),
    '4 KB of "0, "': '0, '.repeat(1365),
    '4 KB of slashes and digits': '/1'.repeat(2048),
    '4 KB of "api-usage=1"': 'api-usage=1; '.repeat(315),
    '4 KB of an IETF list': items((i) => `"p${i}";r=0;t=1`, 4000),
    '4 KB of a broken IETF list': `${items((i) => `"p${i}";r=0;t=1`, 4000)};;`,
    '4 KB of durations': '1h1m'.repeat(1024),
    '1 MB of digits': '1'.repeat(mega),
  };
  return [
    ...Object.entries(bodies).flatMap(([name, body]) =>
      [200, 429].map((status) => ({ name: `${status}, ${name}`, answer: { status, headers: GITHUB, body } })),
    ),
    ...Object.entries(texts).map(([name, text]) => ({
      name: `every header ${name}`,
      answer: { status: 429, headers: filled(text), body: { message: text, error: { message: text, code: text } } },
    })),
    {
      name: '5,000 headers',
      answer: { status: 429, headers: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`X-Header-${i}`, '1'])) },
    },
    {
      name: 'one header in 5,000 spellings',
      answer: { status: 429, headers: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [spelt('x-ratelimit-remaining', i), '1'])) },
    },
    { name: 'a header of 100,000 lines', answer: { status: 429, headers: { 'retry-after': Array(100_000).fill('1') } } },
  ].map(({ name, answer }) => ({ name, answer: { ...answer, receivedAt } })); // prettier-ignore
}

/** An answer of about as many characters, its costs at the end. */
function graphQl(size) {
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 1954, restoreRate: 100 };
  const cost = { requestedQueryCost: 101, actualQueryCost: 46, throttleStatus };
  const node = (i) => ({
    id: `gid://shopify/Product/${i}`,
    title: `Snowboard ${i}`,
    totalInventory: i,
    tags: ['winter', 'sale'],
  });
  const nodes = [];
  for (let i = 0; i * 110 < size - 200; i += 1) nodes.push(node(i));
  return Buffer.from(JSON.stringify({ data: { products: { nodes } }, extensions: { cost } })).toString();
}

function parsedBody(length, text) {
  const leaf = {
    code: text,
    message: text,
    reason: text,
    type: text,
    extensions: { code: text },
    status: 429,
    id: 'a',
  };
  const list = Array.from({ length }, () => leaf);
  return { ...leaf, errors: list, error: { ...leaf, errors: list, details: list }, details: list, responses: list };
}

function spelt(name, number) {
  return [...name].map((letter, i) => ((number >> i) & 1 ? letter.toUpperCase() : letter)).join('');
}

/** Every text in it that may be the name of a header. */
function namesIn(json) {
  return (json.match(/"[a-z][a-z-]+"/g) ?? []).map((name) => name.slice(1, -1)).filter((name) => name.includes('-'));
}

function contractOf(profile) {
  return providerFrom(profile)({});
}

function roughUs(work) {
  work();
  const before = performance.now();
  for (let i = 0; i < 3; i += 1) work();
  return (performance.now() - before) / 3;
}

/** CPU time of one call in µs: the median over rounds of as many calls as take a few ms. */
function cpuUs(work, warmMs = 50) {
  const measured = (times) => {
    const before = process.cpuUsage();
    for (let i = 0; i < times; i += 1) work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  };
  // Enough for the compiler, where it is quick.
  const until = performance.now() + warmMs;
  for (let i = 0; i < 50_000 && performance.now() < until; i += 1) work();
  const times = Math.min(20_000, Math.max(3, Math.ceil(5_000 / Math.max(measured(5), 0.1))));
  if (times > 100) measured(times);
  return median(Array.from({ length: times > 10 ? ROUNDS : 5 }, () => measured(times)));
}

export async function readingBench() {
  const generic = genericProvider();
  const github = CATALOGUE.find(({ name }) => name === 'github');
  const described = github === undefined ? defineProvider({ name: 'github', limits: [] }) : contractOf(github);
  const shopify = contractOf(CATALOGUE.find(({ name }) => name === 'shopify'));
  const slack = contractOf(CATALOGUE.find(({ name }) => name === 'slack'));
  const usual = [
    ['200 with nothing about limits, generic', generic, { status: 200, headers: PLAIN, body: REPOSITORY }],
    ['200 of GitHub, generic', generic, { status: 200, headers: GITHUB, body: REPOSITORY }],
    ['200 of GitHub, its contract', described, { status: 200, headers: GITHUB, body: REPOSITORY }],
    ['429 of GitHub, generic', generic, { status: 429, headers: { ...GITHUB, 'retry-after': '60' }, body: '{"message":"You have exceeded a secondary rate limit"}' }],
    ['200 of Shopify, its contract: 1 KB with what it did cost', shopify, { status: 200, headers: PLAIN, body: graphQl(1_000) }],
    ['200 of Slack, its contract: a body of 3 KB', slack, { status: 200, headers: PLAIN, body: `{"ok":true,${REPOSITORY.slice(1)}` }],
    ['200 with RateLimit of the IETF', generic, { status: 200, headers: { ...PLAIN, ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=100;w=60' }, body: REPOSITORY }],
  ]; // prettier-ignore
  const row = (name, us, boundUs) => [name, us.toFixed(1), us <= boundUs ? 'yes' : 'NO'];
  printTable(
    'Reading a usual answer',
    usual.map(([name, contract, answer]) => {
      const full = { ...answer, receivedAt };
      return row(
        name,
        cpuUs(() => readAnswer(contract, full), 2_000),
        USUAL_US,
      );
    }),
    ['answer', 'CPU µs', `under ${USUAL_US}`],
  );

  const large = [10_000, 65_536, 131_072, 1_048_576].map((size) => [size, graphQl(size)]);
  printTable(
    'Reading what a GraphQL answer did cost, by the contract of Shopify',
    large.map(([size, body]) => {
      const full = { status: 200, headers: PLAIN, body, receivedAt };
      const { cost } = readAnswer(shopify, full);
      return [
        ...row(
          `${size} characters`,
          cpuUs(() => readAnswer(shopify, full), 500),
          WORST_US,
        ),
        cpuUs(() => JSON.parse(body)).toFixed(1),
        cost,
      ];
    }),
    ['answer', 'CPU µs', `under ${WORST_US}`, 'JSON.parse', 'cost read'],
  );

  const contracts = [generic, ...CATALOGUE.map(contractOf)];
  printTable(
    `Reading the worst answers: the slowest of ${contracts.length} contracts`,
    worstAnswers().map(({ name, answer }) => {
      // A short look at all of them, a long one at those that seem slowest.
      const slowest = contracts
        .map((contract) => ({ contract, us: roughUs(() => readAnswer(contract, answer)) }))
        .sort((a, b) => b.us - a.us)
        .slice(0, 3)
        .map(({ contract }) => ({ contract, us: cpuUs(() => readAnswer(contract, answer)) }))
        .reduce((a, b) => (b.us > a.us ? b : a));
      return [...row(name, slowest.us, WORST_US), slowest.contract.name];
    }),
    ['answer', 'CPU µs', `under ${WORST_US}`, 'contract'],
  );
}
